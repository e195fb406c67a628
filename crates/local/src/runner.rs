//! Checks stores and runs ExternalSecrets through the engine, several at a time. What they end with
//! is kept in the folder's state; when they run next is handed back.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use jiff::{SignedDuration, Timestamp};
use lockstep_plan::external_secret::decide;
use lockstep_plan::store::{CheckOutcome, report};
use lockstep_plan::{NextRun, Settings, StoreKey, StoreLookup};
use lockstep_provider_api::{Check, Services};
use lockstep_reconcile::Planning;
use lockstep_reconcile::external_secret::Reconciler;
use lockstep_remote::{Connections, RemoteClient};
use lockstep_runtime::backoff;
use lockstep_runtime::supervise::{self, supervise};

use super::folder::Folder;
use super::name::Name;

/// Stores checked, and objects run, at once.
const AT_ONCE: usize = 8;
/// Longest time one check or run may take.
const DEADLINE: Duration = Duration::from_mins(2);
/// Runs of an object whose write met another write.
const TRIES: u32 = 3;

/// Runs things over one folder.
pub(crate) struct Runner {
    folder: Arc<Folder>,
    reads: Arc<RemoteClient>,
    services: Arc<Services>,
    settings: Settings,
    planning: Planning,
}

/// When something runs again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// At a time.
    At(Timestamp),
    /// With a delay that grows with each failure in a row.
    Backoff,
    /// When something changes.
    OnChange,
}

impl Runner {
    pub(crate) fn new(folder: Arc<Folder>, services: Arc<Services>, settings: Settings) -> Self {
        let connections = Connections::new(Arc::clone(&services));
        let reads = RemoteClient::new(connections, settings.salt);
        Self {
            folder,
            reads,
            services,
            settings,
            planning: Planning::default(),
        }
    }

    /// The present moment.
    pub(crate) fn now(&self) -> Timestamp {
        self.services.time.now()
    }

    /// Waits until a moment, an hour at most.
    pub(crate) async fn sleep_until(&self, at: Timestamp) {
        let wait = Duration::try_from(at.duration_since(self.now())).unwrap_or_default();
        self.services
            .time
            .sleep(wait.min(Duration::from_hours(1)))
            .await;
    }

    /// Checks stores and says when each wants to be checked again.
    pub(crate) async fn check_stores(
        &self,
        keys: impl IntoIterator<Item = StoreKey>,
    ) -> Vec<(StoreKey, Again)> {
        let checks = keys.into_iter().map(|key| async move {
            let again = self.check_store(&key).await;
            (key, again)
        });
        stream::iter(checks)
            .buffer_unordered(AT_ONCE)
            .collect()
            .await
    }

    async fn check_store(&self, key: &StoreKey) -> Again {
        let Some(record) = self.folder.record(key) else {
            return Again::OnChange;
        };
        let check =
            lockstep_reconcile::store::check(&record, self.reads.connections(), &self.settings);
        let outcome = match supervise(DEADLINE, check).await {
            supervise::Outcome::Done(Some(outcome)) => outcome,
            supervise::Outcome::Done(None) => {
                self.folder.note_foreign_store(key);
                return Again::OnChange;
            }
            supervise::Outcome::Panicked(_) | supervise::Outcome::TimedOut => {
                CheckOutcome::NotConnected(cut_off())
            }
        };
        let cause = cause(&outcome);
        let now = self.now();
        let plan = report(record.object(), outcome, &self.settings, now);
        self.folder.note_check(key, plan.status, cause);
        when(plan.next, now)
    }

    /// Runs objects and says when each wants to run again.
    pub(crate) async fn run_objects(
        &self,
        names: impl IntoIterator<Item = Name>,
    ) -> Vec<(Name, Again)> {
        let runs = names.into_iter().map(|name| async move {
            let again = self.run_object(&name).await;
            (name, again)
        });
        stream::iter(runs).buffer_unordered(AT_ONCE).collect().await
    }

    async fn run_object(&self, name: &Name) -> Again {
        let mut again = Again::Backoff;
        for _ in 0..TRIES {
            let now = self.now();
            let Some(observed) = self.folder.observe(name, &self.settings.salt, now) else {
                return Again::OnChange;
            };
            let reconciler = Reconciler {
                world: &*self.folder,
                remote: &self.reads,
                settings: &self.settings,
                planning: &self.planning,
            };
            let verdict = decide(&observed, &self.settings, now);
            let run = reconciler.reconcile(observed, verdict, now);
            let outcome = match supervise(DEADLINE, Box::pin(run)).await {
                supervise::Outcome::Done(ended) => self.folder.conclude(name, ended.report),
                supervise::Outcome::Panicked(_) | supervise::Outcome::TimedOut => {
                    self.folder.note_cut_off(name, now);
                    return Again::Backoff;
                }
            };
            self.folder.note_run(name, outcome.failure.as_ref());
            again = when(outcome.next, now);
            // Without a failure, a delay means that another write came first.
            if outcome.failure.is_some() || again != Again::Backoff {
                break;
            }
        }
        again
    }
}

fn when(next: NextRun, now: Timestamp) -> Again {
    match next {
        NextRun::At(at) => Again::At(at),
        NextRun::After(delay) => Again::At(later(now, delay)),
        NextRun::Backoff | NextRun::BackoffWithin(_) | NextRun::Breaker => Again::Backoff,
        NextRun::OnChange => Again::OnChange,
    }
}

/// The moment `delay` after `now`.
pub(crate) fn later(now: Timestamp, delay: Duration) -> Timestamp {
    let delay = SignedDuration::try_from(delay).unwrap_or(SignedDuration::MAX);
    now.checked_add(delay).unwrap_or(Timestamp::MAX)
}

/// The delay after this many failures in a row.
pub(crate) fn delay(failures: u32) -> Duration {
    backoff::delay(failures, fastrand::f64())
}

/// Word for what is wrong with a store.
fn cause(outcome: &CheckOutcome) -> Option<&'static str> {
    match outcome {
        CheckOutcome::Refused(failure) => Some(failure.cause.as_str()),
        CheckOutcome::UnknownProvider { .. } => Some("UnknownProvider"),
        CheckOutcome::NotInBuild { .. } => Some("NotInBuild"),
        CheckOutcome::NotConnected(error)
        | CheckOutcome::Troubled { error, .. }
        | CheckOutcome::Checked {
            check: Check::Failed(error),
            ..
        } => Some(error.consequence().cause),
        CheckOutcome::Checked { .. } => None,
    }
}

fn cut_off() -> lockstep_provider_api::Error {
    let text = format!(
        "the check was cut off after {} s or by a fault",
        DEADLINE.as_secs()
    );
    lockstep_provider_api::Error::unreachable(text)
}
