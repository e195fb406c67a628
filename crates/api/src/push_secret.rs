//! PushSecret v1alpha1: the kind that writes values of Secrets or generators to stores.
//!
//! Read as tolerantly and written back as faithfully as [`crate::external_secret`].

mod data;
mod status;

pub use data::{
    DataTo, DataToMatch, DataToRewrite, PushConversion, PushData, PushMatch, PushRemoteRef,
};
pub use status::{PushSecretStatus, SyncedPushSecrets};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    choice::choice,
    external_secret::{GeneratorRef, StoreKind, Template},
    root::custom_resource,
};

custom_resource! {
    /// A PushSecret.
    PushSecret in "external-secrets.io" "v1alpha1" as "pushsecrets", NamespaceResourceScope,
    spec: PushSecretSpec, status: PushSecretStatus
}

/// What to push, from where, how often, and to which stores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["secretStoreRefs", "selector"]))]
pub struct PushSecretSpec {
    /// Time between two pushes as a duration such as 1h. Zero pushes once and after changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "1h0m0s"))]
    pub refresh_interval: Option<String>,
    /// Stores to push to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secret_store_refs: Vec<PushStoreRef>,
    /// Whether existing remote values are replaced (Replace) or left alone (IfNotExists).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Replace"))]
    pub update_policy: Option<PushUpdatePolicy>,
    /// Whether remote values go when they are no longer pushed (Delete) or stay (None).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "None"))]
    pub deletion_policy: Option<PushDeletionPolicy>,
    /// Where the values come from; exactly one source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<PushSelector>,
    /// Keys to push, each to a place of its own in every store.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<PushData>,
    /// Sets of keys to push to a store.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data_to: Vec<DataTo>,
    /// Changes the values before they are pushed. mergePolicy and finalizers have no effect here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<Box<Template>>,
}

impl PushSecretSpec {
    /// The update policy in force; an absent one means `Replace`.
    pub fn update_policy(&self) -> &PushUpdatePolicy {
        self.update_policy
            .as_ref()
            .unwrap_or(&PushUpdatePolicy::Replace)
    }

    /// The deletion policy in force; an absent one means `None`.
    pub fn deletion_policy(&self) -> &PushDeletionPolicy {
        self.deletion_policy
            .as_ref()
            .unwrap_or(&PushDeletionPolicy::None)
    }
}

/// Stores to push to: one by name, or several by their labels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PushStoreRef {
    /// Name of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::object_name")]
    pub name: Option<String>,
    /// Stores by their labels, in place of a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::label_selector")]
    pub label_selector: Option<LabelSelector>,
    /// SecretStore (used when absent) or ClusterSecretStore.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "SecretStore"))]
    pub kind: Option<StoreKind>,
}

impl PushStoreRef {
    /// The kind in force; an absent one means `SecretStore`.
    pub fn kind(&self) -> &StoreKind {
        self.kind.as_ref().unwrap_or(&StoreKind::SecretStore)
    }
}

choice! {
    /// What happens to existing remote values.
    pub enum PushUpdatePolicy {
        /// They are replaced.
        Replace = "Replace",
        /// They are left alone.
        IfNotExists = "IfNotExists",
    }
}

choice! {
    /// What happens to remote values that are no longer pushed.
    pub enum PushDeletionPolicy {
        /// They are deleted.
        Delete = "Delete",
        /// They stay.
        None = "None",
    }
}

/// Where the values come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct PushSelector {
    /// A Secret, or all Secrets with given labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<PushSecretSelector>,
    /// A generator that makes the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator_ref: Option<GeneratorRef>,
}

/// Secrets to push.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PushSecretSelector {
    /// Name of the Secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::object_name")]
    pub name: Option<String>,
    /// Secrets by their labels; used when there is no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::label_selector")]
    pub selector: Option<LabelSelector>,
}

#[cfg(test)]
mod tests;
