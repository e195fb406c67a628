//! The status of an ExternalSecret. Who writes it, and when, is decided by the planner.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conditions::Condition;

/// What was last observed about an ExternalSecret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ExternalSecretStatus {
    /// Generation of the object that this status is about; -1 before the first sync.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// When values were last fetched. An unchanged refresh is noted every ten to twenty minutes;
    /// --write-every-refresh notes each one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::nullable_time")]
    pub refresh_time: Option<Time>,
    /// About when refreshTime is written again while nothing changes; empty while a sync fails or where
    /// no refresh is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::nullable_time")]
    pub next_update_time: Option<Time>,
    /// When a credential that a generator made is replaced, ahead of its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::nullable_time")]
    pub credential_refresh_time: Option<Time>,
    /// Generation, labels and annotations that were last synced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synced_resource_version: Option<String>,
    /// Whether the target is in the wanted state, and why not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "crate::conditions::external_secret_conditions")]
    pub conditions: Vec<Condition>,
    /// The Secret that was written, for servicebinding.io.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
}

/// Reference to the written Secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-kubernetes-map-type" = "atomic"))]
pub struct Binding {
    /// Name of the Secret.
    #[schemars(extend("x-default" = ""))]
    pub name: String,
}
