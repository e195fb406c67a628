//! Credentials that were signed in for, kept until shortly before they end. Keys are fingerprints of
//! everything that can change the answer, so nobody is served another's identity; one sign-in runs
//! at a time for each.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_lock::Mutex as AsyncMutex;
use aws_credential_types::Credentials;
use aws_credential_types::provider::{
    ProvideCredentials, Result as Provided, SharedCredentialsProvider, future,
};
use lockstep_provider_api::context::Time;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

/// Most identities that are kept; those that end soonest make room.
const CAPACITY: usize = 1024;
/// Part of their life after which credentials are renewed.
const RENEW_AT: f64 = 0.8;
/// Credentials without an end are looked at again after this time: a file or variable may change.
const UNLIMITED: Duration = Duration::from_mins(5);

/// What an identity was made of, as a hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fingerprint([u8; 32]);

impl Fingerprint {
    pub(super) fn of(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.len().to_be_bytes());
            hash.update(part.as_bytes());
        }
        Self(hash.finalize().into())
    }

    /// The fingerprint of something made with this identity.
    pub(super) fn and(self, parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(Self::of(parts).0);
        Self(hash.finalize().into())
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fingerprint")
    }
}

/// Everything that is signed in to, shared by all connections.
#[derive(Default)]
pub(super) struct SignIns(Mutex<BTreeMap<Fingerprint, Slot>>);

type Slot = Arc<AsyncMutex<Option<Held>>>;

struct Held {
    credentials: Credentials,
    renew_at: SystemTime,
}

impl SignIns {
    /// The credentials of `source`, kept under a fingerprint.
    pub(super) fn keep(
        &self,
        fingerprint: Fingerprint,
        source: SharedCredentialsProvider,
        time: Arc<dyn Time>,
    ) -> Kept {
        let mut slots = self.0.lock();
        if slots.len() >= CAPACITY && !slots.contains_key(&fingerprint) {
            make_room(&mut slots);
        }
        let slot = Arc::clone(slots.entry(fingerprint).or_default());
        Kept { slot, source, time }
    }
}

/// Takes out what nobody uses; failing that, the first.
fn make_room(slots: &mut BTreeMap<Fingerprint, Slot>) {
    slots.retain(|_, slot| Arc::strong_count(slot) > 1);
    if slots.len() >= CAPACITY {
        slots.pop_first();
    }
}

/// Credentials that are signed in for when they are needed, and kept.
#[derive(Clone)]
pub(super) struct Kept {
    slot: Slot,
    source: SharedCredentialsProvider,
    time: Arc<dyn Time>,
}

impl Kept {
    pub(super) async fn forget(&self) {
        *self.slot.lock().await = None;
    }

    async fn credentials(&self) -> Provided {
        let mut held = self.slot.lock().await;
        let now = SystemTime::from(self.time.now());
        if let Some(held) = held.as_ref().filter(|held| held.renew_at > now) {
            return Ok(held.credentials.clone());
        }
        match Box::pin(self.source.provide_credentials()).await {
            Ok(credentials) => {
                let renew_at = renew_at(now, credentials.expiry());
                *held = Some(Held {
                    credentials: credentials.clone(),
                    renew_at,
                });
                Ok(credentials)
            }
            // What is still good is used while a new sign-in does not succeed.
            Err(error) => match held.as_ref().map(|held| &held.credentials) {
                Some(old) if old.expiry().is_some_and(|end| end > now) => Ok(old.clone()),
                _ => Err(error),
            },
        }
    }
}

fn renew_at(now: SystemTime, end: Option<SystemTime>) -> SystemTime {
    let life = end.and_then(|end| end.duration_since(now).ok());
    match (life, end) {
        // Not all at once where many identities were made together.
        (Some(life), _) => now + life.mul_f64(RENEW_AT - 0.1 * fastrand::f64()),
        (None, Some(_)) => now,
        (None, None) => now + UNLIMITED,
    }
}

impl ProvideCredentials for Kept {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(self.credentials())
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}
