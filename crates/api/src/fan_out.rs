//! ClusterExternalSecret v1 and ClusterPushSecret v1alpha1: one object a namespace, from one spec.
//!
//! The two kinds share what a child is given and what is reported about namespaces.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    conditions::Condition, external_secret::ExternalSecretSpec, push_secret::PushSecretSpec,
    root::custom_resource,
};

custom_resource! {
    /// A ClusterExternalSecret.
    ClusterExternalSecret in "external-secrets.io" "v1" as "clusterexternalsecrets", ClusterResourceScope,
    spec: ClusterExternalSecretSpec, status: ClusterExternalSecretStatus
}

custom_resource! {
    /// A ClusterPushSecret.
    ClusterPushSecret in "external-secrets.io" "v1alpha1" as "clusterpushsecrets", ClusterResourceScope,
    spec: ClusterPushSecretSpec, status: ClusterPushSecretStatus
}

/// Which ExternalSecret to keep, and in which namespaces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["externalSecretSpec"]))]
pub struct ClusterExternalSecretSpec {
    /// Spec of the ExternalSecrets.
    pub external_secret_spec: ExternalSecretSpec,
    /// Name of the ExternalSecrets; the name of this object when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::object_name")]
    pub external_secret_name: Option<String>,
    /// Labels and annotations of the ExternalSecrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_secret_metadata: Option<ChildMetadata>,
    /// Deprecated, use namespaceSelectors. Namespaces by their labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::label_selector")]
    pub namespace_selector: Option<LabelSelector>,
    /// Namespaces by their labels; one selector that matches is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "crate::schema::label_selectors")]
    pub namespace_selectors: Vec<LabelSelector>,
    /// Deprecated, use namespaceSelectors. Namespaces by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "crate::schema::namespace_names")]
    pub namespaces: Vec<String>,
    /// Time between two checks of the namespaces, as a duration such as 1h.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_time: Option<String>,
}

/// Which PushSecret to keep, and in which namespaces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["pushSecretSpec"]))]
pub struct ClusterPushSecretSpec {
    /// Spec of the PushSecrets.
    pub push_secret_spec: PushSecretSpec,
    /// Name of the PushSecrets; the name of this object when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::object_name")]
    pub push_secret_name: Option<String>,
    /// Labels and annotations of the PushSecrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_secret_metadata: Option<ChildMetadata>,
    /// Namespaces by their labels; one selector that matches is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "crate::schema::label_selectors")]
    pub namespace_selectors: Vec<LabelSelector>,
    /// Time between two checks of the namespaces, as a duration such as 1h.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_time: Option<String>,
}

/// Metadata of the children; foreign labels and annotations on them are removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ChildMetadata {
    /// Labels of the children.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations of the children.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// What was last observed about a ClusterExternalSecret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterExternalSecretStatus {
    /// Generation of the object that this status is about; -1 before the first run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Name the ExternalSecrets were last given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_secret_name: Option<String>,
    /// Namespaces where it did not work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_namespaces: Vec<FailedNamespace>,
    /// Namespaces where it worked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provisioned_namespaces: Vec<String>,
    /// Whether all namespaces have their object.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<PlainCondition>,
}

/// What was last observed about a ClusterPushSecret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterPushSecretStatus {
    /// Generation of the object that this status is about; -1 before the first run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Name the PushSecrets were last given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_secret_name: Option<String>,
    /// Namespaces where it did not work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_namespaces: Vec<FailedNamespace>,
    /// Namespaces where it worked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provisioned_namespaces: Vec<String>,
    /// Whether all namespaces have their object, and why not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// A namespace where it did not work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedNamespace {
    /// The namespace.
    pub namespace: String,
    /// Why it did not work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A condition without reason and time, as a ClusterExternalSecret has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlainCondition {
    /// What the condition is about.
    #[serde(rename = "type")]
    pub type_: String,
    /// True, False or Unknown.
    pub status: String,
    /// The cause in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cluster_external_secret_survives_a_round_trip() {
        let object = json!({
            "apiVersion": "external-secrets.io/v1",
            "kind": "ClusterExternalSecret",
            "metadata": { "name": "all" },
            "spec": {
                "externalSecretSpec": { "refreshInterval": "1h", "dataFrom": [{ "extract": { "key": "k" } }] },
                "externalSecretName": "child",
                "externalSecretMetadata": { "labels": { "a": "b" } },
                "namespaceSelectors": [{ "matchLabels": { "a": "b" } }],
                "namespaces": ["x"],
                "refreshTime": "1m",
            },
            "status": {
                "failedNamespaces": [{ "namespace": "x", "reason": "taken" }],
                "provisionedNamespaces": ["y"],
                "conditions": [{ "type": "Ready", "status": "False", "message": "m" }],
            },
        });

        let read: ClusterExternalSecret = serde_json::from_value(object.clone()).unwrap();

        assert_eq!(serde_json::to_value(&read).unwrap(), object);
    }

    #[test]
    fn a_cluster_push_secret_survives_a_round_trip() {
        let object = json!({
            "apiVersion": "external-secrets.io/v1alpha1",
            "kind": "ClusterPushSecret",
            "metadata": { "name": "all" },
            "spec": { "pushSecretSpec": { "selector": { "secret": { "name": "s" } } }, "refreshTime": "1m" },
        });

        let read: ClusterPushSecret = serde_json::from_value(object.clone()).unwrap();

        assert_eq!(serde_json::to_value(&read).unwrap(), object);
    }
}
