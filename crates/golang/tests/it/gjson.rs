//! `path` on `json`: `exists`, `string`, `raw` and `type`.

use lockstep_golang::gjson;
use serde_json::Value;

fn failure(case: &Value) -> Option<String> {
    let json = case["json"].as_str().unwrap();
    let path = case["path"].as_str().unwrap();
    let found = gjson::get(json.as_bytes(), path);
    let got = match &found {
        None => (false, String::new(), String::new(), "Null".to_owned()),
        Some(hit) => (
            true,
            String::from_utf8_lossy(&hit.string()).into_owned(),
            String::from_utf8_lossy(hit.raw()).into_owned(),
            format!("{:?}", hit.kind()).replace("Json", "JSON"),
        ),
    };
    let text = |field: &str| case[field].as_str().unwrap().to_owned();
    let want = (
        case["exists"].as_bool().unwrap(),
        text("string"),
        text("raw"),
        text("type"),
    );
    (got != want).then(|| format!("{} {path}\n   got {got:?}\n  want {want:?}", case["name"]))
}

#[test]
fn every_recorded_path_finds_what_gjson_finds() {
    let tables = [
        include_str!("../conformance/gjson.jsonl"),
        include_str!("../conformance/gjson-random.jsonl"),
    ];

    let failures = crate::failures(&tables, failure);

    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
