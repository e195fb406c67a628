//! The interface through which this crate reports to its owner. Holds no state and decides nothing.

use std::collections::BTreeSet;

use jiff::Timestamp;
use lockstep_plan::StoreKey;

use crate::credentials::Credential;
use crate::identity::GroupKey;

/// Receives answers, credentials and recoveries.
pub trait RemoteObserver: Send + Sync {
    /// Handles a conclusive answer, be it an error about the secret. Returns how many objects will come
    /// for the answer.
    fn answered(&self, group: &GroupKey, fingerprint: u64, read_at: Timestamp) -> usize;

    /// Handles an attempt to connect, for the callers of one namespace or for all, with credentials from
    /// these objects.
    fn connected(&self, store: &StoreKey, caller: Option<&str>, read: &BTreeSet<Credential>);

    /// Handles a store that cannot be reached any more, or whose credentials began or ceased to be
    /// refused.
    fn troubled(&self, store: &StoreKey);

    /// Handles the recovery of a store that could not be reached.
    fn recovered(&self, store: &StoreKey);

    /// Whether an object that reads through a store is still there.
    fn is_present(&self, namespace: &str, object: &str) -> bool;
}
