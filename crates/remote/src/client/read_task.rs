//! Makes one shared read: waits for a slot of the store, calls the backend, reports the outcome to the
//! breaker and to the observer, and hands the answer to everyone who joined.

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_plan::store::StoreRecord;
use lockstep_provider_api::erased::perform;
use lockstep_provider_api::{Error, ErrorKind, Payload, Read, Result};
use lockstep_scheduling::single_flight::ReadId;

use super::answer::Answer;
use super::probe_read::{ProbeRead, call};
use super::{RemoteClient, fingerprint};
use crate::connections::Connected;
use crate::identity::GroupKey;

/// One shared read and everything it needs.
pub(super) struct ReadTask {
    pub(super) client: Arc<RemoteClient>,
    pub(super) key: Arc<GroupKey>,
    pub(super) id: ReadId,
    pub(super) record: Arc<StoreRecord>,
    pub(super) caller: String,
    pub(super) object: Option<String>,
}

impl ReadTask {
    /// Makes the read.
    pub(super) async fn run(self, connected: Connected) -> Arc<Answer> {
        let client = &self.client;
        let governor = client.governor(&self.record.key);
        let call = call(&self.caller, self.key.caller.as_deref(), &self.key.read);
        let probe = || self.probe_read();
        let admitted = governor.admit(call, &*client.time, probe).await;
        let read_at = client.time.now();
        client.reads.started(&self.key, self.id, read_at);
        let outcome = match admitted {
            Err(refused) => Err(refused),
            Ok(permit) => {
                let outcome = self.perform(connected).await;
                let failure = outcome.as_ref().err();
                let (store, call) = (&self.record.key, name(&self.key.read));
                client.calls.count(store, &self.caller, call, failure);
                client.finish_call(&governor, permit, failure, || self.probe_read());
                outcome.and_then(|payload| client.reads.admit(payload))
            }
        };
        let answer = self.answer(outcome, read_at);
        let mut expected = 0;
        if answer.conclusive
            && let Some(observer) = client.observer()
        {
            expected = observer.answered(&self.key, answer.fingerprint, read_at);
        }
        client.reads.hold(&self.key, self.id, expected);
        answer
    }

    fn answer(&self, outcome: Result<Payload>, read_at: Timestamp) -> Arc<Answer> {
        Arc::new(Answer {
            group: Arc::clone(&self.key),
            read_at,
            fingerprint: fingerprint::of(&outcome, &self.client.salt),
            conclusive: !outcome.as_ref().is_err_and(is_transient),
            _bytes: self.client.reads.count_bytes(&outcome),
            outcome,
        })
    }

    fn probe_read(&self) -> Arc<ProbeRead> {
        Arc::new(ProbeRead {
            record: Arc::clone(&self.record),
            caller: self.caller.clone(),
            object: self.object.clone(),
            read: self.key.read.clone(),
        })
    }

    async fn perform(&self, connected: Connected) -> Result<Payload> {
        let (read, connections) = (&self.key.read, &self.client.connections);
        match perform(&*connected.store, read).await {
            Err(error) if *error.kind() == ErrorKind::Unauthenticated => {
                // The credential may have been rotated since the connection was made: once more.
                connections.drop_one(&connected);
                let again = connections.open(&self.record, Some(&self.caller)).await?;
                if again.caller != self.key.caller {
                    // The answer would be for other callers than those who wait for this one.
                    return Err(error);
                }
                perform(&*again.store, read).await
            }
            Err(error) if error.consequence().drops_connection => {
                connections.drop_one(&connected);
                Err(error)
            }
            answer => answer,
        }
    }
}

/// Whether an error says nothing about the secret.
pub(super) fn is_transient(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Throttled | ErrorKind::Unreachable)
}

/// The name under which a read is counted.
fn name(read: &Read) -> &'static str {
    match read {
        Read::Value(_) | Read::Raw(_) => "get",
        Read::Map(_) => "get_map",
        Read::Find(_) => "find",
    }
}
