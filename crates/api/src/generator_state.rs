//! GeneratorState v1alpha1: what is needed to take back a credential that a generator made. It holds
//! a snapshot of the generator, so that it can be used after the manifest has changed or is gone.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conditions::Condition;
use crate::root::custom_resource;

custom_resource! {
    /// A GeneratorState.
    GeneratorState in "generators.external-secrets.io" "v1alpha1" as "generatorstates", NamespaceResourceScope,
    spec: GeneratorStateSpec, status: GeneratorStateStatus
}

/// The generator, what it needs to clean up, and when that is due.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GeneratorStateSpec {
    /// When the state is deleted and its credential taken back; never when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub garbage_collection_deadline: Option<Time>,
    /// The manifest of the generator as it was.
    pub resource: Value,
    /// What the generator needs to take the credential back.
    pub state: Value,
}

/// What was last observed about a GeneratorState.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GeneratorStateStatus {
    /// Whether the state is usable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
