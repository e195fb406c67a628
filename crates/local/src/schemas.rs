//! Schemas of the kinds that are read from a folder, made from the same types as the CRDs. The
//! settings of a provider are held against its own schema; those of one that is not in this build
//! are left open, because its store says so anyway.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret, ServiceAccount};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::fan_out::{ClusterExternalSecretSpec, ClusterPushSecretSpec};
use lockstep_api::{ExternalSecretSpec, PushSecretSpec, SecretStoreSpec};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::strict::{Fault, Schema};

/// Schemas by kind.
pub(crate) struct Schemas {
    metadata: Schema,
    external_secret: Schema,
    store: Schema,
    providers: Vec<(&'static str, Schema)>,
}

impl Schemas {
    pub(crate) fn new() -> Self {
        let entries = lockstep_provider_registry::registry().iter();
        let providers = entries.map(|entry| (entry.name(), Schema::new(entry.schema().to_value())));
        Self {
            metadata: of::<ObjectMeta>(),
            external_secret: of::<ExternalSecretSpec>(),
            store: Schema::new(store()),
            providers: providers.collect(),
        }
    }

    /// Faults of an ExternalSecret.
    pub(crate) fn external_secret(&self, object: &Value) -> Vec<Fault> {
        self.custom_resource(object, &self.external_secret)
    }

    /// Faults of a store of either kind, its provider's settings included.
    pub(crate) fn store(&self, object: &Value) -> Vec<Fault> {
        let mut faults = self.custom_resource(object, &self.store);
        for (name, schema) in &self.providers {
            let settings = object
                .pointer("/spec/provider")
                .and_then(|union| union.get(name));
            let path = format!("spec.provider.{name}");
            faults.extend(
                settings
                    .into_iter()
                    .flat_map(|raw| schema.faults(raw, &path)),
            );
        }
        faults
    }

    /// Faults of a kind that only a cluster reconciles.
    pub(crate) fn checked(&self, kind: &str, object: &Value) -> Vec<Fault> {
        let spec = match kind {
            "ClusterExternalSecret" => of::<ClusterExternalSecretSpec>(),
            "ClusterPushSecret" => of::<ClusterPushSecretSpec>(),
            _ => of::<PushSecretSpec>(),
        };
        self.custom_resource(object, &spec)
    }

    /// Faults of a generator; its spec is read when it is used.
    pub(crate) fn generator(&self, object: &Value) -> Vec<Fault> {
        let mut faults = root(&["metadata"]).faults(object, "");
        faults.extend(self.metadata.faults(&object["metadata"], "metadata"));
        faults
    }

    fn custom_resource(&self, object: &Value, spec: &Schema) -> Vec<Fault> {
        let mut faults = root(&["metadata", "spec"]).faults(object, "");
        faults.extend(self.metadata.faults(&object["metadata"], "metadata"));
        faults.extend(spec.faults(&object["spec"], "spec"));
        faults
    }
}

/// Faults of a Secret.
pub(crate) fn secret(object: &Value) -> Vec<Fault> {
    of::<Secret>().faults(object, "")
}

/// Faults of a ConfigMap.
pub(crate) fn config_map(object: &Value) -> Vec<Fault> {
    of::<ConfigMap>().faults(object, "")
}

/// Faults of a Namespace.
pub(crate) fn namespace(object: &Value) -> Vec<Fault> {
    of::<Namespace>().faults(object, "")
}

/// Faults of a ServiceAccount.
pub(crate) fn service_account(object: &Value) -> Vec<Fault> {
    of::<ServiceAccount>().faults(object, "")
}

fn of<T: JsonSchema>() -> Schema {
    Schema::new(value_of::<T>())
}

fn value_of<T: JsonSchema>() -> Value {
    SchemaSettings::openapi3()
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// The fields every custom resource has. A status may be there: exported objects carry one.
fn root(required: &[&str]) -> Schema {
    Schema::new(json!({
        "type": "object",
        "required": required,
        "properties": {
            "apiVersion": { "type": "string" },
            "kind": { "type": "string" },
            "metadata": { "type": "object" },
            "spec": { "type": "object" },
            "status": {},
        },
    }))
}

/// The spec of a store, with the providers that exist in place of an open union.
fn store() -> Value {
    let mut schema = value_of::<SecretStoreSpec>();
    let known = lockstep_provider_registry::known_names().chain(
        // Providers of this build that the original operator does not have.
        lockstep_provider_registry::registry()
            .iter()
            .map(lockstep_provider_registry::Entry::name),
    );
    let known: serde_json::Map<String, Value> = known
        .map(|name| (name.to_owned(), json!({ "type": "object" })))
        .collect();
    schema["properties"]["provider"] = json!({ "type": "object", "properties": known });
    schema
}
