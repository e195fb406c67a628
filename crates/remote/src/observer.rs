//! The interface through which this crate reports to its owner. Holds no state and decides nothing.

use std::collections::BTreeSet;

use jiff::Timestamp;
use lockstep_plan::StoreKey;

use crate::credentials::Credential;
use crate::identity::GroupKey;

/// Who is told of answers and outages.
pub trait RemoteObserver: Send + Sync {
    /// A read was answered, be it with an error that says something about the secret. Returns how
    /// many will come for the answer.
    fn answered(&self, group: &GroupKey, fingerprint: u64, read_at: Timestamp) -> usize;

    /// A connection was tried, for the callers of one namespace or for all, with credentials from
    /// these objects.
    fn connected(&self, store: &StoreKey, caller: Option<&str>, read: &BTreeSet<Credential>);

    /// A store cannot be reached any more, or its credentials began or ceased to be refused.
    fn troubled(&self, store: &StoreKey);

    /// A store that could not be reached answers again.
    fn recovered(&self, store: &StoreKey);

    /// Whether an object that reads through a store is still there.
    fn is_present(&self, namespace: &str, object: &str) -> bool;
}
