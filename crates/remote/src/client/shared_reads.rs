//! The single-flight reads of the process: futures that several callers share, and answers that are
//! held for a moment. Whoever waits drives the read, so a caller that is cut off does not take the
//! others down with it. Who joins which read is [`SingleFlight`]'s decision.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use jiff::Timestamp;
use lockstep_plan::{MOST_FETCHED_BYTES, StoreKey};
use lockstep_provider_api::{Error, ErrorKind, Payload, Result};
use lockstep_scheduling::single_flight::{ReadId, SingleFlight};
use parking_lot::Mutex;

use super::answer::{Answer, HeldBytes};
use super::fingerprint;
use crate::identity::GroupKey;

/// Bytes of held values above which answers go only to callers that wait.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Answers up to this size are accepted however many are in memory.
const SMALL: usize = 64 * 1024;
/// Delay after which an answer that found no memory is asked for again.
const NO_MEMORY_RETRY: Duration = Duration::from_secs(5);

type AnswerFuture = Shared<BoxFuture<'static, Arc<Answer>>>;

/// All reads under way and all answers held.
#[derive(Default)]
pub(super) struct SharedReads {
    reads: Mutex<SingleFlight<Arc<GroupKey>, AnswerFuture>>,
    bytes: Arc<AtomicUsize>,
}

impl SharedReads {
    /// Waits for the answer to the read of `key` that started at `asked` or later; `start` makes that
    /// read where there is none.
    pub(super) async fn answer(
        &self,
        key: &Arc<GroupKey>,
        (asked, now): (Timestamp, Timestamp),
        start: impl FnOnce(ReadId) -> BoxFuture<'static, Arc<Answer>>,
    ) -> Arc<Answer> {
        let joined = {
            let mut reads = self.reads.lock();
            reads.sweep_if_due(now, is_awaited);
            reads.join(key, asked, |id| start(id).shared())
        };
        let answer = joined.read.await;
        self.reads.lock().taken(key, joined.id);
        answer
    }

    /// Notes that the backend is asked now.
    pub(super) fn started(&self, key: &Arc<GroupKey>, id: ReadId, now: Timestamp) {
        self.reads.lock().started(key, id, now);
    }

    /// Holds an answer for the callers that were told to come for it, unless memory is short.
    pub(super) fn hold(&self, key: &Arc<GroupKey>, id: ReadId, expected: usize) {
        let mut reads = self.reads.lock();
        reads.answered(key, id, expected);
        if self.bytes.load(Ordering::Relaxed) > MOST_BYTES {
            reads.remove(key, id);
        }
    }

    /// Refuses an answer that no object can use, and a large one while many are in memory.
    pub(super) fn admit(&self, payload: Payload) -> Result<Payload> {
        let size = fingerprint::size_of(&payload);
        if size > MOST_FETCHED_BYTES {
            return Err(Error::invalid_data(format!(
                "the answer has {size} bytes of values and may have {MOST_FETCHED_BYTES}: ask for \
                 less, such as one property, or split the secret"
            )));
        }
        let held = self.bytes.load(Ordering::Relaxed);
        if size > SMALL && held + size > MOST_BYTES {
            let text = "too many large answers are in memory; the read is retried";
            return Err(Error::new(ErrorKind::Throttled, text).with_retry_after(NO_MEMORY_RETRY));
        }
        Ok(payload)
    }

    /// Counts the bytes of an answer as held until the answer is dropped.
    pub(super) fn count_bytes(&self, outcome: &Result<Payload>) -> HeldBytes {
        HeldBytes::new(&self.bytes, fingerprint::size(outcome))
    }

    /// Drops the reads of a store.
    pub(super) fn drop_store(&self, store: &StoreKey) {
        self.reads.lock().retain(|key| key.identity.store != *store);
    }

    /// Drops answers whose time is over, and reads that nobody waits for.
    pub(super) fn sweep(&self, now: Timestamp) {
        self.reads.lock().sweep(now, is_awaited);
    }

    /// Number of reads, and bytes of held values.
    pub(super) fn size(&self) -> (usize, usize) {
        let reads = self.reads.lock().len();
        (reads, self.bytes.load(Ordering::Relaxed))
    }
}

/// Whether a caller holds the future beside the table of reads.
fn is_awaited(read: &AnswerFuture) -> bool {
    read.strong_count() != Some(1)
}

#[cfg(test)]
mod tests;
