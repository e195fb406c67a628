//! What the mirror keeps of a managed Secret: enough to see that it is untouched and as wished,
//! and not one value. Rows are made while a watch event is decoded.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::keys;
use lockstep_golang::fmt::data_hash;

use super::managed_fields::{Managed, Section};
use super::{Owner, Salt, TargetDelete};

/// Prefix of the field managers of all ExternalSecrets.
const MANAGER_PREFIX: &str = "externalsecrets.external-secrets.io/";

/// One managed Secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetRow {
    /// Name.
    pub name: Box<str>,
    /// Unique id.
    pub uid: Box<str>,
    /// Version seen.
    pub resource_version: Box<str>,
    /// Hash of the real data.
    pub data_hash: Box<str>,
    /// The created-by label; the mirror looks rows up by it and shares the text.
    pub created_by: Option<Arc<str>>,
    /// Its controller.
    pub controller: Option<Owner>,
    /// Whether the data-hash annotation is the hash of the data.
    untouched: bool,
    /// Whether it is immutable.
    pub immutable: bool,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// Type of the Secret.
    pub secret_type: Option<Box<str>>,
    /// Fingerprints of data, labels, annotations and finalizers, sorted.
    pub(super) facts: Box<[u64]>,
    /// What ExternalSecrets own in it.
    pub(super) owned: Box<[OwnedKeys]>,
}

/// Fingerprints of the keys one field manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OwnedKeys {
    pub(super) manager: u64,
    pub(super) keys: Box<[u64]>,
}

/// A Secret in pieces, as a streaming decoder hands it over.
#[derive(Clone, Copy, Debug)]
pub struct RowParts<'a> {
    /// Metadata, managed fields included.
    pub metadata: &'a ObjectMeta,
    /// Type of the Secret.
    pub secret_type: Option<&'a str>,
    /// Whether it is immutable.
    pub immutable: bool,
}

impl TargetRow {
    /// The row of a whole Secret.
    pub fn of(secret: &Secret, salt: &Salt) -> Self {
        let parts = RowParts {
            metadata: &secret.metadata,
            secret_type: secret.type_.as_deref(),
            immutable: secret.immutable == Some(true),
        };
        let data = secret.data.iter().flatten();
        let data = data.map(|(key, value)| (key.as_str(), value.0.as_slice()));
        Self::from_parts(parts, data, salt)
    }

    /// The row of a Secret in pieces; data may come in any order and is not kept.
    pub fn from_parts<'a>(
        parts: RowParts<'_>,
        data: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        salt: &Salt,
    ) -> Self {
        let metadata = parts.metadata;
        let data: BTreeMap<&str, &[u8]> = data.into_iter().collect();
        let boxed = |text: &Option<String>| text.as_deref().unwrap_or_default().into();
        let hash = data_hash(data.iter().map(|(key, value)| (*key, *value)));
        let annotation = lookup(metadata.annotations.as_ref(), keys::ANNOTATION_DATA_HASH);
        Self {
            name: boxed(&metadata.name),
            uid: boxed(&metadata.uid),
            resource_version: boxed(&metadata.resource_version),
            untouched: annotation == Some(hash.as_str()),
            data_hash: hash.into(),
            created_by: lookup(metadata.labels.as_ref(), keys::LABEL_OWNER).map(Into::into),
            controller: Owner::of(metadata),
            immutable: parts.immutable,
            deleting: metadata.deletion_timestamp.is_some(),
            secret_type: parts.secret_type.map(Into::into),
            facts: facts(metadata, &data, salt),
            owned: owned(metadata, salt),
        }
    }

    /// Whether the data is what was last written: the annotation matches it.
    pub fn is_untouched(&self) -> bool {
        self.untouched
    }

    /// Whether it is another row of the same Secret, in what a refresh would look at.
    pub fn differs(&self, other: &Self) -> bool {
        self.facts != other.facts
            || self.controller != other.controller
            || self.secret_type != other.secret_type
    }

    /// Whether the ExternalSecret with this unique id controls it.
    pub fn is_controlled_by(&self, uid: &str) -> bool {
        !uid.is_empty()
            && self
                .controller
                .as_ref()
                .is_some_and(|owner| &*owner.uid == uid)
    }

    /// Its deletion, valid for exactly the version seen.
    pub fn deletion(&self) -> TargetDelete {
        TargetDelete {
            name: self.name.to_string(),
            uid: self.uid.to_string(),
            resource_version: self.resource_version.to_string(),
        }
    }
}

/// Fingerprint of a key and its value.
pub(super) fn fact(salt: &Salt, section: Section, key: &str, value: &[u8]) -> u64 {
    salt.fingerprint(&[&[section.tag()], key.as_bytes(), value])
}

/// Fingerprint of a key alone.
pub(super) fn owned_key(salt: &Salt, section: Section, key: &str) -> u64 {
    salt.fingerprint(&[&[section.tag()], key.as_bytes()])
}

/// Fingerprint of a field manager.
pub(super) fn manager_id(salt: &Salt, manager: &str) -> u64 {
    salt.fingerprint(&[manager.as_bytes()])
}

fn lookup<'a>(map: Option<&'a BTreeMap<String, String>>, key: &str) -> Option<&'a str> {
    map?.get(key).map(String::as_str)
}

fn facts(metadata: &ObjectMeta, data: &BTreeMap<&str, &[u8]>, salt: &Salt) -> Box<[u64]> {
    let mut facts = Vec::new();
    for (key, value) in data {
        facts.push(fact(salt, Section::Data, key, value));
    }
    for (key, value) in metadata.labels.iter().flatten() {
        facts.push(fact(salt, Section::Label, key, value.as_bytes()));
    }
    for (key, value) in metadata.annotations.iter().flatten() {
        facts.push(fact(salt, Section::Annotation, key, value.as_bytes()));
    }
    for finalizer in metadata.finalizers.iter().flatten() {
        facts.push(fact(salt, Section::Finalizer, finalizer, b""));
    }
    facts.sort_unstable();
    facts.into()
}

fn owned(metadata: &ObjectMeta, salt: &Salt) -> Box<[OwnedKeys]> {
    let entries = metadata.managed_fields.iter().flatten();
    let managers = entries.filter_map(|entry| entry.manager.as_deref());
    let mut managers: Vec<&str> = managers
        .filter(|manager| manager.starts_with(MANAGER_PREFIX))
        .collect();
    managers.sort_unstable();
    managers.dedup();
    let rows = managers.into_iter().map(|manager| {
        let managed = Managed::by(manager, metadata);
        let keys = managed
            .iter()
            .map(|(section, key)| owned_key(salt, section, key));
        OwnedKeys {
            manager: manager_id(salt, manager),
            keys: keys.collect(),
        }
    });
    rows.collect()
}
