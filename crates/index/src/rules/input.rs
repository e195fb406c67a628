//! Objects that others read from: a change requeues those who read from them. Secrets count twice,
//! because PushSecrets may also read them by labels.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_plan::StoreKey;

use crate::index::Index;
use crate::inputs_of;
use crate::key::ObjectKey;
use crate::rows::{InputKey, InputKind, ListState, Reader};
use crate::seen::Seen;
use crate::wake::{Wake, Wakes};

impl Index {
    /// Requeues those who read from an object of this kind that changed. Secrets with the operator's label
    /// are not among those shown here.
    pub fn input_kind_seen(
        &self,
        kind: &InputKind,
        seen: Seen<ObjectMeta>,
        now: Timestamp,
    ) -> Wakes {
        match seen {
            Seen::ListBegins => {
                self.inputs().begin_list(kind);
                Wakes::default()
            }
            Seen::Applied(metadata) => {
                let state = self.inputs().list_state(kind);
                self.input_seen(kind, &metadata, state, now)
            }
            Seen::Deleted(metadata) => self.input_gone(kind, &ObjectKey::of(&metadata), now),
            Seen::ListEnds => {
                let readers = self.inputs().end_list(kind);
                self.readers_woken(readers, now)
            }
        }
    }

    /// Takes the metadata of an object that may be an input.
    pub(super) fn input_seen(
        &self,
        kind: &InputKind,
        metadata: &ObjectMeta,
        state: ListState,
        now: Timestamp,
    ) -> Wakes {
        let input = inputs_of::of_metadata(kind, metadata);
        let readers = self.inputs().saw(&input, &version_of(metadata), state);
        let mut wakes = self.readers_woken(readers, now);
        if *kind == InputKind::Secret && state == ListState::Complete {
            let none = BTreeMap::new();
            let labels = metadata.labels.as_ref().unwrap_or(&none);
            wakes.extend(self.labelled_secret_changed(&input.name, Some(labels)));
        }
        wakes
    }

    /// Notes that an object is gone that may be an input.
    pub(super) fn input_gone(&self, kind: &InputKind, name: &ObjectKey, now: Timestamp) -> Wakes {
        let input = InputKey {
            kind: kind.clone(),
            name: name.clone(),
        };
        let readers = self.inputs().saw(&input, "", ListState::Complete);
        let mut wakes = self.readers_woken(readers, now);
        if *kind == InputKind::Secret {
            wakes.extend(self.labelled_secret_changed(name, None));
        }
        wakes
    }

    /// Sets what an object reads from, in place of what it was, and asks for the watches that takes.
    pub(super) fn inputs_named(&self, reader: &Reader, inputs: BTreeSet<InputKey>) -> Wakes {
        let mut kinds: BTreeSet<InputKind> =
            inputs.iter().map(|input| input.kind.clone()).collect();
        if matches!(reader, Reader::PushSecret(_)) && self.push_secrets().has_selectors() {
            kinds.insert(InputKind::Secret);
        }
        let mut rows = self.inputs();
        rows.set(reader, inputs);
        watches(rows.not_watched(kinds))
    }

    /// Notes the metadata of the Secret that a PushSecret just read.
    pub fn source_read(&self, metadata: &ObjectMeta) {
        let input = inputs_of::of_metadata(&InputKind::Secret, metadata);
        self.inputs().read_first(&input, &version_of(metadata));
    }

    /// Notes what a connection to a store took its credentials from, for the callers of one namespace
    /// or for all.
    pub fn store_connected(
        &self,
        store: &StoreKey,
        caller: Option<&str>,
        credentials: Vec<InputKey>,
    ) -> Wakes {
        let reader = Reader::Store(store.clone(), caller.map(Into::into));
        let kinds = credentials.iter().map(|input| input.kind.clone()).collect();
        let mut rows = self.inputs();
        for input in credentials {
            rows.add(&reader, input);
        }
        let kinds = rows.not_watched(kinds);
        drop(rows);
        if let Some(caller) = caller {
            // The last object of the namespace may have gone while the connection was made.
            self.object_gone(caller);
        }
        watches(kinds)
    }

    fn readers_woken(&self, readers: Vec<Reader>, now: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        for reader in readers {
            wakes.extend(match reader {
                Reader::ExternalSecret(key) => self.inputs_changed(vec![key], now),
                Reader::PushSecret(key) => self.push_input_changed(key),
                Reader::Store(store, caller) => {
                    self.credential_changed(store, caller.as_deref(), now)
                }
            });
        }
        wakes
    }
}

fn watches(kinds: Vec<InputKind>) -> Wakes {
    kinds.into_iter().map(Wake::WatchInput).collect()
}

/// A version tag that changes whenever what is read from the object does.
fn version_of(metadata: &ObjectMeta) -> String {
    let generation = metadata.generation.map(|generation| generation.to_string());
    // Of a generator only the spec matters; other kinds have no generation.
    let version = generation
        .as_deref()
        .or(metadata.resource_version.as_deref())
        .unwrap_or_default();
    let uid = metadata.uid.as_deref().unwrap_or_default();
    format!("{uid}/{version}")
}
