//! Sets of values of an ExternalSecret: extract, find, generators, and the rewriting of their keys.
//! The order of operations is decided by the planner.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ConversionStrategy, DecodingStrategy, NullBytePolicy, RemoteRef, SourceRef};
use crate::choice::choice;

/// One set of values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DataFromEntry {
    /// Takes every property of one remote secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extract: Option<Box<RemoteRef>>,
    /// Takes every remote secret that matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub find: Option<Box<Find>>,
    /// Changes of the keys, applied in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewrite: Vec<Rewrite>,
    /// Store or generator for this entry alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_ref: Option<Box<SourceRef>>,
}

/// A search for remote secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Find {
    /// Where to search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Names to match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<FindName>,
    /// Tags or labels that must all match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<BTreeMap<String, String>>,
    /// How characters that a key may not hold are replaced: Default by _, Unicode by _Uxxxx_.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversion_strategy: Option<ConversionStrategy>,
    /// How the values are decoded: Auto, Base64, Base64URL or None (used when absent).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decoding_strategy: Option<DecodingStrategy>,
    /// Whether values with null bytes are accepted (Ignore, used when absent) or an error (Fail).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub null_byte_policy: Option<NullBytePolicy>,
}

/// Names a search matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FindName {
    /// Regular expression (RE2) that finds the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regexp: Option<String>,
}

/// One change of keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Rewrite {
    /// Merges values that are JSON objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<Box<RewriteMerge>>,
    /// Replaces parts of keys by a regular expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regexp: Option<RewriteRegexp>,
    /// Renders a new name for each key by a template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transform: Option<RewriteTransform>,
}

/// Merging of values that are JSON objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RewriteMerge {
    /// Key of the merged object; needed by the strategy JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = ""))]
    pub into: Option<String>,
    /// Keys merged last, so that their values win, in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub priority: Vec<String>,
    /// Whether a missing priority key is an error (Strict, used when absent) or not (IgnoreNotFound).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Strict"))]
    pub priority_policy: Option<MergePriorityPolicy>,
    /// Whether a key met twice is an error (Error, used when absent) or the later one wins (Ignore).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Error"))]
    pub conflict_policy: Option<MergeConflictPolicy>,
    /// Extract (used when absent) gives the merged keys; JSON one object under the key of into.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Extract"))]
    pub strategy: Option<MergeStrategy>,
}

choice! {
    /// What a missing priority key means.
    pub enum MergePriorityPolicy {
        /// It is skipped.
        IgnoreNotFound = "IgnoreNotFound",
        /// It is an error.
        Strict = "Strict",
    }
}

choice! {
    /// What a key met twice means.
    pub enum MergeConflictPolicy {
        /// The later one wins.
        Ignore = "Ignore",
        /// It is an error.
        Error = "Error",
    }
}

choice! {
    /// What a merge results in.
    pub enum MergeStrategy {
        /// The merged keys.
        Extract = "Extract",
        /// One JSON object under one key.
        Json = "JSON",
    }
}

/// Replacement in keys by a regular expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RewriteRegexp {
    /// Regular expression (RE2).
    pub source: String,
    /// Replacement; $1 and ${name} stand for groups.
    pub target: String,
}

/// Keys rendered by a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RewriteTransform {
    /// Template of the new key; .value is the old one.
    pub template: String,
}
