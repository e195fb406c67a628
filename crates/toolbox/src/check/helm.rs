//! Rulings on Helm values: which the chart refuses, which it accepts without effect, and which it does
//! not know. The chart's own values file says which exist.

use std::path::Path;

use serde_json::{Map, Value};

use super::served::{Ruling, Verdict};

/// The chart's values with their defaults.
const CHART: &str = include_str!("../../../../deploy/charts/external-secrets/values.yaml");

/// Values that are accepted without effect, and why.
const IGNORED: [(&str, &str); 5] = [
    ("bitwarden-sdk-server", "install that chart by itself"),
    ("crds.createSecretStore", "the CRD is needed"),
    (
        "crds.conversion",
        "one version is stored, nothing is converted",
    ),
    ("enableHTTP2", "HTTP/1.1 is served"),
    (
        "vault.enableTokenCache",
        "connections are cached with their tokens",
    ),
];

/// Where a release may name the image of the original operator.
const ORIGINAL: &str = "external-secrets/external-secrets";

/// Reads a file of values.
pub(super) fn read(path: &Path) -> Result<Value, String> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
    let values = lockstep_local::source::value(without_heading(&text))
        .map_err(|error| format!("{shown}: {error}"))?;
    match values {
        Value::Object(_) | Value::Null => Ok(values),
        _ => Err(format!("{shown}: the values are not a mapping")),
    }
}

/// The values without the line that `helm get values` prints above them.
fn without_heading(text: &str) -> &str {
    match text.split_once('\n') {
        Some((first, rest)) if first.ends_with("VALUES:") => rest,
        _ => text,
    }
}

/// A ruling for every value that is set, by its path.
pub(super) fn rulings(values: &Value) -> Vec<(String, Ruling)> {
    let chart = lockstep_local::source::value(CHART).unwrap_or_default();
    let mut found = Vec::new();
    let fields = values.as_object().into_iter().flatten();
    for (name, value) in fields {
        walk(name, value, chart.get(name), &mut found);
    }
    found
}

fn walk(path: &str, value: &Value, known: Option<&Value>, found: &mut Vec<(String, Ruling)>) {
    let ignored = IGNORED.iter().find(|(name, _)| *name == path);
    if let Some((_, why)) = ignored {
        let note = format!("accepted without effect: {why}");
        return found.push((path.to_owned(), (Verdict::Ignored, note)));
    }
    let Some(known) = known else {
        let note = "this chart has no such value".to_owned();
        return found.push((path.to_owned(), (Verdict::Ignored, note)));
    };
    match (value, known) {
        // Below an open mapping, such as nodeSelector, every key is allowed.
        (Value::Object(fields), Value::Object(inner)) if !inner.is_empty() => {
            for (name, value) in fields {
                walk(&format!("{path}.{name}"), value, inner.get(name), found);
            }
        }
        _ => found.push((path.to_owned(), leaf(path, value))),
    }
}

fn leaf(path: &str, value: &Value) -> Ruling {
    let text = value.as_str().unwrap_or_default();
    if path.ends_with("image.flavour") && !text.is_empty() {
        let note = "the chart refuses it: there is one image without flavours; remove the value";
        return (Verdict::NotServed, note.to_owned());
    }
    if path.ends_with("repository") && text.contains(ORIGINAL) {
        let note = "the chart refuses it: that is the original operator's image; name your own";
        return (Verdict::NotServed, note.to_owned());
    }
    (Verdict::Served, String::new())
}

/// Flags that the values give to the processes.
pub(super) fn extra_args(values: &Value) -> Vec<String> {
    let places = [
        "/extraArgs",
        "/webhook/extraArgs",
        "/certController/extraArgs",
    ];
    let maps = places.iter().filter_map(|place| values.pointer(place));
    let maps = maps.filter_map(Value::as_object);
    maps.flat_map(Map::keys)
        .map(|name| format!("--{name}"))
        .collect()
}
