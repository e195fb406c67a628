//! Schemas that come from our own types: the kinds whose controllers we run.
//! All other kinds are data; a kind becomes ours by a line in [`schemas`].

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::{data::Parts, normalise};
use crate::{external_secret, fan_out, push_secret, store};

/// Schemas of spec and status of a kind, if they are ours.
pub(super) fn schemas(kind: &str, parts: &Parts) -> Option<(Value, Value)> {
    Some(match kind {
        "ExternalSecret" => {
            pair::<external_secret::ExternalSecretSpec, external_secret::ExternalSecretStatus>()
        }
        "SecretStore" | "ClusterSecretStore" => {
            let (spec, status) = pair::<store::SecretStoreSpec, store::SecretStoreStatus>();
            (with_providers(spec, parts), status)
        }
        "PushSecret" => pair::<push_secret::PushSecretSpec, push_secret::PushSecretStatus>(),
        "ClusterExternalSecret" => {
            pair::<fan_out::ClusterExternalSecretSpec, fan_out::ClusterExternalSecretStatus>()
        }
        "ClusterPushSecret" => {
            pair::<fan_out::ClusterPushSecretSpec, fan_out::ClusterPushSecretStatus>()
        }
        _ => return None,
    })
}

fn pair<Spec: JsonSchema, Status: JsonSchema>() -> (Value, Value) {
    let mut status = derived::<Status>();
    // An object nobody has looked at yet is not done.
    status["default"] = json!({ "observedGeneration": -1 });
    (derived::<Spec>(), status)
}

/// Schema of a type of ours, in the form of a CRD.
fn derived<T: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::openapi3();
    let generator = settings
        .with(|s| s.inline_subschemas = true)
        .into_generator();
    normalise::schema(generator.into_root_schema_for::<T>().to_value())
}

/// Fills the union of providers with every one there is a part for.
fn with_providers(mut spec: Value, parts: &Parts) -> Value {
    let names = parts
        .keys()
        .filter_map(|part| part.strip_prefix("provider."));
    let union = names.map(|name| {
        (
            name.to_owned(),
            json!({ "$part": format!("provider.{name}") }),
        )
    });
    spec["properties"]["provider"]["properties"] = Value::Object(union.collect());
    spec
}
