//! What ExternalSecrets refer to, looked up from the other side: who reads through a store, who writes
//! a Secret. Names of stores are kept once, however many refer to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lockstep_api::ExternalSecret;
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::store_keys;

use crate::key::ObjectKey;

/// What one object refers to.
pub(super) struct Links {
    /// Stores it names.
    pub(super) stores: Box<[Arc<StoreKey>]>,
    /// Its target, where that has another name than the object.
    pub(super) target: Option<ObjectKey>,
}

/// Reverse lookups of all links.
#[derive(Default)]
pub(super) struct LinkIndex {
    by_store: BTreeMap<Arc<StoreKey>, BTreeSet<ObjectKey>>,
    /// Only targets whose name is not the ExternalSecret's own.
    by_target: BTreeMap<ObjectKey, BTreeSet<ObjectKey>>,
}

impl LinkIndex {
    /// Notes what an object refers to.
    pub(super) fn link(&mut self, key: &ObjectKey, object: &ExternalSecret) -> Links {
        let stores = store_keys(object).into_iter();
        Links {
            stores: stores.map(|store| self.link_store(key, store)).collect(),
            target: self.link_target(key, object),
        }
    }

    fn link_store(&mut self, key: &ObjectKey, store: StoreKey) -> Arc<StoreKey> {
        let known = self.by_store.get_key_value(&store);
        let store = known.map_or_else(|| Arc::new(store), |(known, _)| Arc::clone(known));
        let users = self.by_store.entry(Arc::clone(&store)).or_default();
        users.insert(key.clone());
        store
    }

    fn link_target(&mut self, key: &ObjectKey, object: &ExternalSecret) -> Option<ObjectKey> {
        let name = object.target_name();
        if name == key.name() {
            return None;
        }
        let target = ObjectKey::new(key.namespace(), name);
        let writers = self.by_target.entry(target.clone()).or_default();
        writers.insert(key.clone());
        Some(target)
    }

    /// Forgets what an object referred to.
    pub(super) fn unlink(&mut self, key: &ObjectKey, links: &Links) {
        for store in &links.stores {
            forget(&mut self.by_store, store, key);
        }
        if let Some(target) = &links.target {
            forget(&mut self.by_target, target, key);
        }
    }

    /// All stores that are named, with their users.
    pub(super) fn stores(&self) -> impl Iterator<Item = (&Arc<StoreKey>, &BTreeSet<ObjectKey>)> {
        self.by_store.iter()
    }

    /// Who reads through a store.
    pub(super) fn users(&self, store: &StoreKey) -> impl Iterator<Item = &ObjectKey> {
        self.by_store.get(store).into_iter().flatten()
    }

    /// How many read through a store.
    pub(super) fn count(&self, store: &StoreKey) -> usize {
        self.by_store.get(store).map_or(0, BTreeSet::len)
    }

    /// Who writes a Secret that is not called as they are.
    pub(super) fn writers(&self, target: &ObjectKey) -> impl Iterator<Item = &ObjectKey> {
        self.by_target.get(target).into_iter().flatten()
    }
}

fn forget<K: Ord>(index: &mut BTreeMap<K, BTreeSet<ObjectKey>>, at: &K, key: &ObjectKey) {
    if let Some(keys) = index.get_mut(at) {
        keys.remove(key);
        if keys.is_empty() {
            index.remove(at);
        }
    }
}
