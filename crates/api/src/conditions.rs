//! Conditions as they stand in a status.
//!
//! The types of conditions and when they are written are decided by the planner; this file only
//! says how they look on the wire.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The object is in the wanted state.
pub const READY: &str = "Ready";
/// The target was deleted together with its ExternalSecret.
pub const DELETED: &str = "Deleted";
/// Work towards the wanted state goes on.
pub const RECONCILING: &str = "Reconciling";
/// Nothing will change until the user changes something.
pub const STALLED: &str = "Stalled";

/// `status: "True"` of a condition.
pub const TRUE: &str = "True";
/// `status: "False"` of a condition.
pub const FALSE: &str = "False";
/// `status: "Unknown"` of a condition.
pub const UNKNOWN: &str = "Unknown";

/// One condition of a status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// What the condition is about.
    #[serde(rename = "type")]
    pub type_: String,
    /// True, False or Unknown.
    pub status: String,
    /// One word for the cause, meant for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The cause in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When the status last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::time")]
    pub last_transition_time: Option<Time>,
}

impl Condition {
    /// The first condition of a type.
    pub fn find<'a>(conditions: &'a [Self], type_: &str) -> Option<&'a Self> {
        conditions.iter().find(|condition| condition.type_ == type_)
    }

    /// Whether the condition holds.
    pub fn is_true(&self) -> bool {
        self.status == TRUE
    }
}

/// Conditions of an ExternalSecret: the list of types is closed, ours stand behind upstream's.
pub(crate) fn external_secret_conditions(generator: &mut SchemaGenerator) -> Schema {
    let mut item = generator.subschema_for::<Condition>();
    let types = json_schema!({
        "description": "What the condition is about.",
        "type": "string",
        "enum": [READY, DELETED, RECONCILING, STALLED],
    });
    if let Some(properties) = item
        .ensure_object()
        .get_mut("properties")
        .and_then(serde_json::Value::as_object_mut)
    {
        properties.insert("type".to_owned(), types.to_value());
    }
    json_schema!({ "type": "array", "items": item })
}
