//! The connections of one store: one for all its users, or one a calling namespace, and how long each
//! of them lasts. Opens nothing itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lockstep_provider::{Error, SharedStore};

use super::{Connected, Identity};

/// Longest life of a connection: a rotated credential is picked up after this time at the latest.
const LIFETIME: Duration = Duration::from_mins(1);
/// How long a connection that has ended is held: what is made in its place takes over its sockets.
const LINGERS: SignedDuration = SignedDuration::from_secs(90);
/// Part of a credential's life after which it is renewed.
const RENEW_AT: f64 = 0.8;
/// Most namespaces with a connection of their own to one store; the one that ends first makes room.
pub(super) const MOST_CALLERS: usize = 1_024;

/// Connections of one store: one for all, or one a calling namespace.
pub(super) struct Slot {
    identity: Arc<Identity>,
    shared: Option<Open>,
    by_caller: BTreeMap<Arc<str>, Open>,
    /// When the last attempt for a caller failed, and why.
    failed: Option<(Option<String>, Timestamp, Error)>,
}

/// One connection and its end.
#[derive(Clone)]
pub(super) struct Open {
    pub(super) connected: Connected,
    ends: Timestamp,
}

impl Open {
    /// Whether it may still be used. More time left than any connection gets is a clock that was
    /// set back.
    fn lasts(&self, now: Timestamp) -> bool {
        let left = Duration::try_from(self.ends.duration_since(now)).unwrap_or_default();
        !left.is_zero() && left <= LIFETIME
    }

    /// Whether it lasts, or ended a moment ago.
    fn lingers(&self, now: Timestamp) -> bool {
        self.lasts(now) || (SignedDuration::ZERO..LINGERS).contains(&now.duration_since(self.ends))
    }
}

impl Slot {
    pub(super) fn of(identity: &Identity) -> Self {
        Self {
            identity: Arc::new(identity.clone()),
            shared: None,
            by_caller: BTreeMap::new(),
            failed: None,
        }
    }

    /// A fresh connection, for one namespace or for all.
    pub(super) fn opened(&self, store: SharedStore, whose: Option<&str>, now: Timestamp) -> Open {
        Open {
            ends: ends(now, &store),
            connected: Connected {
                store,
                caller: whose.map(Arc::from),
                identity: Arc::clone(&self.identity),
            },
        }
    }

    /// Keeps a connection for those it is for.
    pub(super) fn keep(&mut self, open: Open) {
        let Some(caller) = open.connected.caller.clone() else {
            self.shared = Some(open);
            return;
        };
        if self.by_caller.len() >= MOST_CALLERS && !self.by_caller.contains_key(&caller) {
            let ends = self.by_caller.iter().map(|(key, open)| (open.ends, key));
            if let Some(first) = ends.min().map(|(_, key)| Arc::clone(key)) {
                self.by_caller.remove(&first);
            }
        }
        self.by_caller.insert(caller, open);
    }

    /// The connection for a caller, if there is one that lasts.
    pub(super) fn usable(&self, caller: Option<&str>, now: Timestamp) -> Option<Connected> {
        let own = caller.and_then(|caller| self.by_caller.get(caller));
        let own = own.filter(|open| open.lasts(now));
        let open = own
            .or(self.shared.as_ref())
            .filter(|open| open.lasts(now))?;
        Some(open.connected.clone())
    }

    /// Drops what has long ended; returns whether anything is left.
    pub(super) fn sweep(&mut self, now: Timestamp) -> bool {
        self.by_caller.retain(|_, open| open.lingers(now));
        self.shared = self.shared.take().filter(|open| open.lingers(now));
        self.shared.is_some() || !self.by_caller.is_empty()
    }

    /// When its last connection ends; without any, the earliest time there is.
    pub(super) fn ends(&self) -> Timestamp {
        let all = self.shared.iter().chain(self.by_caller.values());
        all.map(|open| open.ends).max().unwrap_or(Timestamp::MIN)
    }

    /// Notes a failed attempt for those who wait for it.
    pub(super) fn note_failure(&mut self, caller: Option<&str>, ended: Timestamp, error: &Error) {
        self.failed = Some((caller.map(str::to_owned), ended, error.duplicate()));
    }

    /// The failure of an attempt for the same caller that ended after `asked`.
    pub(super) fn failure_since(&self, caller: Option<&str>, asked: Timestamp) -> Option<Error> {
        let (whose, ended, error) = self.failed.as_ref()?;
        (whose.as_deref() == caller && *ended > asked).then(|| error.duplicate())
    }
}

fn ends(now: Timestamp, store: &SharedStore) -> Timestamp {
    let renewed = store.renew_after().map(|life| life.mul_f64(RENEW_AT));
    let life = renewed.map_or(LIFETIME, |life| life.min(LIFETIME));
    let life = SignedDuration::try_from(life).unwrap_or(SignedDuration::from_secs(60));
    now.checked_add(life).unwrap_or(now)
}
