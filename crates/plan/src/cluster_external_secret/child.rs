//! The ExternalSecret that a ClusterExternalSecret keeps in a namespace: its name, who controls it,
//! and how it should be. Labels and annotations are the ones of the parent's spec and no others.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use lockstep_api::keys::ANNOTATION_FORCE_SYNC;
use lockstep_api::{ClusterExternalSecret, ExternalSecret, keys};

use crate::target::Owner;

/// Name of the children.
pub fn child_name(object: &ClusterExternalSecret) -> &str {
    let named = object.spec.external_secret_name.as_deref();
    named
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| name(object))
}

/// The ClusterExternalSecret that controls an ExternalSecret, by name. Neither version nor unique id
/// matter, as in the original, so that children outlive a parent that is made anew.
pub fn controls(metadata: &ObjectMeta) -> Option<String> {
    let owner = Owner::of(metadata)?;
    let group = owner.api_version.split_once('/').map(|(group, _)| group);
    let ours = group == Some(keys::GROUP) && &*owner.kind == ClusterExternalSecret::KIND;
    ours.then(|| owner.name.into_string())
}

/// The child as it should be, from the one that is there.
pub fn child(
    object: &ClusterExternalSecret,
    namespace: &str,
    live: Option<ExternalSecret>,
) -> ExternalSecret {
    let mut child = live.unwrap_or_else(|| ExternalSecret {
        metadata: ObjectMeta {
            name: Some(child_name(object).to_owned()),
            namespace: Some(namespace.to_owned()),
            ..ObjectMeta::default()
        },
        ..ExternalSecret::default()
    });
    let metadata = object.spec.external_secret_metadata.clone();
    let metadata = metadata.unwrap_or_default();
    let mut annotations = metadata.annotations;
    let forced = object.metadata.annotations.as_ref();
    match forced.and_then(|annotations| annotations.get(ANNOTATION_FORCE_SYNC)) {
        Some(value) => annotations.insert(ANNOTATION_FORCE_SYNC.to_owned(), value.clone()),
        None => annotations.remove(ANNOTATION_FORCE_SYNC),
    };
    child.metadata.labels = some(metadata.labels);
    child.metadata.annotations = some(annotations);
    child.spec = object.spec.external_secret_spec.clone();
    own(&mut child.metadata, object);
    child
}

/// Whether a child is as it should be.
pub(super) fn is_right(object: &ClusterExternalSecret, live: &ExternalSecret) -> bool {
    let namespace = live.metadata.namespace.as_deref().unwrap_or_default();
    let right = child(object, namespace, Some(live.clone()));
    let map = |map: &Option<BTreeMap<String, String>>| map.clone().unwrap_or_default();
    map(&right.metadata.labels) == map(&live.metadata.labels)
        && map(&right.metadata.annotations) == map(&live.metadata.annotations)
        && right.metadata.owner_references == live.metadata.owner_references
        && right.spec == live.spec
}

fn some(map: BTreeMap<String, String>) -> Option<BTreeMap<String, String>> {
    (!map.is_empty()).then_some(map)
}

fn own(metadata: &mut ObjectMeta, object: &ClusterExternalSecret) {
    let reference = OwnerReference {
        api_version: ClusterExternalSecret::API_VERSION.to_owned(),
        kind: ClusterExternalSecret::KIND.to_owned(),
        name: name(object).to_owned(),
        uid: object.metadata.uid.clone().unwrap_or_default(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    };
    let references = metadata.owner_references.get_or_insert_default();
    let known = references.iter_mut().find(|known| {
        known.kind == reference.kind
            && known.name == reference.name
            && known.api_version.split('/').next() == Some(keys::GROUP)
    });
    match known {
        Some(known) => *known = reference,
        None => references.push(reference),
    }
}

pub(super) fn name(object: &ClusterExternalSecret) -> &str {
    object.metadata.name.as_deref().unwrap_or_default()
}
