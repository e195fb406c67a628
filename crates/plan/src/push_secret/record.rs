//! The record of pushed secrets, kept in the status so that they can be deleted later. An entry
//! leaves it only when its deletion succeeded, or when it was never ours.

use std::collections::BTreeSet;

use lockstep_api::PushSecret;
use lockstep_api::push_secret::{PushConversion, PushData, SyncedPushSecrets};
use lockstep_provider_api::PushTarget;
use serde_json::Value;

use super::names::{namespace, store_of, store_word, target};
use crate::store::StoreKey;

/// One pushed secret of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its store, as the record names it.
    pub word: String,
    /// Its name in the record.
    pub id: String,
    /// Its store; `None` where the record names none that there could be.
    pub store: Option<StoreKey>,
    /// Its place in the store.
    pub target: PushTarget,
}

impl Recorded {
    /// Puts the object's entry back into a record, because it is still there.
    pub fn keep_in(&self, record: &mut SyncedPushSecrets, object: &PushSecret) {
        let status = object.status.as_ref();
        let entries = status.and_then(|status| status.synced_push_secrets.get(&self.word));
        if let Some(entry) = entries.and_then(|entries| entries.get(&self.id)) {
            let own = record.entry(self.word.clone()).or_default();
            own.insert(self.id.clone(), entry.clone());
        }
    }
}

/// The record of an object.
pub(super) fn of(object: &PushSecret) -> SyncedPushSecrets {
    let status = object.status.as_ref();
    status
        .map(|status| status.synced_push_secrets.clone())
        .unwrap_or_default()
}

/// What the object's record holds and `kept` does not, in order: these are to be deleted. An entry
/// that now goes to another namespace is one of them, under the name of the new one.
pub fn obsolete(object: &PushSecret, kept: &SyncedPushSecrets) -> Vec<Recorded> {
    let mut obsolete = Vec::new();
    for (word, entries) in of(object) {
        let still = kept.get(&word);
        for (id, entry) in entries {
            let new = still.and_then(|still| still.get(&id));
            if new.is_none_or(|new| remote_namespace(new) != remote_namespace(&entry)) {
                obsolete.push(Recorded {
                    store: store_of(&word, namespace(object)),
                    target: target(&entry),
                    word: word.clone(),
                    id,
                });
            }
        }
    }
    obsolete
}

/// The namespace that an entry's metadata sends it to. It is part of the place, but not of the name in
/// the record, which upstream reads too.
fn remote_namespace(entry: &PushData) -> Option<&str> {
    let spec = entry.metadata.as_ref()?.get("spec")?;
    let namespace = spec.get("remoteNamespace")?.as_str();
    namespace.filter(|namespace| !namespace.is_empty())
}

/// The entry as the record is to hold it: the recorded one where both say the same. The API server
/// fills defaults in below the status and not, or differently, below the spec, and a record that
/// differs by defaults alone would be written at every refresh.
pub(super) fn settled(recorded: Option<&PushData>, pushed: PushData) -> PushData {
    let same = |recorded: &&PushData| says_the_same(recorded, &pushed);
    recorded.filter(same).cloned().unwrap_or(pushed)
}

fn says_the_same(one: &PushData, other: &PushData) -> bool {
    fn given(text: Option<&String>) -> Option<&String> {
        text.filter(|text| !text.is_empty())
    }
    fn conversion(entry: &PushData) -> &PushConversion {
        let written = entry.conversion_strategy.as_ref();
        written.unwrap_or(&PushConversion::None)
    }
    fn metadata(entry: &PushData) -> Option<&Value> {
        entry.metadata.as_ref().filter(|value| !value.is_null())
    }
    let (place, other_place) = (&one.match_.remote_ref, &other.match_.remote_ref);
    given(one.match_.secret_key.as_ref()) == given(other.match_.secret_key.as_ref())
        && place.remote_key == other_place.remote_key
        && given(place.property.as_ref()) == given(other_place.property.as_ref())
        && conversion(one) == conversion(other)
        && metadata(one) == metadata(other)
}

/// The part of the object's record that is about these stores.
pub(super) fn about(object: &PushSecret, stores: &BTreeSet<StoreKey>) -> SyncedPushSecrets {
    let words: BTreeSet<String> = stores.iter().map(store_word).collect();
    let mut record = of(object);
    record.retain(|word, _| words.contains(word));
    record
}

/// Adds the entries of `old` that `record` lacks.
pub(super) fn keep_old(record: &mut SyncedPushSecrets, old: SyncedPushSecrets) {
    for (word, entries) in old {
        let own = record.entry(word).or_default();
        for (id, entry) in entries {
            own.entry(id).or_insert(entry);
        }
    }
}
