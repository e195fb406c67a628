//! Values pushed to fake stores. They belong to the process, by namespace and name of the store,
//! because a push and a later read come over different connections. Nothing is kept for a store
//! without a value. Values are limited for each store and for all of them together, because a
//! manifest alone makes a store.

use std::collections::BTreeMap;

use lockstep_provider_api::context::StoreName;
use lockstep_provider_api::prelude::*;
use parking_lot::{Mutex, MutexGuard};

/// Most values of one store.
const MAX_VALUES: usize = 1_000;
/// Most bytes of one store, keys included.
const MAX_BYTES: usize = 2 << 20;
/// Most bytes of all stores, keys included.
const MAX_ALL_BYTES: usize = 16 << 20;

/// Namespace, nothing for a cluster store, and name.
type Place = (Option<String>, String);
type Values = BTreeMap<String, SecretValue>;

/// Pushed values of one store.
#[derive(Clone)]
pub(crate) struct PushedValues(Place);

#[derive(Default)]
struct Stores {
    by_place: BTreeMap<Place, Values>,
    bytes: usize,
}

static STORES: Mutex<Stores> = Mutex::new(Stores {
    by_place: BTreeMap::new(),
    bytes: 0,
});

impl PushedValues {
    /// The values pushed to this store.
    pub(crate) fn of(store: &StoreName) -> Self {
        Self((store.namespace.clone(), store.name.clone()))
    }

    pub(crate) fn get(&self, key: &str) -> Option<SecretValue> {
        self.stores().by_place.get(&self.0)?.get(key).cloned()
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn remove(&self, key: &str) {
        let mut stores = self.stores();
        let Some(values) = stores.by_place.get_mut(&self.0) else {
            return;
        };
        let freed = values.remove(key).map_or(0, |value| size(key, &value));
        if values.is_empty() {
            stores.by_place.remove(&self.0);
        }
        stores.bytes = stores.bytes.saturating_sub(freed);
    }

    /// Stores a value and tells what that changed.
    pub(crate) fn put(&self, key: &str, value: SecretValue) -> Result<Pushed> {
        let mut stores = self.stores();
        let held = stores.by_place.get(&self.0);
        let old = held.and_then(|values| values.get(key));
        if old == Some(&value) {
            return Ok(Pushed::Unchanged);
        }
        let (freed, added) = (old.map_or(0, |old| size(key, old)), size(key, &value));
        let done = if old.is_some() {
            Pushed::Updated
        } else {
            Pushed::Created
        };
        let count = held.map_or(0, BTreeMap::len);
        if done == Pushed::Created && count >= MAX_VALUES {
            return Err(full(&format!("{MAX_VALUES} values")));
        }
        let own: usize = held.into_iter().flatten().map(|(k, v)| size(k, v)).sum();
        if own - freed + added > MAX_BYTES {
            return Err(full(&format!("{MAX_BYTES} bytes")));
        }
        let all = stores.bytes.saturating_sub(freed) + added;
        if all > MAX_ALL_BYTES {
            return Err(full(&format!("{MAX_ALL_BYTES} bytes with all others")));
        }
        stores.bytes = all;
        let values = stores.by_place.entry(self.0.clone()).or_default();
        values.insert(key.to_owned(), value);
        Ok(done)
    }

    /// A copy of all keys and values.
    pub(crate) fn all(&self) -> BTreeMap<String, SecretValue> {
        let stores = self.stores();
        stores.by_place.get(&self.0).cloned().unwrap_or_default()
    }

    #[expect(
        clippy::unused_self,
        reason = "values are only reached through a store"
    )]
    fn stores(&self) -> MutexGuard<'static, Stores> {
        STORES.lock()
    }
}

fn size(key: &str, value: &SecretValue) -> usize {
    key.len() + value.expose().len()
}

fn full(limit: &str) -> Error {
    Error::invalid_spec(format!(
        "a fake store holds at most {limit} of pushed data; delete some or use another provider"
    ))
}
