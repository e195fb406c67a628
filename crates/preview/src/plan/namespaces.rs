//! Manifests for namespaces that are not there: an API server refuses them, so they are reported and not
//! planned. A folder that stands for a cluster need not list its namespaces.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_index::ObjectKey;

use super::work::store_name;
use crate::objects::Objects;
use crate::present::Present;

/// Takes the manifests out whose namespace is neither there nor in the input; returns them with what is
/// wrong.
pub(super) fn take_homeless(given: &mut Objects, present: &Present) -> BTreeMap<String, String> {
    if present.client.is_none() {
        return BTreeMap::new();
    }
    let known = present.objects.namespaces.keys();
    let known: BTreeSet<String> = known.chain(given.namespaces.keys()).cloned().collect();
    take_out(given, &known)
}

fn take_out(given: &mut Objects, known: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut homeless = BTreeMap::new();
    let mut keep = |object: String, namespace: &str| {
        let is_known = known.contains(namespace);
        if !is_known {
            let text = format!(
                "namespace {namespace} is not there; create it, add it to the input, or name another \
                 one with --namespace"
            );
            homeless.insert(object, text);
        }
        is_known
    };
    let named = |kind: &str, key: &ObjectKey| format!("{kind} {key}");
    given
        .external_secrets
        .retain(|key, _| keep(named("ExternalSecret", key), key.namespace()));
    given
        .push_secrets
        .retain(|key, _| keep(named("PushSecret", key), key.namespace()));
    given.stores.retain(|key, _| match &key.namespace {
        Some(namespace) => keep(store_name(key), namespace),
        None => true,
    });
    homeless
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_of_unknown_namespaces_are_taken_out_and_named() {
        let mut given = Objects::default();
        for (kind, namespace) in [
            ("ExternalSecret", "there"),
            ("ExternalSecret", "typo"),
            ("SecretStore", "typo"),
        ] {
            let object = json!({
                "apiVersion": "external-secrets.io/v1", "kind": kind,
                "metadata": {"name": "x", "namespace": namespace},
                "spec": {"provider": {"fake": {"data": []}}},
            });
            given.add(object).unwrap();
        }

        let homeless = take_out(&mut given, &BTreeSet::from(["there".to_owned()]));

        let named: Vec<&str> = homeless.keys().map(String::as_str).collect();
        assert_eq!(named, ["ExternalSecret typo/x", "SecretStore typo/x"]);
        assert!(homeless["SecretStore typo/x"].starts_with("namespace typo is not there"));
        assert_eq!(given.external_secrets.len(), 1);
        assert!(given.stores.is_empty());
    }
}
