//! What a PushSecret pushes: single keys, and sets of keys with rules for their remote names.
//! How entries are expanded and merged is decided by the planner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::PushStoreRef;
use crate::{
    choice::choice,
    external_secret::{RewriteRegexp, RewriteTransform},
};

/// One key and where it goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushData {
    /// Which key goes where.
    #[serde(rename = "match")]
    pub match_: PushMatch,
    /// Settings of the provider for this entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// ReverseUnicode turns _Uxxxx_ in keys back into characters; None (used when absent) does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "None"))]
    pub conversion_strategy: Option<PushConversion>,
}

/// A key and its remote place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushMatch {
    /// Key of the source; the whole Secret when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_key: Option<String>,
    /// Where the value goes.
    pub remote_ref: PushRemoteRef,
}

/// A place in a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushRemoteRef {
    /// Name, path or id of the remote secret.
    pub remote_key: String,
    /// Part of the remote secret to write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
}

choice! {
    /// How keys of the source are converted.
    pub enum PushConversion {
        /// Not at all.
        None = "None",
        /// Code points between `_U` and `_` become characters.
        ReverseUnicode = "ReverseUnicode",
    }
}

/// A set of keys and where it goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-kubernetes-validations" = [
    {
        "rule": "has(self.storeRef) && (has(self.storeRef.name) || has(self.storeRef.labelSelector))",
        "message": "storeRef must specify either name or labelSelector",
    },
    {
        "rule": "!has(self.remoteKey) || !has(self.rewrite) || size(self.rewrite) == 0",
        "message": "remoteKey and rewrite are mutually exclusive: rewrite is only supported in per-key mode (without remoteKey)",
    },
]))]
pub struct DataTo {
    /// Store for this entry; it must also be among secretStoreRefs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_ref: Option<PushStoreRef>,
    /// Pushes all matching keys as one remote secret of this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_key: Option<String>,
    /// Which keys are pushed; all when absent.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub match_: Option<DataToMatch>,
    /// Changes that make remote names out of keys, applied in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewrite: Vec<DataToRewrite>,
    /// Settings of the provider for these keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// ReverseUnicode turns _Uxxxx_ in keys back into characters; None (used when absent) does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "None"))]
    pub conversion_strategy: Option<PushConversion>,
}

/// Keys that are pushed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DataToMatch {
    /// Regular expression (RE2) that finds the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regexp: Option<String>,
}

/// One change of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "(has(self.regexp) && !has(self.transform)) || (!has(self.regexp) && has(self.transform))",
    "message": "exactly one of regexp or transform must be set",
}]))]
pub struct DataToRewrite {
    /// Replaces parts of keys by a regular expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regexp: Option<RewriteRegexp>,
    /// Renders a new name for each key by a template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transform: Option<RewriteTransform>,
}
