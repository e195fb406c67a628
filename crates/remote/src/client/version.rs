//! Refreshes by version tag, where that is allowed: asks for the version of a secret before its value. A
//! known version stands for the fingerprint of the value that was read after it; an unknown version and
//! a failed probe lead to a read. Holds hashes only.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lockstep_plan::StoreKey;
use lockstep_provider_api::{Read, Result};
use parking_lot::{Mutex, MutexGuard};

use super::probe_read::{ProbeRead, call};
use super::read_task::is_transient;
use super::{Answer, ReadRequest, RemoteClient};
use crate::connections::Connected;
use crate::identity::GroupKey;

#[cfg(test)]
mod tests;

/// Most groups whose version is known; beyond it, all are read again.
const MOST: usize = 65_536;

/// Versions of the groups that were looked at.
#[derive(Default)]
pub(super) struct Versions {
    allowed: AtomicBool,
    known: Mutex<BTreeMap<Arc<GroupKey>, Known>>,
}

#[derive(Clone, Copy)]
struct Known {
    version: u64,
    fingerprint: u64,
}

impl Versions {
    pub(super) fn drop_store(&self, store: &StoreKey) {
        self.known().retain(|key, _| key.identity.store != *store);
    }

    fn fingerprint(&self, group: &GroupKey, version: u64) -> Option<u64> {
        let known = self.known().get(group).copied();
        let known = known.filter(|known| known.version == version);
        known.map(|known| known.fingerprint)
    }

    fn note(&self, key: Arc<GroupKey>, known: Known) {
        let mut versions = self.known();
        if versions.len() >= MOST && !versions.contains_key(&key) {
            versions.clear();
        }
        versions.insert(key, known);
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<Arc<GroupKey>, Known>> {
        self.known.lock()
    }
}

impl RemoteClient {
    /// From now on refreshes may look at versions first.
    pub fn allow_version_probes(&self) {
        self.versions.allowed.store(true, Ordering::Relaxed);
    }

    /// Refreshes a group. `alone` says that no other read would go out with this one. Nothing is
    /// returned where the version says that the value is still the same, and the observer is notified.
    pub async fn refresh(
        self: &Arc<Self>,
        request: ReadRequest<'_>,
        group: &Arc<GroupKey>,
        alone: bool,
    ) -> Result<Option<Arc<Answer>>> {
        let version = self.version(request, group, alone).await?;
        let Some(version) = version else {
            return Ok(Some(self.read(request).await?.answer));
        };
        if let Some(fingerprint) = self.versions.fingerprint(group, version)
            && let Some(observer) = self.observer()
        {
            observer.answered(group, fingerprint, request.asked);
            return Ok(None);
        }
        // A value that was read before the look may be older than the version. Should it change after
        // the look, the next one finds another version.
        let asked = self.time.now();
        let answer = self.read(ReadRequest { asked, ..request }).await?.answer;
        if answer.error().is_none() && answer.group == *group {
            let fingerprint = answer.fingerprint;
            let known = Known {
                version,
                fingerprint,
            };
            self.versions.note(Arc::clone(group), known);
        }
        Ok(Some(answer))
    }

    /// The version of a group's secret, as a hash; `None` where only a read can tell.
    async fn version(
        self: &Arc<Self>,
        request: ReadRequest<'_>,
        group: &GroupKey,
        alone: bool,
    ) -> Result<Option<u64>> {
        let Read::Value(reference) = request.read else {
            return Ok(None);
        };
        if !self.versions.allowed.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let connected = self.connect(request).await?;
        if !is_of(&connected, group) {
            return Ok(None);
        }
        let governor = self.governor(&request.store.key);
        let call = call(request.caller, group.caller.as_deref(), &group.read);
        let probe = || ProbeRead::of(request);
        let permit = governor.admit(call, &*self.time, probe).await?;
        let version = connected.store.version(reference, alone).await;
        if matches!(version, Ok(None)) {
            // No call was made.
            return Ok(None);
        }
        let failure = version.as_ref().err();
        self.finish_call(&governor, permit, failure, || ProbeRead::of(request));
        let (store, caller) = (&request.store.key, request.caller);
        self.calls.count(store, caller, "version", failure);
        match version {
            Ok(version) => {
                let hash =
                    |version: String| self.salt.fingerprint(&[b"version", version.as_bytes()]);
                Ok(version.map(hash))
            }
            Err(error) if is_transient(&error) => Err(error),
            // The read tells what is wrong.
            Err(_) => Ok(None),
        }
    }
}

/// Whether a connection is the one that a group was read through.
fn is_of(connected: &Connected, group: &GroupKey) -> bool {
    connected.identity == group.identity && connected.caller == group.caller
}
