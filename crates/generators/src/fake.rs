//! `Fake`: the values that stand in the manifest.

use std::collections::BTreeMap;

use lockstep_provider_api::{LocalGenerator, Random, Result, SecretMap, SecretValue};
use serde::Deserialize;

/// `spec` of a Fake.
#[derive(Deserialize)]
pub(crate) struct Spec {
    #[serde(default)]
    data: BTreeMap<String, String>,
}

pub(crate) struct Fake;

impl LocalGenerator for Fake {
    const KIND: &'static str = "Fake";
    type Spec = Spec;

    fn generate(spec: Spec, _: &mut dyn Random) -> Result<SecretMap> {
        let values = spec.data.into_iter();
        Ok(values
            .map(|(key, value)| (key, SecretValue::from(value)))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::generate_locally;
    use crate::random::Counting;

    #[test]
    fn the_values_of_the_manifest_come_back() {
        let spec = serde_json::json!({ "data": { "a": "1", "b": "2" } });

        let made = generate_locally("Fake", &spec, &mut Counting::default()).unwrap();

        assert_eq!(made.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(made.get("b").unwrap().expose(), b"2");
    }
}
