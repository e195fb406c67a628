//! Whether a mirrored Secret already is what it should be, judged from its row alone. A `true`
//! saves a read and a write; it must therefore hold whenever [`super::mutate()`] would change
//! nothing, and never otherwise.

use lockstep_api::{ExternalSecret, keys};
use lockstep_golang::fmt::data_hash;

use super::managed_fields::Section;
use super::mutate::owner_hash;
use super::row::{fact, manager_id, owned_key};
use super::{Desired, Owner, Salt, TargetRow};

impl TargetRow {
    /// Whether writing `desired` would change nothing.
    pub fn is_in_sync(&self, desired: &Desired, salt: &Salt) -> bool {
        self.is_untouched()
            && self.owner_fits(desired)
            && (!desired.immutable || self.immutable)
            && self.has(
                salt,
                Section::Label,
                keys::LABEL_MANAGED,
                keys::LABEL_MANAGED_VALUE,
            )
            && (desired.immutable || self.content_fits(desired, salt))
    }

    /// Whether it has no data.
    pub(crate) fn is_empty(&self) -> bool {
        let nothing = data_hash(std::iter::empty::<(&str, &[u8])>());
        *self.data_hash == *nothing
    }

    fn owner_fits(&self, desired: &Desired) -> bool {
        let name = desired.owner_name.as_str();
        if !desired.write.owns() {
            let controls = |owner: &Owner| owner.is_external_secret();
            return self.created_by.is_none() && !self.controller.as_ref().is_some_and(controls);
        }
        let label = owner_hash(&desired.namespace, name);
        self.created_by.as_deref() == Some(label.as_str())
            && self.controller.as_ref().is_some_and(|owner| {
                &*owner.api_version == ExternalSecret::API_VERSION
                    && &*owner.kind == ExternalSecret::KIND
                    && &*owner.name == name
                    && *owner.uid == *desired.owner_uid
                    && owner.blocks_deletion
            })
    }

    fn content_fits(&self, desired: &Desired, salt: &Salt) -> bool {
        let labels = desired.labels.iter();
        let annotations = desired.annotations.iter();
        self.data_fits(desired, salt)
            && desired
                .secret_type
                .as_deref()
                .is_none_or(|wanted| self.secret_type.as_deref() == Some(wanted))
            && labels
                .into_iter()
                .all(|(key, value)| self.has(salt, Section::Label, key, value))
            && annotations
                .into_iter()
                .all(|(key, value)| self.has(salt, Section::Annotation, key, value))
            && (self.deleting
                || desired
                    .finalizers
                    .iter()
                    .all(|finalizer| self.has(salt, Section::Finalizer, finalizer, "")))
            && !self.has_stale_keys(desired, salt)
    }

    fn data_fits(&self, desired: &Desired, salt: &Salt) -> bool {
        if desired.write.keeps_foreign_keys() {
            let mut data = desired.data.iter();
            return data
                .all(|(key, value)| self.has_fact(fact(salt, Section::Data, key, value.expose())));
        }
        let hash = data_hash(
            desired
                .data
                .iter()
                .map(|(key, value)| (key, value.expose())),
        );
        *self.data_hash == *hash
    }

    /// Whether we own a key we no longer write.
    pub(crate) fn has_stale_keys(&self, desired: &Desired, salt: &Salt) -> bool {
        let manager = manager_id(salt, &desired.manager);
        let owned = self.owned.iter().filter(|row| row.manager == manager);
        let mut owned = owned.flat_map(|row| row.keys.iter()).peekable();
        if owned.peek().is_none() {
            return false;
        }
        let mut written = vec![
            owned_key(salt, Section::Label, keys::LABEL_MANAGED),
            owned_key(salt, Section::Annotation, keys::ANNOTATION_DATA_HASH),
        ];
        if desired.write.owns() {
            written.push(owned_key(salt, Section::Label, keys::LABEL_OWNER));
        }
        written.extend(
            desired
                .labels
                .keys()
                .map(|key| owned_key(salt, Section::Label, key)),
        );
        let annotations = desired.annotations.keys();
        written.extend(annotations.map(|key| owned_key(salt, Section::Annotation, key)));
        written.extend(
            desired
                .data
                .keys()
                .map(|key| owned_key(salt, Section::Data, key)),
        );
        owned.any(|key| !written.contains(key))
    }

    fn has(&self, salt: &Salt, section: Section, key: &str, value: &str) -> bool {
        self.has_fact(fact(salt, section, key, value.as_bytes()))
    }

    fn has_fact(&self, fact: u64) -> bool {
        self.facts.binary_search(&fact).is_ok()
    }
}
