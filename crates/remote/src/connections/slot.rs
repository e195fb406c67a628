//! One connection of one store, for one namespace or for all callers: who may connect now, how long the
//! connection lasts, and how the last attempt failed. Opens nothing itself.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lockstep_provider_api::{Error, SharedStore};
use parking_lot::{Mutex, MutexGuard};

use super::Connected;

/// Longest life of a connection: a rotated credential is picked up after this time at the latest.
const LIFETIME: Duration = Duration::from_mins(1);
/// How long a connection that has ended is held: what is made in its place takes over its sockets.
const LINGERS: SignedDuration = SignedDuration::from_secs(90);
/// Part of a credential's life after which it is renewed.
const RENEW_AT: f64 = 0.8;

/// The place of one connection.
#[derive(Default)]
pub(super) struct Slot {
    /// Held by whoever connects.
    pub(super) attempt: Arc<tokio::sync::Mutex<()>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Option<Open>,
    /// For whom the last attempt failed, when, and why.
    failed: Option<(Option<String>, Timestamp, Error)>,
}

/// One connection and its end.
#[derive(Clone)]
struct Open {
    connected: Connected,
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
    /// Keeps a connection that was opened now.
    pub(super) fn keep(&self, connected: Connected, now: Timestamp) {
        let ends = ends(now, &connected.store);
        self.state().open = Some(Open { connected, ends });
    }

    /// The connection, if there is one that lasts.
    pub(super) fn usable(&self, now: Timestamp) -> Option<Connected> {
        let state = self.state();
        let open = state.open.as_ref().filter(|open| open.lasts(now))?;
        Some(open.connected.clone())
    }

    /// Drops what has long ended; returns whether anything is left.
    pub(super) fn sweep(&self, now: Timestamp) -> bool {
        let mut state = self.state();
        state.open = state.open.take().filter(|open| open.lingers(now));
        state.open.is_some()
    }

    /// Drops the connection, if it is this one.
    pub(super) fn drop_one(&self, connected: &Connected) {
        let same = |open: &mut Open| Arc::ptr_eq(&open.connected.store, &connected.store);
        self.state().open.take_if(same);
    }

    /// Drops the connection.
    pub(super) fn clear(&self) {
        self.state().open = None;
    }

    /// When the connection ends; without any, the earliest time there is.
    pub(super) fn ends(&self) -> Timestamp {
        let state = self.state();
        state.open.as_ref().map_or(Timestamp::MIN, |open| open.ends)
    }

    /// Notes a failed attempt for those who wait for it.
    pub(super) fn note_failure(&self, caller: Option<&str>, ended: Timestamp, error: &Error) {
        self.state().failed = Some((caller.map(str::to_owned), ended, error.duplicate()));
    }

    /// The failure of an attempt for the same caller that ended after `asked`.
    pub(super) fn failure_since(&self, caller: Option<&str>, asked: Timestamp) -> Option<Error> {
        let state = self.state();
        let (whose, ended, error) = state.failed.as_ref()?;
        (whose.as_deref() == caller && *ended > asked).then(|| error.duplicate())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

fn ends(now: Timestamp, store: &SharedStore) -> Timestamp {
    let renewed = store.renew_after().map(|life| life.mul_f64(RENEW_AT));
    let life = renewed.map_or(LIFETIME, |life| life.min(LIFETIME));
    let life = SignedDuration::try_from(life).unwrap_or(SignedDuration::from_secs(60));
    now.checked_add(life).unwrap_or(now)
}
