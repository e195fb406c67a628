//! The status of a PushSecret. What was pushed is kept here so that it can be deleted later.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PushData;
use crate::conditions::Condition;

/// What was pushed: by `<kind>/<name>` of the store, then by `<remote key>[/<property>]`.
pub type SyncedPushSecrets = BTreeMap<String, BTreeMap<String, PushData>>;

/// What was last observed about a PushSecret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PushSecretStatus {
    /// Generation of the object that this status is about; -1 before the first push.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// When values were last pushed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::nullable_time")]
    pub refresh_time: Option<Time>,
    /// Generation, labels and annotations that were last synced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synced_resource_version: Option<String>,
    /// What was pushed, by store and remote name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub synced_push_secrets: SyncedPushSecrets,
    /// Whether everything was pushed, and why not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
