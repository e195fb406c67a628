//! Which read it is, with everything that can change its answer.

use std::sync::Arc;

use lockstep_plan::external_secret::Read;

use crate::connections::Identity;

/// One read through one identity. Two objects share an answer only if their keys are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKey {
    /// The store as it was when it was connected to.
    pub identity: Arc<Identity>,
    /// The namespace whose credentials were used, where they depend on the caller.
    pub caller: Option<Arc<str>>,
    /// What is read: the whole that parts are taken out of, where the store can do that.
    pub read: Read,
}
