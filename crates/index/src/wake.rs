//! What follows from an event: objects to requeue, watches to start, reads to drop. Plain values, so
//! that every rule is a unit test; the controllers carry them out.

use jiff::{SignedDuration, Timestamp};
use lockstep_plan::StoreKey;

use crate::key::ObjectKey;
use crate::rows::InputKind;

/// An object that has a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Queued {
    /// An ExternalSecret.
    ExternalSecret(ObjectKey),
    /// A PushSecret.
    PushSecret(ObjectKey),
    /// A store of either kind.
    Store(StoreKey),
    /// A ClusterExternalSecret, by name.
    ClusterExternalSecret(String),
    /// A ClusterPushSecret, by name.
    ClusterPushSecret(String),
    /// A GeneratorState.
    GeneratorState(ObjectKey),
}

/// Why an object is requeued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// The object itself changed.
    Changed,
    /// A template source, a generator, a pushed Secret or a shared read changed.
    InputChanged,
    /// Somebody else changed or deleted the target.
    TargetChanged,
    /// A store became ready, or its check ended.
    StoreReady,
    /// The spec of a store changed.
    StoreChanged,
    /// A credential of a store changed.
    CredentialChanged,
    /// A store cannot be reached, or refuses its credentials.
    StoreTroubled,
    /// A store that could not be reached answers again.
    StoreRecovered,
    /// The labels of a namespace changed.
    NamespaceChanged,
    /// What PushSecrets need of a store changed.
    FinalizerChanged,
    /// A child of a ClusterExternalSecret changed, or a namespace it is to be in.
    ChildChanged,
}

/// When an object is requeued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// In front of what is due.
    Now,
    /// Among what is due, at this time.
    At(Timestamp),
}

/// One object to requeue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requeue {
    /// The object.
    pub object: Queued,
    /// When it runs.
    pub when: When,
    /// Whether its earlier failures no longer count.
    pub reset_backoff: bool,
    /// Why it runs.
    pub trigger: Trigger,
}

/// One thing that follows from an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Requeues an object.
    Requeue(Requeue),
    /// Takes a deleted object out of its queue and drops what is kept for it.
    Forget(Queued),
    /// Starts the watch of a kind of inputs; said once a kind.
    WatchInput(InputKind),
    /// Takes an object out of its shared reads, and requeues it if it took part in any.
    LeaveSharedReads(ObjectKey),
    /// Drops connections, answers and shared reads that were made through an old spec.
    DropReads(StoreKey),
    /// Connects to a store again, with its new credentials.
    Reconnect(StoreKey),
}

/// All that follows from an event, in the order in which it is to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Wakes(Vec<Wake>);

impl Wakes {
    /// Whether nothing follows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn push(&mut self, wake: Wake) {
        self.0.push(wake);
    }

    /// Requeues in front of what is due.
    pub(crate) fn now(&mut self, object: Queued, trigger: Trigger) {
        self.requeue(object, When::Now, trigger, Backoff::Kept);
    }

    /// Requeues in front of what is due, without the backoff of earlier failures.
    pub(crate) fn retry(&mut self, object: Queued, trigger: Trigger) {
        self.requeue(object, When::Now, trigger, Backoff::Reset);
    }

    /// Requeues among what is due.
    pub(crate) fn at(&mut self, object: Queued, at: Timestamp, trigger: Trigger) {
        self.requeue(object, When::At(at), trigger, Backoff::Kept);
    }

    /// Requeues among what is due, without the backoff of earlier failures.
    pub(crate) fn retry_at(&mut self, object: Queued, at: Timestamp, trigger: Trigger) {
        self.requeue(object, When::At(at), trigger, Backoff::Reset);
    }

    fn requeue(&mut self, object: Queued, when: When, trigger: Trigger, backoff: Backoff) {
        self.0.push(Wake::Requeue(Requeue {
            object,
            when,
            reset_backoff: backoff == Backoff::Reset,
            trigger,
        }));
    }
}

/// What becomes of the backoff of earlier failures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Backoff {
    Kept,
    Reset,
}

/// Times from `now` on, one `step` apart, so that users of one store do not flood it.
pub(crate) fn spread(now: Timestamp, step: SignedDuration) -> impl Iterator<Item = Timestamp> {
    std::iter::successors(Some(now), move |at| {
        Some(at.saturating_add(step).unwrap_or(*at))
    })
}

impl Extend<Wake> for Wakes {
    fn extend<T: IntoIterator<Item = Wake>>(&mut self, wakes: T) {
        self.0.extend(wakes);
    }
}

impl IntoIterator for Wakes {
    type Item = Wake;
    type IntoIter = std::vec::IntoIter<Wake>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<Wake> for Wakes {
    fn from_iter<T: IntoIterator<Item = Wake>>(wakes: T) -> Self {
        Self(wakes.into_iter().collect())
    }
}
