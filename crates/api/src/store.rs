//! SecretStore and ClusterSecretStore v1: where values come from.
//!
//! Both kinds share one spec. The provider's own settings are an open map here: this crate knows
//! no provider, so a provider is added without touching it.

mod interval;
mod provider;

pub use interval::IntOrString;
pub use provider::{ProviderCountError, ProviderUnion};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{choice::choice, conditions::Condition, root::custom_resource};

custom_resource! {
    /// A store for the ExternalSecrets of its namespace.
    SecretStore in "external-secrets.io" "v1" as "secretstores", NamespaceResourceScope,
    spec: SecretStoreSpec, status: SecretStoreStatus
}

custom_resource! {
    /// A store for all namespaces that its conditions admit.
    ClusterSecretStore in "external-secrets.io" "v1" as "clustersecretstores", ClusterResourceScope,
    spec: SecretStoreSpec, status: SecretStoreStatus
}

/// How to reach a provider, and who may use it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["provider"]))]
pub struct SecretStoreSpec {
    /// Controller class that looks after this store; every controller when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// The provider and its settings: exactly one.
    #[serde(skip_serializing_if = "ProviderUnion::is_empty")]
    pub provider: ProviderUnion,
    /// How failed calls to the provider are repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_settings: Option<RetrySettings>,
    /// Time between two checks of the store: seconds, or a duration such as 15m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_interval: Option<IntOrString>,
    /// Namespaces that may use a ClusterSecretStore; all when absent, else one match is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<StoreCondition>,
}

/// How failed calls are repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RetrySettings {
    /// How often a failed call is repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "int32"))]
    pub max_retries: Option<i64>,
    /// Time between two tries, as a duration such as 5s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_interval: Option<String>,
}

/// Namespaces that may use a ClusterSecretStore; one match of any kind is enough.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StoreCondition {
    /// Namespaces by their labels; an empty selector matches all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::label_selector")]
    pub namespace_selector: Option<LabelSelector>,
    /// Namespaces by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "crate::schema::namespace_names")]
    pub namespaces: Vec<String>,
    /// Namespaces whose name a regular expression (RE2) finds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespace_regexes: Vec<String>,
}

/// What was last observed about a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SecretStoreStatus {
    /// Generation of the object that this status is about; -1 before the first check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Whether the store can be used, and why not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// What the store can do: ReadOnly, WriteOnly or ReadWrite.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub capabilities: Option<StoreCapabilities>,
}

choice! {
    /// What a store can do.
    pub enum StoreCapabilities {
        /// Values can be read.
        ReadOnly = "ReadOnly",
        /// Values can be written.
        WriteOnly = "WriteOnly",
        /// Values can be read and written.
        ReadWrite = "ReadWrite",
    }
}

#[cfg(test)]
mod tests;
