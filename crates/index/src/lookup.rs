//! Answers questions of reconciles that concern several tables: the stores an object may use, and whether
//! it has to wait for the check of one of them.

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{StoreKey, StoreKind, StoreLookup, StoreView};

use crate::index::Index;
use crate::rows::Reader;

impl Index {
    /// Until when an object waits for the check of a store that may be about to turn ready or unready,
    /// so that one applied together with its store does not report a failure first, and nothing is
    /// read through a spec that turns out to be bad.
    pub fn hold(&self, user: &Reader, now: Timestamp) -> Option<Timestamp> {
        if !self.stores().any_checked() {
            return None;
        }
        let stores = match user {
            Reader::ExternalSecret(key) => self.external_secrets().stores_named(key),
            Reader::PushSecret(key) => self.push_secrets().stores_of(key),
            Reader::Store(..) => return None,
        };
        self.stores().hold(user, &stores, now)
    }
}

impl StoreLookup for Index {
    fn store(&self, key: &StoreKey) -> Option<Arc<StoreView>> {
        let stores = self.stores();
        stores.get(key).map(|record| Arc::clone(&record.view))
    }

    fn stores(&self, kind: StoreKind, namespace: &str) -> Vec<Arc<StoreView>> {
        let stores = self.stores();
        let near = stores.of_kind(kind).filter(|record| {
            let own = record.key.namespace.as_deref();
            own.is_none_or(|own| own == namespace)
        });
        near.map(|record| Arc::clone(&record.view)).collect()
    }

    fn record(&self, key: &StoreKey) -> Option<Arc<StoreRecord>> {
        self.stores().get(key)
    }
}
