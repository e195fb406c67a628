//! What the API server does to `managedFields` when a Secret is written by create or update.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry};
use serde_json::{Map, Value, json};

type Owned = BTreeMap<String, BTreeSet<Vec<String>>>;
type Leaves = BTreeMap<Vec<String>, Vec<u8>>;

/// Fields of a Secret that have owners, with their values.
fn leaves(secret: &Secret) -> Leaves {
    let mut leaves = Leaves::new();
    let mut put = |path: &[&str], key: &str, value: &[u8]| {
        let mut path: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
        path.push(format!("f:{key}"));
        leaves.insert(path, value.to_vec());
    };
    for (key, value) in secret.data.iter().flatten() {
        put(&["f:data"], key, &value.0);
    }
    for (key, value) in secret.metadata.labels.iter().flatten() {
        put(&["f:metadata", "f:labels"], key, value.as_bytes());
    }
    for (key, value) in secret.metadata.annotations.iter().flatten() {
        put(&["f:metadata", "f:annotations"], key, value.as_bytes());
    }
    leaves
}

/// Gives fields that are new or changed to `manager`, and takes those that are gone from all.
pub(crate) fn track(old: Option<&Secret>, new: &mut Secret, manager: &str) {
    let before = old.map(leaves).unwrap_or_default();
    let after = leaves(new);
    let mut owned = old.map(owned).unwrap_or_default();
    for (path, value) in &after {
        if before.get(path) != Some(value) {
            for paths in owned.values_mut() {
                paths.remove(path);
            }
            owned
                .entry(manager.to_owned())
                .or_default()
                .insert(path.clone());
        }
    }
    for paths in owned.values_mut() {
        paths.retain(|path| after.contains_key(path));
    }
    new.metadata.managed_fields = Some(owned.into_iter().map(entry).collect());
}

fn owned(secret: &Secret) -> Owned {
    let entries = secret.metadata.managed_fields.iter().flatten();
    let rows = entries.map(|entry| {
        let mut paths = BTreeSet::new();
        if let Some(fields) = &entry.fields_v1 {
            walk(&fields.0, &mut Vec::new(), &mut paths);
        }
        (entry.manager.clone().unwrap_or_default(), paths)
    });
    rows.collect()
}

fn walk(value: &Value, path: &mut Vec<String>, paths: &mut BTreeSet<Vec<String>>) {
    let members = value.as_object().unwrap();
    if members.is_empty() {
        paths.insert(path.clone());
    }
    for (name, member) in members {
        path.push(name.clone());
        walk(member, path, paths);
        path.pop();
    }
}

fn entry((manager, paths): (String, BTreeSet<Vec<String>>)) -> ManagedFieldsEntry {
    let mut fields = Value::Object(Map::new());
    for path in paths {
        let mut at = &mut fields;
        for part in path {
            at = at
                .as_object_mut()
                .unwrap()
                .entry(part)
                .or_insert_with(|| json!({}));
        }
    }
    ManagedFieldsEntry {
        manager: Some(manager),
        operation: Some("Update".to_owned()),
        fields_v1: Some(FieldsV1(fields)),
        ..ManagedFieldsEntry::default()
    }
}
