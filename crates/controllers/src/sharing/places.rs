//! How many shared reads a store may have under way: fewer than places are free, so that a slow store
//! leaves room for the others. One that is full is put off, not waited for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lockstep_plan::StoreKey;

/// Places in use by store.
#[derive(Clone, Default)]
pub(super) struct Places(Arc<Mutex<BTreeMap<StoreKey, usize>>>);

/// A place that is given back when it is dropped.
pub(super) struct Place {
    places: Places,
    store: StoreKey,
}

impl Places {
    /// One of the `free` places for a read of a store, if it may have another.
    pub(super) fn take(&self, store: &StoreKey, free: usize) -> Option<Place> {
        let mut used = self.locked();
        let own = used.get(store).copied().unwrap_or(0);
        if own >= free {
            return None;
        }
        used.insert(store.clone(), own + 1);
        drop(used);
        Some(Place {
            places: self.clone(),
            store: store.clone(),
        })
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<StoreKey, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut used = self.places.locked();
        match used.get_mut(&self.store) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                used.remove(&self.store);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep_plan::StoreKind;

    use super::*;

    fn store(name: &str) -> StoreKey {
        StoreKey {
            kind: StoreKind::ClusterSecretStore,
            namespace: None,
            name: name.to_owned(),
        }
    }

    #[test]
    fn a_store_takes_half_of_the_places_and_gives_them_back() {
        let places = Places::default();
        let mut held = Vec::new();
        let take = |held: &mut Vec<Place>, name: &str| {
            let place = places.take(&store(name), 128 - held.len());
            place.map(|place| held.push(place)).is_some()
        };

        while take(&mut held, "slow") {}
        assert_eq!(held.len(), 64);
        assert!(take(&mut held, "quick"));
        held.clear();

        assert!(take(&mut held, "slow"));
        assert_eq!(places.locked().len(), 1);
        held.clear();
        assert!(places.locked().is_empty());
    }
}
