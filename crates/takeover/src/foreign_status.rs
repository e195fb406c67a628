//! Conditions that only Lockstep writes. The original's CRD refuses a status with them, so they must go
//! before it starts. Nothing else of an object is touched.

use anyhow::Result;
use kube::Client;
use kube::core::{ApiResource, GroupVersionKind};
use lockstep_api::conditions::{RECONCILING, STALLED};
use lockstep_api::keys::{FIELD_MANAGER, GROUP};
use lockstep_runtime::api_object::{ApiObject, Written};
use lockstep_runtime::apply::Writer;
use lockstep_toolbox::cluster::failure;
use serde_json::{Value, json};

use crate::inventory::{KINDS, all};

/// Condition types the original does not know.
const OURS: [&str; 2] = [RECONCILING, STALLED];

/// An object whose status the original would choke on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Foreign {
    /// Version, kind and plural.
    kind: (&'static str, &'static str, &'static str),
    namespace: Option<String>,
    name: String,
    uid: String,
    /// The conditions that stay.
    kept: Vec<Value>,
}

impl Foreign {
    /// Kind and name.
    pub(crate) fn shown(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{} {namespace}/{}", self.kind.1, self.name),
            None => format!("{} {}", self.kind.1, self.name),
        }
    }
}

/// All such objects.
pub(crate) async fn find(client: &Client) -> Result<Vec<Foreign>> {
    let mut found = Vec::new();
    for kind in KINDS {
        let (version, word, plural) = kind;
        let objects = all(client, (GROUP, version, word, plural)).await?;
        found.extend(objects.iter().filter_map(|object| foreign(kind, object)));
    }
    Ok(found)
}

fn foreign(kind: (&'static str, &'static str, &'static str), object: &Value) -> Option<Foreign> {
    let conditions = object.pointer("/status/conditions")?.as_array()?;
    let is_ours = |condition: &&Value| {
        let word = condition["type"].as_str().unwrap_or_default();
        OURS.contains(&word)
    };
    conditions.iter().find(is_ours)?;
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
    Some(Foreign {
        kind,
        namespace: text("/metadata/namespace").map(str::to_owned),
        name: text("/metadata/name")?.to_owned(),
        uid: text("/metadata/uid")?.to_owned(),
        kept: conditions
            .iter()
            .filter(|one| !is_ours(one))
            .cloned()
            .collect(),
    })
}

/// Takes the conditions away.
pub(crate) async fn remove(client: &Client, found: &[Foreign]) -> Result<()> {
    let writer = Writer::new(client.clone());
    for one in found {
        let (version, kind, plural) = one.kind;
        let of_kind = GroupVersionKind::gvk(GROUP, version, kind);
        let resource = ApiResource::from_gvk_with_plural(&of_kind, plural);
        let target = ApiObject::dynamic(&resource, one.namespace.as_deref(), &one.name);
        let status = json!({"conditions": one.kept});
        let manager = Some(FIELD_MANAGER);
        let written = writer
            .patch_status(&target, &one.uid, &status, manager)
            .await;
        let doing = format!("write the status of {}", one.shown());
        let _: Written = written.map_err(|error| failure(&doing, &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(types: &[&str]) -> Value {
        let conditions: Vec<Value> = types
            .iter()
            .map(|word| json!({"type": word, "status": "True"}))
            .collect();
        json!({
            "metadata": {"name": "x", "namespace": "a", "uid": "u"},
            "status": {"conditions": conditions},
        })
    }

    #[test]
    fn our_conditions_go_and_the_originals_stay() {
        let found = foreign(KINDS[0], &object(&["Ready", "Stalled", "Reconciling"])).unwrap();

        assert_eq!(found.shown(), "ExternalSecret a/x");
        assert_eq!(found.kept, [json!({"type": "Ready", "status": "True"})]);
    }

    #[test]
    fn a_status_of_the_original_is_left_alone() {
        assert_eq!(foreign(KINDS[0], &object(&["Ready", "Deleted"])), None);
        assert_eq!(foreign(KINDS[0], &json!({"metadata": {}})), None);
    }
}
