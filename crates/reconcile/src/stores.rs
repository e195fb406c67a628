//! Stores for a reconcile: as decisions see them and as reads need them.

use std::sync::Arc;

use lockstep_plan::store::StoreRecord;
use lockstep_plan::{StoreKey, StoreLookup};

/// The stores a reconcile may use.
pub trait Stores: StoreLookup + Send + Sync {
    /// Returns the store as it is now.
    fn record(&self, key: &StoreKey) -> Option<Arc<StoreRecord>>;
}
