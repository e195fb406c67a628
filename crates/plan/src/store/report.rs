//! What a check of a store leaves behind: its Ready condition, capabilities and events. An event is
//! recorded for every failure, and for a success only when the condition changed: a healthy store
//! is silent.

use std::time::Duration;

use jiff::Timestamp;
use lockstep_api::conditions::Condition;
use lockstep_api::store::StoreCapabilities;
use lockstep_api::{SecretStoreStatus, keys, messages, reasons};
use lockstep_provider_api::error::Retry;
use lockstep_provider_api::{Access, Capabilities, Check, Error, ErrorKind, Stability};

use super::{StoreFailure, StoreObject};
use crate::cause::Cause;
use crate::conditions::{ready, set};
use crate::event::EventNote;
use crate::failure::{Failure, describe};
use crate::next_run::NextRun;
use crate::settings::Settings;

/// Longest time between two checks of a store that cannot be reached: those who wait for it are to
/// hear of its return as soon as from a probe.
const LONGEST_OUTAGE: Duration = Duration::from_secs(30);

/// How the check of a store ended.
#[derive(Debug)]
pub enum CheckOutcome {
    /// Its own spec is at fault.
    Refused(StoreFailure),
    /// No such provider exists.
    UnknownProvider {
        /// Key under `spec.provider`.
        provider: String,
    },
    /// The provider exists but is not part of this build.
    NotInBuild {
        /// Names the provider, and those that are part of it.
        text: String,
    },
    /// No connection could be made.
    NotConnected(Error),
    /// Its settings are fine, and the calls through it fail: its backend cannot be reached, or
    /// refuses its credentials.
    Troubled {
        /// What the calls failed with.
        error: Error,
        /// Time until the next check.
        interval: Duration,
    },
    /// The provider was asked.
    Checked {
        /// Its answer.
        check: Check,
        /// What the store can do.
        capabilities: Capabilities,
        /// How well the provider is maintained.
        stability: Stability,
        /// Time until the next check.
        interval: Duration,
        /// Why admission would refuse a selector's namespace.
        foreign_namespace: Option<String>,
    },
}

impl CheckOutcome {
    /// The same, where the calls through the store say more than a check that found no fault.
    pub fn with_trouble(self, trouble: Option<Error>) -> Self {
        match (self, trouble) {
            (
                Self::Checked {
                    check: Check::Healthy(_) | Check::Undetermined(_),
                    interval,
                    ..
                },
                Some(error),
            ) => Self::Troubled { error, interval },
            (outcome, _) => outcome,
        }
    }
}

/// What to do after a check.
#[derive(Clone, Debug, PartialEq)]
pub struct StorePlan {
    /// Status to write; `None` when it is as it should be.
    pub status: Option<SecretStoreStatus>,
    /// Events to record.
    pub events: Vec<EventNote>,
    /// When to check next.
    pub next: NextRun,
    /// Whether the condition changed: worth a log line and waking those who wait for the store.
    pub condition_changed: bool,
    /// Whether the store is ready.
    pub is_ready: bool,
}

/// Turns the outcome of a check into a plan.
pub fn report<'a>(
    store: impl Into<StoreObject<'a>>,
    outcome: CheckOutcome,
    settings: &Settings,
    now: Timestamp,
) -> StorePlan {
    let store = store.into();
    let finding = Finding::of(&store, outcome);
    let is_ready = finding.condition.is_true();
    let old = store.status.cloned().unwrap_or_default();
    let mut new = old.clone();
    let condition_changed = set(&mut new.conditions, finding.condition, now);
    if let Some(capabilities) = finding.capabilities {
        new.capabilities = Some(capabilities);
    }
    // One that is there proves that the schema keeps it, whatever was seen at the start.
    let noted = old.observed_generation.is_some();
    if noted || settings.observed_generation && (condition_changed || new != old) {
        new.observed_generation = store.metadata.generation;
    }
    let mut events = finding.failures;
    if condition_changed {
        events.extend(finding.news);
    }
    StorePlan {
        status: (new != old).then_some(new),
        events,
        next: finding.next,
        condition_changed,
        is_ready,
    }
}

/// What an outcome means.
struct Finding {
    condition: Condition,
    capabilities: Option<StoreCapabilities>,
    /// Events for every check.
    failures: Vec<EventNote>,
    /// Events for a changed condition only.
    news: Vec<EventNote>,
    next: NextRun,
}

impl Finding {
    fn of(store: &StoreObject<'_>, outcome: CheckOutcome) -> Self {
        match outcome {
            CheckOutcome::Refused(StoreFailure {
                message,
                cause,
                text,
            }) => Self::failed(&Failure::new(message, cause, text), false),
            CheckOutcome::UnknownProvider { provider } => {
                let text = format!(
                    "failed to find registered store backend for type: {provider}, name: {}",
                    store.name()
                );
                Self::failed(
                    &Failure::new(messages::STORE_NO_CLIENT, Cause::INVALID_SPEC, text),
                    false,
                )
            }
            CheckOutcome::NotInBuild { text } => {
                let text = format!(
                    "{text}; use one of these, or leave the store to an operator that has it by \
                     spec.controller"
                );
                Self::failed(
                    &Failure::new(messages::STORE_NO_CLIENT, Cause::UNSUPPORTED, text),
                    false,
                )
            }
            CheckOutcome::NotConnected(error) => {
                Self::failed(&Failure::of_error(messages::STORE_NO_CLIENT, &error), true)
            }
            CheckOutcome::Troubled { error, interval } => Self::troubled(&error, interval),
            CheckOutcome::Checked {
                check: Check::Failed(error),
                ..
            } => Self::failed(
                &Failure::of_error(messages::STORE_NOT_VALIDATED, &error),
                true,
            ),
            CheckOutcome::Checked {
                check: Check::Undetermined(error),
                interval,
                ..
            } => Self::undetermined(&error, interval),
            CheckOutcome::Checked {
                check: Check::Healthy(_),
                capabilities,
                stability,
                interval,
                foreign_namespace,
            } => {
                let mut finding = Self::healthy(store, capabilities, stability, interval);
                finding.news.extend(foreign_namespace.map(|refusal| {
                    let text = format!("{refusal}; the namespace of the store is read instead");
                    // No warning: upstream has none, and alerts match on warnings.
                    EventNote::normal(reasons::EVENT_STORE_NAMESPACE_IGNORED, text)
                }));
                finding
            }
        }
    }

    fn failed(failure: &Failure, retry: bool) -> Self {
        let reason = reasons::STORE_INVALID_PROVIDER_CONFIG;
        Self {
            condition: ready(false, reason, failure.condition_message()),
            capabilities: None,
            failures: vec![EventNote::warning(reason, failure.event())],
            news: Vec::new(),
            next: match (retry, failure.retry()) {
                (false, _) => NextRun::OnChange,
                (true, Retry::Breaker) => NextRun::BackoffWithin(LONGEST_OUTAGE),
                (true, _) => NextRun::Backoff,
            },
        }
    }

    fn troubled(error: &Error, interval: Duration) -> Self {
        // Not the reason of settings that are wrong: objects may use the store all the same.
        let reason = match error.kind() {
            ErrorKind::Unauthenticated => reasons::STORE_CREDENTIALS_REFUSED,
            _ => reasons::STORE_UNREACHABLE,
        };
        let failure = Failure::of_error(messages::STORE_NOT_VALIDATED, error);
        Self {
            condition: ready(false, reason, failure.condition_message()),
            capabilities: None,
            failures: Vec::new(),
            news: vec![EventNote::warning(reason, failure.event())],
            next: NextRun::After(interval),
        }
    }

    fn undetermined(error: &Error, interval: Duration) -> Self {
        let reason = reasons::STORE_VALIDATION_UNKNOWN;
        Self {
            condition: ready(true, reason, messages::STORE_UNKNOWN),
            capabilities: None,
            failures: Vec::new(),
            news: vec![EventNote::warning(reason, describe(error))],
            next: NextRun::After(interval),
        }
    }

    fn healthy(
        store: &StoreObject<'_>,
        capabilities: Capabilities,
        stability: Stability,
        interval: Duration,
    ) -> Self {
        let valid = EventNote::normal(reasons::STORE_VALID, messages::STORE_VALIDATED);
        Self {
            condition: ready(true, reasons::STORE_VALID, messages::STORE_VALIDATED),
            capabilities: Some(written(capabilities.access())),
            failures: Vec::new(),
            news: [valid]
                .into_iter()
                .chain(maintenance(store, stability))
                .collect(),
            next: NextRun::After(interval),
        }
    }
}

fn maintenance(store: &StoreObject<'_>, stability: Stability) -> Option<EventNote> {
    let annotations = store.metadata.annotations.as_ref();
    let silenced = annotations
        .is_some_and(|annotations| annotations.contains_key(keys::ANNOTATION_IGNORE_MAINTENANCE));
    let (reason, message) = match stability {
        _ if silenced => return None,
        Stability::Maintained => return None,
        Stability::NotMaintained => (
            reasons::EVENT_STORE_UNMAINTAINED,
            messages::STORE_UNMAINTAINED,
        ),
        Stability::Deprecated => (reasons::EVENT_STORE_DEPRECATED, messages::STORE_DEPRECATED),
    };
    Some(EventNote::warning(reason, message))
}

fn written(access: Access) -> StoreCapabilities {
    match access {
        Access::ReadOnly => StoreCapabilities::ReadOnly,
        Access::WriteOnly => StoreCapabilities::WriteOnly,
        Access::ReadWrite => StoreCapabilities::ReadWrite,
    }
}
