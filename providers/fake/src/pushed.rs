//! Values pushed to fake stores. They belong to the process, by name of the store, because a push
//! and a later read come over different connections; upstream shares them across namespaces too.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lockstep_provider::prelude::*;

/// Pushed values of all stores of one name.
#[derive(Clone, Default)]
pub(crate) struct PushedValues(Arc<Mutex<BTreeMap<String, SecretValue>>>);

static STORES: Mutex<BTreeMap<String, PushedValues>> = Mutex::new(BTreeMap::new());

impl PushedValues {
    /// The values pushed to stores of this name.
    pub(crate) fn of(store: &str) -> Self {
        let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
        stores.entry(store.to_owned()).or_default().clone()
    }

    pub(crate) fn get(&self, key: &str) -> Option<SecretValue> {
        self.values().get(key).cloned()
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.values().contains_key(key)
    }

    pub(crate) fn remove(&self, key: &str) {
        self.values().remove(key);
    }

    /// Stores a value and tells what that changed.
    pub(crate) fn put(&self, key: &str, value: SecretValue) -> Pushed {
        let mut values = self.values();
        match values.insert(key.to_owned(), value.clone()) {
            None => Pushed::Created,
            Some(old) if old == value => Pushed::Unchanged,
            Some(_) => Pushed::Updated,
        }
    }

    /// A copy of all keys and values.
    pub(crate) fn all(&self) -> BTreeMap<String, SecretValue> {
        self.values().clone()
    }

    fn values(&self) -> MutexGuard<'_, BTreeMap<String, SecretValue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
