//! `Fake`: the values that stand in the manifest.

use std::collections::BTreeMap;

use lockstep_provider_api::{Result, SecretMap, SecretValue};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Spec {
    #[serde(default)]
    data: BTreeMap<String, String>,
}

pub(crate) fn generate(spec: &Value) -> Result<SecretMap> {
    let spec: Spec = crate::parse("Fake", spec)?;
    Ok(spec
        .data
        .into_iter()
        .map(|(key, value)| (key, SecretValue::from(value)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_the_manifest_come_back() {
        let made = generate(&serde_json::json!({ "data": { "a": "1", "b": "2" } })).unwrap();

        assert_eq!(made.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(made.get("b").unwrap().expose(), b"2");
    }
}
