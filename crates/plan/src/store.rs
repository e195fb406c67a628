//! Decisions about SecretStores and ClusterSecretStores: what to check, what the condition says
//! after a check, and who may use a store. Checking itself is the shell's.

mod access;
mod admit;
mod blocked;
mod decide;
mod finalizer;
mod object;
mod record;
mod report;
mod view;

pub use crate::store_key::{StoreKey, StoreKind, UnsupportedKind};
pub use access::{Access, Denied};
pub(crate) use admit::{Refusal, admit, admit_push, allow, not_found};
pub use blocked::block_deletion;
pub(crate) use decide::no_provider;
pub use decide::{StoreDecision, StoreFailure, decide, interval};
pub use finalizer::{StoreObserved, finalizer_patch, has_finalizer, is_released, settle_finalizer};
pub use object::StoreObject;
pub use record::StoreRecord;
pub use report::{CheckOutcome, StorePlan, report};
pub use view::{StoreLookup, StoreView};

#[cfg(test)]
mod tests;
