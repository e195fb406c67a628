//! The CRDs of External Secrets: whose they are, and the mark that keeps them when the original's release is
//! uninstalled. Deleting a CRD deletes every object of its kind, and with them every Secret.

use anyhow::Result;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use lockstep_api::keys::{ANNOTATION_RESOURCE_POLICY, GENERATORS_GROUP, GROUP};
use lockstep_runtime::api_object::{ApiObject, Written, list_all};
use lockstep_runtime::apply::Writer;
use lockstep_toolbox::cluster::failure;
use serde_json::json;

/// Value of the mark.
const KEEP: &str = "keep";

/// One CRD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Crd {
    pub(crate) name: String,
    /// Whether Helm keeps it.
    pub(crate) is_kept: bool,
    /// Whether it is ours: the original relies on defaults that ours leave to the operator.
    pub(crate) is_ours: bool,
}

/// All CRDs of the operator's groups.
pub(crate) async fn find(client: &Client) -> Result<Vec<Crd>> {
    let all: Vec<CustomResourceDefinition> = list_all(client, None)
        .await
        .map_err(|error| failure("list customresourcedefinitions", &error))?;
    Ok(all.iter().filter_map(told).collect())
}

fn told(crd: &CustomResourceDefinition) -> Option<Crd> {
    if ![GROUP, GENERATORS_GROUP].contains(&crd.spec.group.as_str()) {
        return None;
    }
    let annotations = crd.metadata.annotations.as_ref();
    let policy = annotations.and_then(|held| held.get(ANNOTATION_RESOURCE_POLICY));
    // Only ours fill in a status, so that tools do not take an object without one for ready.
    let is_ours = crd.spec.versions.iter().any(|version| {
        let schema = version.schema.as_ref();
        let schema = schema.and_then(|schema| schema.open_api_v3_schema.as_ref());
        let properties = schema.and_then(|schema| schema.properties.as_ref());
        let status = properties.and_then(|properties| properties.get("status"));
        status.is_some_and(|status| status.default.is_some())
    });
    Some(Crd {
        name: crd.metadata.name.clone().unwrap_or_default(),
        is_kept: policy.is_some_and(|policy| policy == KEEP),
        is_ours,
    })
}

/// Marks CRDs as kept; returns how many were not before.
pub(crate) async fn mark(client: &Client, crds: &[Crd]) -> Result<usize> {
    let writer = Writer::new(client.clone());
    let patch = json!({"metadata": {"annotations": {
        ANNOTATION_RESOURCE_POLICY: KEEP,
        "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
    }}});
    let mut marked = 0;
    for crd in crds.iter().filter(|crd| !crd.is_kept) {
        let target = ApiObject::of::<CustomResourceDefinition>(None, &crd.name);
        let written = writer.merge(&target, &patch, Some("lockstep")).await;
        let doing = format!("mark customresourcedefinition {}", crd.name);
        let _: Written = written.map_err(|error| failure(&doing, &error))?;
        marked += 1;
    }
    Ok(marked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crd(group: &str, status: serde_json::Value, policy: Option<&str>) -> Option<Crd> {
        let crd = serde_json::from_value(json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "x", "annotations": policy.map(|policy| json!({"helm.sh/resource-policy": policy}))},
            "spec": {
                "group": group, "scope": "Namespaced", "names": {"kind": "X", "plural": "xs"},
                "versions": [{
                    "name": "v1", "served": true, "storage": true,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"status": status}}},
                }],
            },
        }));
        told(&crd.unwrap())
    }

    #[test]
    fn ours_are_told_by_the_status_they_fill_in() {
        let ours = json!({"type": "object", "default": {"observedGeneration": -1}});
        let theirs = json!({"type": "object"});

        assert!(crd(GROUP, ours, None).unwrap().is_ours);
        assert!(!crd(GROUP, theirs, None).unwrap().is_ours);
    }

    #[test]
    fn other_groups_are_left_alone_and_the_mark_is_seen() {
        let status = json!({"type": "object"});

        assert_eq!(crd("example.com", status.clone(), None), None);
        assert!(crd(GROUP, status.clone(), Some("keep")).unwrap().is_kept);
        assert!(!crd(GROUP, status, None).unwrap().is_kept);
    }
}
