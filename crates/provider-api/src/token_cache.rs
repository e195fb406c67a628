//! Access tokens of backends, kept until shortly before they end and requested by one caller at a
//! time. Keys are hashes of everything that can change the answer, so that nobody is served
//! another's identity. A failed request is the answer for all who waited for it.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_lock::Mutex as AsyncMutex;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use crate::context::Time;
use crate::error::{Error, ErrorKind, Result};
use crate::value::SecretValue;

#[cfg(test)]
mod tests;

/// Most identities that are kept.
const CAPACITY: usize = 4096;
/// Part of its life, in percent, after which a token is renewed; up to ten less, by identity.
const RENEW_AT: i64 = 80;
/// A token that ends sooner than this is not handed out: it may end under way.
const MARGIN: SignedDuration = SignedDuration::from_secs(30);
/// How long a failed renewal is not repeated while the old token still works.
const PAUSE: SignedDuration = SignedDuration::from_secs(10);
/// How long a refusal is believed: a thousand objects of a store must not ask a thousand times.
const REFUSED: SignedDuration = SignedDuration::from_secs(3);

/// What an identity was made of, as a hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The hash of parts in order. Begin with the provider's name and the kind of identity.
    pub fn of<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            let part = part.as_ref();
            hash.update(part.len().to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The hash itself, for a fingerprint over others.
    pub fn to_bytes(self) -> [u8; 32] {
        self.0
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fingerprint")
    }
}

/// A token with its end.
#[derive(Clone, Debug)]
pub struct AccessToken {
    /// The token itself.
    pub value: SecretValue,
    /// When the backend stops taking it.
    pub expires: Timestamp,
}

impl AccessToken {
    /// A token that lives for some seconds from now, as token endpoints tell it.
    pub fn lasting(value: SecretValue, seconds: u64, now: Timestamp) -> Self {
        let life = Duration::from_secs(seconds.min(366 * 86_400));
        let expires = now.checked_add(life).unwrap_or(Timestamp::MAX);
        Self { value, expires }
    }
}

/// Tokens by identity. Take the one that all connections share from `ctx.shared()`.
#[derive(Default)]
pub struct TokenCache(Mutex<BTreeMap<Fingerprint, Arc<Slot>>>);

#[derive(Default)]
struct Slot {
    held: Mutex<Option<Held>>,
    /// Requests that ended; tells those who waited for one from those who came later.
    ended: AtomicU64,
    /// Held while a token is requested; what came of the last request, if it failed.
    flight: AsyncMutex<Option<Failure>>,
}

#[derive(Clone)]
struct Held {
    token: AccessToken,
    renew_at: Timestamp,
}

struct Failure {
    error: Error,
    until: Timestamp,
}

impl TokenCache {
    /// The token of an identity; `fetch` requests one where none is kept or it ends soon.
    pub async fn get<F, Fut>(
        &self,
        key: Fingerprint,
        time: &dyn Time,
        fetch: F,
    ) -> Result<SecretValue>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<AccessToken>>,
    {
        let slot = self.slot(key);
        let seen = slot.ended.load(Ordering::Acquire);
        let held = slot.usable(time.now());
        if let Some(held) = &held
            && (held.renew_at > time.now() || slot.flight.try_lock().is_none())
        {
            return Ok(held.token.value.clone());
        }
        let mut flight = slot.flight.lock().await;
        let now = time.now();
        let held = slot.usable(now);
        if let Some(held) = &held
            && held.renew_at > now
        {
            return Ok(held.token.value.clone());
        }
        if let Some(failure) = &*flight {
            let shared = slot.ended.load(Ordering::Acquire) > seen;
            if shared || failure.until > now {
                return old_or(held, failure.error.duplicate());
            }
        }
        let fetched = fetch().await;
        slot.ended.fetch_add(1, Ordering::AcqRel);
        match fetched {
            Ok(token) => {
                *flight = None;
                let renew_at = renew_at(key, &token, now);
                let value = token.value.clone();
                *slot.held.lock() = Some(Held { token, renew_at });
                Ok(value)
            }
            Err(error) => {
                *flight = Some(Failure {
                    error: error.duplicate(),
                    until: silent_until(&error, held.is_some(), time.now()),
                });
                old_or(held, error)
            }
        }
    }

    /// Drops a token that the backend refused. A newer one stays.
    pub fn forget(&self, key: Fingerprint, refused: &SecretValue) {
        let slot = self.slot(key);
        let mut held = slot.held.lock();
        if held
            .as_ref()
            .is_some_and(|held| held.token.value == *refused)
        {
            *held = None;
        }
    }

    fn slot(&self, key: Fingerprint) -> Arc<Slot> {
        let mut slots = self.0.lock();
        if slots.len() >= CAPACITY && !slots.contains_key(&key) {
            make_room(&mut slots);
        }
        Arc::clone(slots.entry(key).or_default())
    }
}

impl fmt::Debug for TokenCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenCache")
    }
}

impl Slot {
    fn usable(&self, now: Timestamp) -> Option<Held> {
        let held = self.held.lock().clone();
        held.filter(|held| held.token.expires.duration_since(now) > MARGIN)
    }
}

/// What still works is used while a new token does not come.
fn old_or(held: Option<Held>, error: Error) -> Result<SecretValue> {
    held.map(|held| held.token.value).ok_or(error)
}

fn silent_until(error: &Error, has_old: bool, now: Timestamp) -> Timestamp {
    let pause = match error.kind() {
        _ if has_old => PAUSE,
        ErrorKind::Unauthenticated | ErrorKind::Denied => REFUSED,
        _ => SignedDuration::ZERO,
    };
    now.saturating_add(pause).unwrap_or(now)
}

/// Identities that signed in together do not renew together.
fn renew_at(key: Fingerprint, token: &AccessToken, now: Timestamp) -> Timestamp {
    let life = token.expires.duration_since(now);
    let percent = RENEW_AT - i64::from(key.0[0] % 11);
    let seconds = life.as_secs().max(0) * percent / 100;
    now.saturating_add(SignedDuration::from_secs(seconds))
        .unwrap_or(now)
}

/// Takes out what nobody uses and what has ended; failing that, the first.
fn make_room(slots: &mut BTreeMap<Fingerprint, Arc<Slot>>) {
    slots.retain(|_, slot| Arc::strong_count(slot) > 1 || slot.held.lock().is_some());
    if slots.len() >= CAPACITY {
        let soonest = slots.iter().min_by_key(|(_, slot)| {
            let held = slot.held.lock();
            held.as_ref().map(|held| held.token.expires)
        });
        if let Some(key) = soonest.map(|(key, _)| *key) {
            slots.remove(&key);
        }
    }
}
