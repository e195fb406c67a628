//! `ClusterGenerator`: a generator of any kind, wrapped so that every namespace can use it.

use lockstep_provider_api::{Error, Result};
use serde_json::Value;

/// Kind and spec of the generator inside a ClusterGenerator's `spec`.
pub fn unwrap(spec: &Value) -> Result<(String, Value)> {
    let kind = spec.get("kind").and_then(Value::as_str).unwrap_or_default();
    let wrapped = spec.get("generator").and_then(Value::as_object);
    let mut wrapped = wrapped.into_iter().flatten();
    let (Some((member, inner)), None) = (wrapped.next(), wrapped.next()) else {
        return Err(Error::invalid_spec(
            "spec.generator must have exactly one member",
        ));
    };
    let wanted = format!("{}Spec", kind.to_lowercase());
    if member.to_lowercase() != wanted.to_lowercase() {
        let text = format!("spec.kind is {kind:?} but spec.generator has {member}");
        return Err(Error::invalid_spec(text));
    }
    Ok((kind.to_owned(), inner.clone()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_wrapped_generator_comes_out() {
        let spec = json!({ "kind": "Password", "generator": { "passwordSpec": { "length": 8 } } });

        let (kind, inner) = unwrap(&spec).unwrap();

        assert_eq!((kind.as_str(), inner), ("Password", json!({ "length": 8 })));
    }

    #[test]
    fn a_kind_that_does_not_fit_its_spec_is_refused() {
        let spec = json!({ "kind": "UUID", "generator": { "passwordSpec": {} } });

        assert!(
            unwrap(&spec)
                .unwrap_err()
                .to_string()
                .contains("passwordSpec")
        );
    }

    #[test]
    fn two_specs_are_refused() {
        let spec = json!({ "kind": "UUID", "generator": { "passwordSpec": {}, "uuidSpec": {} } });

        assert!(unwrap(&spec).is_err());
    }
}
