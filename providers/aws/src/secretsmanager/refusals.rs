//! Rights that an identity was found not to have, believed for a while: somebody may grant them.
//! Shared by all connections of the process.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parking_lot::{Mutex, MutexGuard};

use crate::auth::Fingerprint;
use crate::call::Caller;

/// Time after which a refused right is tried again.
const BELIEVED_FOR: SignedDuration = SignedDuration::from_mins(30);

/// A right that reading gets along without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Right {
    /// `BatchGetSecretValue`.
    Batch,
    /// `DescribeSecret`.
    Describe,
}

/// Who may not do what, and until when that is believed.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<BTreeMap<(Fingerprint, Right), Timestamp>>);

impl Refusals {
    pub(super) fn of(caller: &Caller) -> Arc<Self> {
        caller.ctx.shared()
    }

    pub(super) fn knows(&self, right: Right, who: Fingerprint, now: Timestamp) -> bool {
        let known = self.known();
        known.get(&(who, right)).is_some_and(|until| *until > now)
    }

    pub(super) fn note(&self, right: Right, who: Fingerprint, now: Timestamp) {
        let mut known = self.known();
        known.retain(|_, until| *until > now);
        let until = now.checked_add(BELIEVED_FOR).unwrap_or(now);
        known.insert((who, right), until);
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<(Fingerprint, Right), Timestamp>> {
        self.0.lock()
    }
}
