//! Turns a wished-for state and the Secret that is there into the Secret to write. Keys, labels
//! and annotations that this ExternalSecret wrote earlier are taken back first; everything else of
//! others stays, unless the policy says the Secret holds nothing else.

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::{keys, messages};
use lockstep_golang::fmt::{data_hash, object_hash_text};

use super::managed_fields::{Managed, Section};
use super::owner::{controller_reference, refers_to};
use super::{Desired, Owner};
use crate::cause::Cause;
use crate::failure::Failure;

/// What to do with the target.
#[derive(Clone, PartialEq)]
pub enum Mutation {
    /// Nothing: it is as wished.
    Unchanged,
    /// Nothing: it does not exist, and the policy does not make it.
    Missing,
    /// Create this Secret.
    Create(Box<Secret>),
    /// Write this Secret in place of the one that was read, under its resourceVersion.
    Replace(Box<Secret>),
}

impl fmt::Debug for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unchanged => "Unchanged",
            Self::Missing => "Missing",
            Self::Create(_) => "Create(***)",
            Self::Replace(_) => "Replace(***)",
        })
    }
}

/// The Secret to write, given the one that is there.
pub fn mutate(desired: &Desired, live: Option<&Secret>) -> Result<Mutation, Failure> {
    let Some(live) = live else {
        return if desired.write.creates() {
            create(desired).map(Mutation::Create)
        } else {
            Ok(Mutation::Missing)
        };
    };
    let mut secret = live.clone();
    if !desired.immutable {
        put_content(desired, &mut secret);
    }
    finish(desired, &mut secret).map_err(|failure| {
        let name = &desired.name;
        failure
            .with_event(|text| format!("unable to mutate secret {name}: {text}"))
            .touching_target()
    })?;
    if is_same(live, &secret) {
        return Ok(Mutation::Unchanged);
    }
    refuse_immutable(desired, live, &secret)?;
    Ok(Mutation::Replace(Box::new(secret)))
}

fn create(desired: &Desired) -> Result<Box<Secret>, Failure> {
    let mut secret = Secret {
        metadata: ObjectMeta {
            name: Some(desired.name.clone()),
            namespace: Some(desired.namespace.clone()),
            ..ObjectMeta::default()
        },
        ..Secret::default()
    };
    put_content(desired, &mut secret);
    finish(desired, &mut secret)?;
    Ok(Box::new(secret))
}

/// Data, labels, annotations, finalizers and type.
fn put_content(desired: &Desired, secret: &mut Secret) {
    let managed = Managed::by(&desired.manager, &secret.metadata);
    let metadata = &mut secret.metadata;
    overlay(
        &mut metadata.labels,
        managed.keys(Section::Label),
        &desired.labels,
    );
    overlay(
        &mut metadata.annotations,
        managed.keys(Section::Annotation),
        &desired.annotations,
    );
    if metadata.deletion_timestamp.is_none() && !desired.finalizers.is_empty() {
        let finalizers = metadata.finalizers.get_or_insert_default();
        for finalizer in &desired.finalizers {
            if !finalizers.contains(finalizer) {
                finalizers.push(finalizer.clone());
            }
        }
    }
    let data = secret.data.get_or_insert_default();
    if desired.write.keeps_foreign_keys() {
        for key in managed.keys(Section::Data) {
            data.remove(key);
        }
    } else {
        data.clear();
    }
    for (key, value) in desired.data.iter() {
        data.insert(key.to_owned(), ByteString(value.expose().to_vec()));
    }
    if let Some(secret_type) = &desired.secret_type {
        secret.type_ = Some(secret_type.clone());
    }
}

/// Removes what we wrote earlier and puts what we write now.
fn overlay<'a>(
    map: &mut Option<BTreeMap<String, String>>,
    earlier: impl Iterator<Item = &'a str>,
    wanted: &BTreeMap<String, String>,
) {
    let map = map.get_or_insert_default();
    for key in earlier {
        map.remove(key);
    }
    map.extend(
        wanted
            .iter()
            .map(|(key, value)| (key.clone(), value.clone())),
    );
}

/// Ownership, the immutable mark, the managed label and the hash of the data.
fn finish(desired: &Desired, secret: &mut Secret) -> Result<(), Failure> {
    if desired.immutable {
        secret.immutable = Some(true);
    }
    settle_ownership(desired, &mut secret.metadata)?;
    let data = secret.data.iter().flatten();
    let hash = data_hash(data.map(|(key, value)| (key.as_str(), value.0.as_slice())));
    let labels = secret.metadata.labels.get_or_insert_default();
    labels.insert(
        keys::LABEL_MANAGED.to_owned(),
        keys::LABEL_MANAGED_VALUE.to_owned(),
    );
    let annotations = secret.metadata.annotations.get_or_insert_default();
    annotations.insert(keys::ANNOTATION_DATA_HASH.to_owned(), hash);
    Ok(())
}

/// Takes or gives up control of a target.
pub(crate) fn settle_ownership(
    desired: &Desired,
    metadata: &mut ObjectMeta,
) -> Result<(), Failure> {
    let name = desired.owner_name.as_str();
    let controller = Owner::of(metadata);
    if let Some(other) = &controller
        && &*other.name != name
        && other.is_external_secret()
    {
        let text = format!("secret is owned by another ExternalSecret: {}", other.name);
        let failure = Failure::new(messages::OWNED_BY_ANOTHER, Cause::CONFLICT, text);
        return Err(failure.with_detail(|text| format!("{text}; give each a target of its own")));
    }
    let references = metadata.owner_references.get_or_insert_default();
    let labels = metadata.labels.get_or_insert_default();
    if !desired.write.owns() {
        references.retain(|held| held.controller != Some(true) || !refers_to(held, name));
        labels.remove(keys::LABEL_OWNER);
        return Ok(());
    }
    if let Some(other) = controller.filter(|held| !held.is_external_secret()) {
        let text = format!(
            "could not set controller reference on secret: Object {}/{} is already owned by \
             another {} controller {}",
            desired.namespace, desired.name, other.kind, other.name
        );
        let failure = Failure::new(messages::COULD_NOT_TAKE_OWNERSHIP, Cause::CONFLICT, text);
        return Err(failure.with_detail(|text| {
            format!(
                "{text}; choose another target, or add keys to this one by creationPolicy Merge"
            )
        }));
    }
    let reference = controller_reference(name, &desired.owner_uid);
    match references.iter_mut().find(|held| refers_to(held, name)) {
        Some(held) => *held = reference,
        None => references.push(reference),
    }
    labels.insert(
        keys::LABEL_OWNER.to_owned(),
        owner_hash(&desired.namespace, name),
    );
    Ok(())
}

/// Value of the created-by label.
pub(crate) fn owner_hash(namespace: &str, name: &str) -> String {
    object_hash_text(&format!("{namespace}/{name}"))
}

/// An immutable Secret takes new metadata only. One that is not ours takes none at all, unless it
/// already holds what we would write: with our owner reference it would go when we go.
fn refuse_immutable(desired: &Desired, live: &Secret, secret: &Secret) -> Result<(), Failure> {
    if live.immutable != Some(true) {
        return Ok(());
    }
    let frozen = is_equal(live.data.as_ref(), secret.data.as_ref()) && live.type_ == secret.type_;
    if frozen && (is_ours(desired, live) || holds(live, desired)) {
        return Ok(());
    }
    let name = &desired.name;
    let failure = Failure::new(
        messages::TARGET_IMMUTABLE,
        Cause::IMMUTABLE,
        "secret is immutable",
    );
    Err(failure
        .with_event(|text| format!("unable to update secret {name}: {text}"))
        .with_detail(|_| {
            format!("Secret {name:?} is immutable; delete it so that it is created again")
        })
        .touching_target())
}

fn is_ours(desired: &Desired, live: &Secret) -> bool {
    let references = live.metadata.owner_references.iter().flatten();
    let mut controllers = references.filter(|held| held.controller == Some(true));
    controllers.any(|held| refers_to(held, &desired.owner_name))
        || Managed::by(&desired.manager, &live.metadata)
            .keys(Section::Data)
            .next()
            .is_some()
}

fn holds(live: &Secret, desired: &Desired) -> bool {
    let held = |key: &str| live.data.as_ref().and_then(|data| data.get(key));
    desired
        .data
        .iter()
        .all(|(key, value)| held(key).is_some_and(|held| held.0 == value.expose()))
}

/// Whether the two differ in nothing we may change; absent and empty are the same.
fn is_same(live: &Secret, secret: &Secret) -> bool {
    let (before, after) = (&live.metadata, &secret.metadata);
    is_equal(live.data.as_ref(), secret.data.as_ref())
        && is_equal(before.labels.as_ref(), after.labels.as_ref())
        && is_equal(before.annotations.as_ref(), after.annotations.as_ref())
        && is_equal(before.finalizers.as_ref(), after.finalizers.as_ref())
        && is_equal(
            before.owner_references.as_ref(),
            after.owner_references.as_ref(),
        )
        && live.type_ == secret.type_
        && live.immutable == secret.immutable
}

fn is_equal<T: PartialEq + Default>(one: Option<&T>, other: Option<&T>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one == other,
        (Some(only), None) | (None, Some(only)) => *only == T::default(),
        (None, None) => true,
    }
}
