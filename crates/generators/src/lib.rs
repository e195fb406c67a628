//! Generators: values made here instead of read somewhere. The light, stateless ones are modules of
//! this crate: `Fake`, `Password` and `UUID`, alone or wrapped in a `ClusterGenerator`. Pure: the
//! resource is JSON, randomness is an argument.

mod cluster;
mod encoding;
mod fake;
mod password;
mod random;
mod uuid;

use lockstep_provider_api::{Error, Result, SecretMap};
use serde_json::Value;

pub use cluster::unwrap;
pub use random::Random;

/// Kinds this build can generate, and the API's plural of each.
pub const KINDS: [(&str, &str); 4] = [
    ("Fake", "fakes"),
    ("Password", "passwords"),
    ("UUID", "uuids"),
    (WEBHOOK_KIND, "webhooks"),
];

/// Kind whose values the webhook provider fetches; nothing here calls a server.
pub const WEBHOOK_KIND: &str = "Webhook";

/// Plural of the kind that wraps others.
pub const CLUSTER_PLURAL: &str = "clustergenerators";

/// Kind of the cluster-scoped wrapper.
pub const CLUSTER_KIND: &str = "ClusterGenerator";

/// Makes the values of a generator from its `spec`. [`WEBHOOK_KIND`] is not made here.
pub fn generate(kind: &str, spec: &Value, random: &mut dyn Random) -> Result<SecretMap> {
    match kind {
        "Fake" => fake::generate(spec),
        "Password" => password::generate(spec, random),
        "UUID" => Ok(uuid::generate(random)),
        _ => Err(not_in_build(kind)),
    }
}

/// The plural of a kind, or why there is none.
pub fn plural(kind: &str) -> Result<&'static str> {
    if kind == CLUSTER_KIND {
        return Ok(CLUSTER_PLURAL);
    }
    let known = KINDS.iter().find(|(name, _)| *name == kind);
    known
        .map(|(_, plural)| *plural)
        .ok_or_else(|| not_in_build(kind))
}

fn not_in_build(kind: &str) -> Error {
    let known = KINDS.map(|(name, _)| name).join(", ");
    Error::unsupported(format!(
        "generator kind {kind} is not in this build, which has {known}"
    ))
}

fn parse<T: serde::de::DeserializeOwned>(kind: &str, spec: &Value) -> Result<T> {
    let spec = if spec.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        spec.clone()
    };
    serde_json::from_value(spec)
        .map_err(|error| Error::invalid_spec(format!("spec of generator {kind}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Counting;

    #[test]
    fn a_kind_of_a_later_build_is_named_with_what_there_is() {
        let error = generate("Grafana", &Value::Null, &mut Counting::default()).unwrap_err();

        assert_eq!(
            error.to_string(),
            "generator kind Grafana is not in this build, which has Fake, Password, UUID, Webhook"
        );
    }

    #[test]
    fn every_kind_has_a_plural() {
        for (kind, plural_name) in KINDS {
            assert_eq!(plural(kind).unwrap(), plural_name);
        }
        assert_eq!(plural(CLUSTER_KIND).unwrap(), CLUSTER_PLURAL);
        assert!(plural("MFA").is_err());
    }
}
