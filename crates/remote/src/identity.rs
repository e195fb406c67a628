//! Identity of a store as it was connected to, and of a shared read: everything that can change its
//! answer.

use std::sync::Arc;

use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::Read;
use lockstep_plan::store::StoreRecord;

/// A store as it was when it was connected to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoreIdentity {
    /// The store.
    pub store: StoreKey,
    /// Its unique id: a store made again under the same name is another one.
    pub uid: String,
    /// Generation of its spec.
    pub generation: i64,
}

impl StoreIdentity {
    /// The identity of a store as it is now.
    pub fn of(store: &StoreRecord) -> Self {
        Self {
            store: store.key.clone(),
            uid: store.view.uid.clone(),
            generation: store.view.generation,
        }
    }
}

/// One read through one identity. Two objects share an answer only if their keys are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKey {
    /// The store as it was when it was connected to.
    pub identity: Arc<StoreIdentity>,
    /// The namespace whose credentials were used, where they depend on the caller.
    pub caller: Option<Arc<str>>,
    /// What is read: the whole that parts are taken out of, where the store can do that.
    pub read: Read,
}
