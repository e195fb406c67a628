//! The right to make one call. Dropping it before the call ended gives the slot back without a verdict
//! about the store, and so does dropping a call that still waits.

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_provider_api::{Error, ErrorKind};
use lockstep_scheduling::governor::{Admission, Change, Ended, Ticket, Waiter};
use tokio::sync::oneshot;

use super::StoreGovernor;
use crate::client::probe_read::ProbeRead;

/// Permission to make one call.
pub(in crate::client) struct Permit<'a> {
    governor: &'a StoreGovernor,
    ticket: Option<Ticket>,
}

impl<'a> Permit<'a> {
    pub(super) fn new(governor: &'a StoreGovernor, ticket: Ticket) -> Self {
        Self {
            governor,
            ticket: Some(ticket),
        }
    }

    /// Ends the call; `read` makes it again.
    pub(in crate::client) fn done(
        self,
        failure: Option<&Error>,
        now: Timestamp,
        read: impl Fn() -> Arc<ProbeRead>,
    ) -> Change {
        if let Some(ticket) = self.ticket {
            self.governor.note_outcome(ticket.call.key, failure, &read);
        }
        self.finish(ended(failure), now, Some(&read))
    }

    /// Ends the store's own check.
    pub(in crate::client) fn done_check(self, healthy: bool, now: Timestamp) -> Change {
        let ended = if healthy {
            Ended::Answered
        } else {
            Ended::Unreachable
        };
        self.finish(ended, now, None)
    }

    fn finish(
        mut self,
        ended: Ended,
        now: Timestamp,
        read: Option<&dyn Fn() -> Arc<ProbeRead>>,
    ) -> Change {
        let ticket = self.ticket.take();
        ticket.map_or(Change::None, |ticket| {
            self.governor.finish(ticket, ended, now, read)
        })
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.governor.cancel(ticket);
        }
    }
}

/// Maps the failure of a call to what the governor has to know.
pub(in crate::client) fn ended(failure: Option<&Error>) -> Ended {
    match failure.map(|error| (error.kind(), error)) {
        Some((ErrorKind::Throttled, error)) => Ended::Throttled(error.retry_after()),
        Some((ErrorKind::Unreachable, error)) if error.is_unconnected() => Ended::Unreachable,
        Some((ErrorKind::Unreachable, _)) => Ended::Failed,
        _ => Ended::Answered,
    }
}

/// A call that waits for a slot. Dropping it takes the call out of the queue.
pub(super) struct QueuedCall<'a> {
    pub(super) governor: &'a StoreGovernor,
    pub(super) waiter: Waiter,
    pub(super) decided: oneshot::Receiver<Admission>,
}

impl Drop for QueuedCall<'_> {
    fn drop(&mut self) {
        let mut state = self.governor.state();
        if state.waiting.remove(&self.waiter).is_some() {
            state.governor.leave(self.waiter);
        }
        drop(state);
        // Admitted, but nobody took it any more.
        if let Ok(Admission::Go(ticket)) = self.decided.try_recv() {
            self.governor.cancel(ticket);
        }
    }
}

impl StoreGovernor {
    /// Gives a slot back. The governor does not look at the time of a cancelled call.
    fn cancel(&self, ticket: Ticket) {
        self.finish(ticket, Ended::Cancelled, Timestamp::MIN, None);
    }
}
