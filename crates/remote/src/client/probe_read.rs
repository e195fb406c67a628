//! A read that can be made again to find out whether a store answers, and the numbers by which a
//! store's governor knows calls.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use lockstep_plan::external_secret::Read;
use lockstep_plan::store::StoreRecord;
use lockstep_scheduling::governor::Call;

use super::ReadRequest;

/// A read to probe a store with.
pub(super) struct ProbeRead {
    pub(super) record: Arc<StoreRecord>,
    pub(super) caller: String,
    /// Name of the object that wants it; `None` where no object is known to.
    pub(super) object: Option<String>,
    pub(super) read: Read,
}

impl ProbeRead {
    pub(super) fn of(request: ReadRequest<'_>) -> Arc<Self> {
        Arc::new(Self {
            record: Arc::clone(request.store),
            caller: request.caller.to_owned(),
            object: request.object.map(str::to_owned),
            read: request.read.clone(),
        })
    }

    /// Identifies the object that wants it.
    pub(super) fn owner(&self) -> u64 {
        hash(&(&self.caller, &self.object))
    }
}

/// The call that makes `read` for an object of `namespace`. `credentials` names the namespace whose
/// credentials are used, where that is not the store's own.
pub(super) fn call(namespace: &str, credentials: Option<&str>, read: &Read) -> Call {
    Call {
        namespace: hash(namespace),
        key: hash(&(credentials, read)),
    }
}

/// The call that connects for a namespace.
pub(super) fn connect_call(namespace: &str) -> Call {
    Call {
        namespace: hash(namespace),
        key: hash(&("connect", namespace)),
    }
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
