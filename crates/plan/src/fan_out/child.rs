//! The child that an object keeps in a namespace: its name, who controls it, and how it should be.
//! Labels and annotations are the ones of the parent's spec and no others.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use lockstep_api::keys::{self, ANNOTATION_FORCE_SYNC};

use super::{Child, Parent};
use crate::target::Owner;

/// Name of the children.
pub fn child_name<P: Parent>(object: &P) -> &str {
    let named = object.given_name();
    named
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| name(object))
}

/// The parent of kind `P` that controls a child, by name. Neither version nor unique id matter, as in
/// the original, so that children outlive a parent that is deleted and created again.
pub fn controls<P: Parent>(metadata: &ObjectMeta) -> Option<String> {
    let owner = Owner::of(metadata)?;
    let group = owner.api_version.split_once('/').map(|(group, _)| group);
    let ours = group == Some(keys::GROUP) && &*owner.kind == P::KIND;
    ours.then(|| owner.name.into_string())
}

/// The child as it should be, from the one that is there.
pub fn child<P: Parent>(object: &P, namespace: &str, live: Option<P::Child>) -> P::Child {
    let mut child = live.unwrap_or_else(|| {
        let mut made = P::Child::default();
        made.metadata_mut().name = Some(child_name(object).to_owned());
        made.metadata_mut().namespace = Some(namespace.to_owned());
        made
    });
    let metadata = object.child_metadata();
    let mut annotations = metadata.annotations;
    if P::FORCES_SYNC {
        let forced = object.metadata().annotations.as_ref();
        match forced.and_then(|annotations| annotations.get(ANNOTATION_FORCE_SYNC)) {
            Some(value) => annotations.insert(ANNOTATION_FORCE_SYNC.to_owned(), value.clone()),
            None => annotations.remove(ANNOTATION_FORCE_SYNC),
        };
    }
    object.fill(&mut child);
    let own_metadata = child.metadata_mut();
    own_metadata.labels = some(metadata.labels);
    own_metadata.annotations = some(annotations);
    own(own_metadata, object);
    child
}

/// Whether a child is as it should be.
pub(super) fn is_right<P: Parent>(object: &P, live: &P::Child) -> bool {
    let namespace = live.metadata().namespace.as_deref().unwrap_or_default();
    let right = child(object, namespace, Some(live.clone()));
    let map = |map: &Option<BTreeMap<String, String>>| map.clone().unwrap_or_default();
    let (right, own) = (right.metadata(), live.metadata());
    map(&right.labels) == map(&own.labels)
        && map(&right.annotations) == map(&own.annotations)
        && right.owner_references == own.owner_references
        && object.is_filled(live)
}

fn some(map: BTreeMap<String, String>) -> Option<BTreeMap<String, String>> {
    (!map.is_empty()).then_some(map)
}

fn own<P: Parent>(metadata: &mut ObjectMeta, object: &P) {
    let reference = OwnerReference {
        api_version: P::API_VERSION.to_owned(),
        kind: P::KIND.to_owned(),
        name: name(object).to_owned(),
        uid: object.metadata().uid.clone().unwrap_or_default(),
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

pub(super) fn name<P: Parent>(object: &P) -> &str {
    object.metadata().name.as_deref().unwrap_or_default()
}
