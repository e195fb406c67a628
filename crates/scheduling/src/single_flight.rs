//! Single-flight reads: decides whether a caller joins a read that is under way or held, or starts a
//! new one, and how long an answer is held. An answer counts for every caller that asked before its
//! read started, so nobody gets a value from before its own trigger. Holds handles to reads, makes no
//! read and looks at no answer.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

#[cfg(test)]
mod tests;

/// How long an answer is held for callers that asked before its read started.
pub const HOLD: SignedDuration = SignedDuration::from_secs(5);
/// How long an answer is held while announced callers have not taken it.
pub const LONGEST_HOLD: SignedDuration = SignedDuration::from_secs(60);
/// Reads held above which a sweep drops every answer.
pub const CAPACITY: usize = 65_536;
/// Shortest time between two sweeps that [`SingleFlight::sweep_if_due`] makes.
const SWEEP_INTERVAL: SignedDuration = SignedDuration::from_secs(1);

/// Identifies one read among all reads of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadId(u64);

/// The read that a caller takes its answer from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined<R> {
    /// Its id.
    pub id: ReadId,
    /// Its handle.
    pub read: R,
    /// Whether this caller started it.
    pub is_new: bool,
}

/// The reads under way and the answers held, at most one by key.
#[derive(Clone, Debug)]
pub struct SingleFlight<K, R> {
    reads: BTreeMap<K, SharedRead<R>>,
    next_id: u64,
    swept: Option<Timestamp>,
}

#[derive(Clone, Debug)]
struct SharedRead<R> {
    id: ReadId,
    handle: R,
    state: ReadState,
}

#[derive(Clone, Copy, Debug)]
enum ReadState {
    /// Waits for a slot.
    Queued,
    /// The backend was asked at this time.
    Started(Timestamp),
    /// The answer is held; this many announced callers have not taken it yet.
    Answered { started: Timestamp, expected: usize },
}

impl ReadState {
    fn started(self) -> Option<Timestamp> {
        match self {
            Self::Queued => None,
            Self::Started(started) | Self::Answered { started, .. } => Some(started),
        }
    }
}

impl<K, R> Default for SingleFlight<K, R> {
    fn default() -> Self {
        Self {
            reads: BTreeMap::new(),
            next_id: 0,
            swept: None,
        }
    }
}

impl<K: Ord + Clone, R: Clone> SingleFlight<K, R> {
    /// Joins the read of `key` that started at `asked` or later, or has not started yet. Otherwise
    /// calls `start` and holds the new read in place of the old one.
    pub fn join(
        &mut self,
        key: &K,
        asked: Timestamp,
        start: impl FnOnce(ReadId) -> R,
    ) -> Joined<R> {
        if let Some(known) = self.reads.get(key)
            && known.state.started().is_none_or(|started| started >= asked)
        {
            return Joined {
                id: known.id,
                read: known.handle.clone(),
                is_new: false,
            };
        }
        let id = ReadId(self.next_id);
        self.next_id += 1;
        let read = start(id);
        let shared = SharedRead {
            id,
            handle: read.clone(),
            state: ReadState::Queued,
        };
        self.reads.insert(key.clone(), shared);
        Joined {
            id,
            read,
            is_new: true,
        }
    }

    /// Returns the handle of a read, if it is still the read of its key.
    pub fn handle(&self, key: &K, id: ReadId) -> Option<&R> {
        let read = self.reads.get(key).filter(|read| read.id == id);
        read.map(|read| &read.handle)
    }

    /// Notes that the backend is asked now: callers that ask later start a new read.
    pub fn started(&mut self, key: &K, id: ReadId, now: Timestamp) {
        if let Some(read) = self.find(key, id) {
            read.state = ReadState::Started(now);
        }
    }

    /// Holds the answer of a read; `expected` callers were told to come for it.
    pub fn answered(&mut self, key: &K, id: ReadId, expected: usize) {
        if let Some(read) = self.find(key, id)
            && let Some(started) = read.state.started()
        {
            read.state = ReadState::Answered { started, expected };
        }
    }

    /// Counts one caller that took the answer.
    pub fn taken(&mut self, key: &K, id: ReadId) {
        if let Some(read) = self.find(key, id)
            && let ReadState::Answered { expected, .. } = &mut read.state
        {
            *expected = expected.saturating_sub(1);
        }
    }

    /// Drops a read. Callers that joined it keep their handles.
    pub fn remove(&mut self, key: &K, id: ReadId) {
        if self.find(key, id).is_some() {
            self.reads.remove(key);
        }
    }

    /// Keeps only the reads whose key `keep` picks.
    pub fn retain(&mut self, keep: impl Fn(&K) -> bool) {
        self.reads.retain(|key, _| keep(key));
    }

    /// Sweeps if the last sweep is a second ago, or if too many reads are held.
    pub fn sweep_if_due(&mut self, now: Timestamp, is_awaited: impl Fn(&R) -> bool) {
        let recent = self.swept.is_some_and(|swept| {
            let since = now.duration_since(swept);
            (SignedDuration::ZERO..SWEEP_INTERVAL).contains(&since)
        });
        if !recent || self.reads.len() >= CAPACITY {
            self.sweep(now, is_awaited);
        }
    }

    /// Drops answers whose time is over, and reads without an answer that nobody awaits.
    pub fn sweep(&mut self, now: Timestamp, is_awaited: impl Fn(&R) -> bool) {
        self.swept = Some(now);
        let full = self.reads.len() >= CAPACITY;
        self.reads.retain(|_, read| match read.state {
            ReadState::Answered { started, expected } => !full && is_held(started, expected, now),
            ReadState::Queued | ReadState::Started(_) => is_awaited(&read.handle),
        });
    }

    /// Number of reads under way or held.
    pub fn len(&self) -> usize {
        self.reads.len()
    }

    /// Whether no read is under way or held.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty()
    }

    fn find(&mut self, key: &K, id: ReadId) -> Option<&mut SharedRead<R>> {
        self.reads.get_mut(key).filter(|read| read.id == id)
    }
}

fn is_held(started: Timestamp, expected: usize, now: Timestamp) -> bool {
    let age = now.duration_since(started);
    // An answer from the future means that the clock was set back.
    let within = |limit: SignedDuration| (SignedDuration::ZERO..limit).contains(&age);
    within(HOLD) || expected > 0 && within(LONGEST_HOLD)
}
