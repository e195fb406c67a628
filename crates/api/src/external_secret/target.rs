//! The target of an ExternalSecret: which object is written and who owns it.
//! The effect of each policy is decided by the planner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Template;
use crate::choice::choice;

/// The object to write.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Target {
    /// Name of the target; the name of the ExternalSecret when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::object_name")]
    pub name: Option<String>,
    /// Who makes and owns the target: Owner, Orphan, Merge, None or CreateOrMerge.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Owner"))]
    pub creation_policy: Option<CreationPolicy>,
    /// What happens to the target when the provider has no data any more: Delete, Merge or Retain.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Retain"))]
    pub deletion_policy: Option<DeletionPolicy>,
    /// Marks the Secret immutable; its data are then never rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immutable: Option<bool>,
    /// Writes an object of another kind in place of a Secret. The operator must allow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Box<ManifestRef>>,
    /// Blueprint of the target. With it, labels and annotations of the ExternalSecret are not copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<Box<Template>>,
}

/// Kind of a target that is not a Secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManifestRef {
    /// API version of the target, for example v1.
    #[schemars(schema_with = "crate::schema::not_empty")]
    pub api_version: String,
    /// Kind of the target, for example ConfigMap.
    #[schemars(schema_with = "crate::schema::not_empty")]
    pub kind: String,
}

choice! {
    /// Who makes and owns the target.
    pub enum CreationPolicy {
        /// Makes the target and owns it; it goes with the ExternalSecret.
        Owner = "Owner",
        /// Makes the target without owning it.
        Orphan = "Orphan",
        /// Adds to a target that must exist.
        Merge = "Merge",
        /// Writes no target.
        None = "None",
        /// Makes the target, or adds to it if it exists.
        CreateOrMerge = "CreateOrMerge",
    }
}

choice! {
    /// What happens to the target when the provider has no data any more.
    pub enum DeletionPolicy {
        /// The target is deleted.
        Delete = "Delete",
        /// The keys are removed, the target stays.
        Merge = "Merge",
        /// The target stays as it is.
        Retain = "Retain",
    }
}
