//! ReplaceAllString of `pattern` and `replacement` on `input`; a null `output` is a refusal.

use lockstep_golang::regexp::Regexp;
use serde_json::Value;

fn failure(case: &Value) -> Option<String> {
    let text = |field: &str| case[field].as_str().unwrap();
    let got = Regexp::new(text("pattern")).map(|regexp| {
        let out = regexp.replace_all(text("input").as_bytes(), text("replacement").as_bytes());
        String::from_utf8_lossy(&out).into_owned()
    });
    let same = match (&got, case["output"].as_str()) {
        (Ok(got), Some(want)) => got == want,
        (Err(error), None) => case["error"]
            .as_str()
            .is_none_or(|want| error.to_string() == want),
        _ => false,
    };
    (!same).then(|| format!("{case}\n  got {got:?}"))
}

#[test]
fn every_recorded_replacement_comes_out_as_in_go() {
    let tables = [
        include_str!("../conformance/regexp.jsonl"),
        include_str!("../conformance/regexp-random.jsonl"),
    ];

    let failures = crate::failures(&tables, failure);

    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
