//! Connects for a request: counts the attempt and tells the breaker when it fails.

use lockstep_provider_api::Result;
use lockstep_scheduling::governor::Ended;

use super::probe_read::{ProbeRead, connect_call};
use super::read_task::is_transient;
use super::store_governor::ended;
use super::{ReadRequest, RemoteClient};
use crate::connections::Connected;

impl RemoteClient {
    /// Returns an open connection for a request. While the store's breaker is closed, connecting takes
    /// no slot, so an attempt that hangs delays nobody else. While the breaker is open, the attempt is
    /// the probe; its success proves nothing, because many providers make no call to connect.
    pub(super) async fn connect(&self, request: ReadRequest<'_>) -> Result<Connected> {
        let (store, caller) = (request.store, request.caller);
        if let Some(ready) = self.connections.ready(store, caller) {
            return Ok(ready);
        }
        let governor = self.governor(&store.key);
        let call = connect_call(caller);
        if governor.is_open() {
            let admitted = governor.admit(call, &*self.time, || ProbeRead::of(request));
            let permit = admitted.await?;
            let opened = self.attempt(request).await;
            if let Err(failure) = &opened {
                self.finish_call(&governor, permit, Some(failure), || ProbeRead::of(request));
            }
            return opened;
        }
        governor.check_backoff(call, self.time.now())?;
        let opened = self.attempt(request).await;
        if let Err(failure) = &opened {
            self.note_credentials(&governor, store, Some(failure));
        }
        if let Err(failure) = &opened
            && is_transient(failure)
        {
            let ended = match ended(Some(failure)) {
                // Everybody would connect with the same credentials: it is the store that fails.
                Ended::Failed if !self.connections.depends_on_caller(store) => Ended::Unreachable,
                ended => ended,
            };
            let read = ProbeRead::of(request);
            let change = governor.failed_outside((call, ended, failure), self.time.now(), read);
            self.breaker_changed(&governor, change);
        }
        opened
    }

    async fn attempt(&self, request: ReadRequest<'_>) -> Result<Connected> {
        let (store, caller) = (request.store, request.caller);
        let opened = self.connections.open(store, Some(caller)).await;
        let failure = opened.as_ref().err();
        self.calls.count(&store.key, caller, "connect", failure);
        opened
    }
}
