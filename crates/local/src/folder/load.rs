//! Brings the state up to date with the manifests: what is new, what changed, what is gone. An
//! object that stays keeps its status; what an object that is gone owned goes with it, as a
//! cluster's garbage collector would have it. While a manifest has a fault, nothing counts as gone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::ExternalSecret;
use lockstep_api::external_secret::RefreshPolicy;
use lockstep_plan::external_secret::{store_keys, template_sources};
use lockstep_plan::{StoreKey, StoreView};
use lockstep_remote::StoreRecord;

use super::{Folder, State, Tracked, TrackedStore, is_managed, time};
use crate::manifests::Manifests;
use crate::name::Name;

/// What must run after new manifests were read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Stores to check.
    pub(crate) stores: BTreeSet<StoreKey>,
    /// ExternalSecrets to run.
    pub(crate) objects: BTreeSet<Name>,
    /// Objects that are gone.
    pub(crate) gone: BTreeSet<Name>,
}

impl Folder {
    /// Takes over manifests. Whatever a changed input feeds is refreshed, whenever it was due.
    pub(crate) fn load(&self, manifests: &Manifests, now: Timestamp) -> Changes {
        let mut state = self.state();
        let mut changes = Changes::default();
        let inputs_changed = state.load_inputs(manifests, now);
        let generators_changed = replace(
            &mut state.generators,
            &manifests.generators,
            manifests.is_complete(),
        );
        state.load_stores(manifests, inputs_changed, now, &mut changes);
        state.load_objects(manifests, now, &mut changes);
        let is_fed = |object: &ExternalSecret, changed: &BTreeSet<StoreKey>| {
            store_keys(object).iter().any(|key| changed.contains(key))
                || (inputs_changed && !template_sources(object).is_empty())
                || (generators_changed && uses_generator(object))
        };
        state.refresh(&mut changes, is_fed);
        if inputs_changed || generators_changed {
            changes
                .objects
                .extend(state.external_secrets.keys().cloned());
        }
        changes
    }
}

impl State {
    /// Secrets, ConfigMaps, namespaces and ServiceAccounts; says whether one of them changed.
    fn load_inputs(&mut self, manifests: &Manifests, now: Timestamp) -> bool {
        let complete = manifests.is_complete();
        let mut changed = replace(&mut self.config_maps, &manifests.config_maps, complete);
        changed |= replace(&mut self.namespaces, &manifests.namespaces, complete);
        changed |= replace(
            &mut self.service_accounts,
            &manifests.service_accounts,
            complete,
        );
        for (name, secret) in &manifests.secrets {
            if self.given.get(name) != Some(secret) {
                let mut secret = secret.clone();
                self.give_identity(&mut secret.metadata, name, now);
                self.secrets.insert(name.clone(), secret);
                changed = true;
            }
        }
        let gone = self.given.keys();
        let gone = gone.filter(|name| complete && !manifests.secrets.contains_key(name));
        for name in gone.cloned().collect::<Vec<_>>() {
            // One that an ExternalSecret looks after by now stays its target.
            if self
                .secrets
                .get(&name)
                .is_some_and(|secret| !is_managed(secret))
            {
                self.secrets.remove(&name);
                changed = true;
            }
        }
        replace(&mut self.given, &manifests.secrets, complete);
        changed
    }

    fn load_stores(
        &mut self,
        manifests: &Manifests,
        inputs_changed: bool,
        now: Timestamp,
        changes: &mut Changes,
    ) {
        if manifests.is_complete() {
            self.stores
                .retain(|key, _| manifests.stores.contains_key(key));
        }
        for (key, given) in &manifests.stores {
            let known = self
                .stores
                .get(key)
                .map(|tracked| Arc::clone(&tracked.record));
            let same = known.as_ref().is_some_and(|known| is_same(known, given));
            if inputs_changed || !same {
                changes.stores.insert(key.clone());
            }
            if same {
                continue;
            }
            let mut record = given.clone();
            let name = Name::new(key.namespace.as_deref().unwrap_or_default(), &*key.name);
            self.give_identity(&mut record.metadata, &name, now);
            record.metadata.generation = Some(known.map_or(1, |known| known.view.generation + 1));
            record.view = Arc::new(StoreView::of(record.object()));
            let tracked = TrackedStore {
                record: Arc::new(record),
                cause: None,
                is_foreign: false,
            };
            self.stores.insert(key.clone(), tracked);
        }
    }

    fn load_objects(&mut self, manifests: &Manifests, now: Timestamp, changes: &mut Changes) {
        let gone = self.external_secrets.keys();
        let gone = gone.filter(|name| !manifests.external_secrets.contains_key(name));
        changes.gone = gone.filter(|_| manifests.is_complete()).cloned().collect();
        for name in &changes.gone {
            if let Some(tracked) = self.external_secrets.remove(name) {
                self.collect_garbage(&tracked.object);
            }
        }
        for (name, given) in &manifests.external_secrets {
            let mut object = given.clone();
            let known = self.external_secrets.remove(name);
            if let Some(known) = &known {
                take_over(&mut object, &known.object);
            } else {
                self.give_identity(&mut object.metadata, name, now);
                object.metadata.generation = Some(1);
            }
            if known.as_ref().is_none_or(|known| known.object != object) {
                changes.objects.insert(name.clone());
            }
            let tracked = Tracked {
                object,
                ..known.unwrap_or_default()
            };
            self.external_secrets.insert(name.clone(), tracked);
        }
    }

    /// Makes objects due that something changed feeds. Only those that refresh by time: the others
    /// asked to be left alone.
    fn refresh(
        &mut self,
        changes: &mut Changes,
        is_fed: impl Fn(&ExternalSecret, &BTreeSet<StoreKey>) -> bool,
    ) {
        for (name, tracked) in &mut self.external_secrets {
            if !is_fed(&tracked.object, &changes.stores) {
                continue;
            }
            changes.objects.insert(name.clone());
            if *tracked.object.spec.refresh_policy() == RefreshPolicy::Periodic
                && let Some(status) = &mut tracked.object.status
            {
                status.refresh_time = None;
            }
        }
    }

    fn collect_garbage(&mut self, owner: &ExternalSecret) {
        let uid = owner.metadata.uid.as_deref().unwrap_or_default();
        self.secrets.retain(|_, secret| {
            let owners = secret.metadata.owner_references.iter().flatten();
            !owners.into_iter().any(|reference| reference.uid == uid)
        });
    }

    /// What an API server gives a new object.
    fn give_identity(&mut self, metadata: &mut ObjectMeta, name: &Name, now: Timestamp) {
        let version = self.next_version();
        metadata.uid = Some(format!("local-{version}-{}", name.name));
        metadata.resource_version = Some(version);
        metadata.creation_timestamp.get_or_insert(time(now));
    }
}

/// Takes the new entries, and drops what is not among them if they are all there are. Says whether
/// anything changed.
fn replace<K: Clone + Ord, V: Clone + PartialEq>(
    held: &mut BTreeMap<K, V>,
    given: &BTreeMap<K, V>,
    complete: bool,
) -> bool {
    let mut new = if complete {
        BTreeMap::new()
    } else {
        held.clone()
    };
    new.extend(
        given
            .iter()
            .map(|(key, value)| (key.clone(), value.clone())),
    );
    let changed = *held != new;
    *held = new;
    changed
}

fn uses_generator(object: &ExternalSecret) -> bool {
    let entries = object.spec.data_from.iter();
    let mut sources = entries.filter_map(|entry| entry.source_ref.as_deref());
    sources.any(|source| source.generator_ref.is_some())
}

fn is_same(known: &StoreRecord, given: &StoreRecord) -> bool {
    known.spec == given.spec
        && known.metadata.labels == given.metadata.labels
        && known.metadata.annotations == given.metadata.annotations
}

/// Gives an edited object the identity and status it had.
fn take_over(object: &mut ExternalSecret, known: &ExternalSecret) {
    let generation = known.metadata.generation.unwrap_or_default();
    let edited = i64::from(object.spec != known.spec);
    object.metadata.generation = Some(generation + edited);
    object.metadata.uid.clone_from(&known.metadata.uid);
    object
        .metadata
        .resource_version
        .clone_from(&known.metadata.resource_version);
    object
        .metadata
        .creation_timestamp
        .clone_from(&known.metadata.creation_timestamp);
    object
        .metadata
        .finalizers
        .clone_from(&known.metadata.finalizers);
    object.status.clone_from(&known.status);
}

#[cfg(test)]
mod tests;
