//! One run of a PushSecret, from what was observed to what is reported. The order of the beats is
//! fixed here; what each of them means is decided in `lockstep-plan`.

mod apply;
mod fetch;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use lockstep_api::PushSecret;
use lockstep_api::push_secret::{PushDeletionPolicy, SyncedPushSecrets};
use lockstep_plan::NextRun;
use lockstep_plan::external_secret::TemplateSources;
use lockstep_plan::push_secret::{
    Applied, Decision, FinalizerChange, Observed, Recorded, Resolved, Settled, SourceState,
    add_finalizer, decide, forget_record, obsolete, pending, plan, remove_finalizer, report,
    settle, template_sources,
};
use lockstep_plan::{Budget, Failure, Settings, Work};
use lockstep_remote::RemoteClient;

use crate::generator_states::{self, Stored};
use crate::planning::Planning;
use crate::push_world::PushWorld;
use crate::stores::Stores;
use crate::template_sources::counted;
use crate::world::WorldError;

use fetch::Found;

/// Time after which no further entry is begun, so that what was pushed is recorded before the run is
/// cut off.
const BUDGET: SignedDuration = SignedDuration::from_secs(60);

/// What the shell observed before the run.
pub struct Observation {
    /// The object.
    pub object: PushSecret,
    /// Labels of its namespace; `None` while they are not known.
    pub namespace_labels: Option<Arc<BTreeMap<String, String>>>,
    /// The last push that only memory knows of.
    pub last_refresh: Option<Timestamp>,
    /// Whether something it reads from changed since.
    pub inputs_changed: bool,
    /// The run that first missed something in the source, while its deletion waits.
    pub doomed_since: Option<Timestamp>,
}

/// What a run works with.
pub struct Engine<'a, W> {
    /// Reads and writes of the cluster.
    pub world: &'a W,
    /// Stores.
    pub stores: &'a dyn Stores,
    /// Calls to stores.
    pub reads: &'a Arc<RemoteClient>,
    /// Settings of the process.
    pub settings: &'a Settings,
    /// Where plans are made.
    pub planning: &'a Planning,
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// When to run next.
    pub next: NextRun,
    /// The push that happened.
    pub refreshed: Option<Timestamp>,
    /// What failed, where something did.
    pub failure: Option<Failure>,
    /// Whether the Ready condition changed.
    pub condition_changed: bool,
    /// Names of the Secrets that its labels matched, where it reads by labels.
    pub matched: Option<BTreeSet<String>>,
    /// The run that first missed something in the source, while its deletion waits.
    pub doomed_since: Option<Timestamp>,
}

impl Outcome {
    fn next(next: NextRun) -> Self {
        Self {
            next,
            refreshed: None,
            failure: None,
            condition_changed: false,
            matched: None,
            doomed_since: None,
        }
    }
}

impl<W: PushWorld> Engine<'_, W> {
    /// Runs an object once. `now` is the start of the run, `jitter` a random number below one.
    pub async fn run(&self, mut observation: Observation, now: Timestamp, jitter: f64) -> Outcome {
        let verdict = decide(&self.observed(&observation, jitter), self.settings, now);
        let changed = self.settle_finalizer(&observation.object, verdict.finalizer);
        match changed.await {
            Ok(Some(object)) => observation.object = object,
            Ok(None) => {}
            Err(error) => return after_world_error(&error),
        }
        let observed = self.observed(&observation, jitter);
        match verdict.decision {
            Decision::Ignore(reason) => {
                tracing::debug!(object = %name(observed.object), ?reason, "left alone");
                Outcome::next(NextRun::OnChange)
            }
            Decision::Idle { until, warning } => {
                if let Some(warning) = warning {
                    self.world.publish_push(observed.object, warning);
                }
                Outcome {
                    doomed_since: observation.doomed_since,
                    ..Outcome::next(until.map_or(NextRun::OnChange, NextRun::At))
                }
            }
            Decision::Fail(failure) => {
                let applied = Applied::failed(&observed, failure);
                self.finish(&observed, applied, now).await
            }
            Decision::Release(recorded) => self.release(&observed, recorded, now).await,
            Decision::Push(stores) => {
                let (mut matched, mut made_states) = (None, Vec::new());
                let found = (&mut matched, &mut made_states);
                let blocked = stores.as_ref().ok().and_then(Resolved::blocked);
                let mut applied = match self.push(&observed, stores, found, now).await {
                    Ok(applied) => {
                        // Whatever was pushed is in use, also where another store failed.
                        generator_states::settle(self.world, &made_states, self.settings, now)
                            .await;
                        applied
                    }
                    Err(failure) => {
                        generator_states::roll_back(self.world, &made_states, now).await;
                        Applied::failed(&observed, failure)
                    }
                };
                if let (Settled::Synced, Some(failure)) = (&applied.settled, blocked) {
                    applied.settled = Settled::Failed(failure);
                }
                let outcome = self.finish(&observed, applied, now).await;
                Outcome { matched, ..outcome }
            }
        }
    }

    fn observed<'o>(&'o self, observation: &'o Observation, jitter: f64) -> Observed<'o> {
        Observed {
            object: &observation.object,
            namespace_labels: observation.namespace_labels.as_deref(),
            stores: self.stores,
            last_refresh: observation.last_refresh,
            inputs_changed: observation.inputs_changed,
            doomed_since: observation.doomed_since,
            jitter,
        }
    }

    /// Writes the finalizer where it must change; returns the object as it is then.
    async fn settle_finalizer(
        &self,
        object: &PushSecret,
        change: FinalizerChange,
    ) -> Result<Option<PushSecret>, WorldError> {
        let patched = match change {
            FinalizerChange::None => return Ok(None),
            FinalizerChange::Add => self.world.patch_push(object, &add_finalizer(object)).await,
            FinalizerChange::ForgetAndAdd => {
                let forgotten = forget_record(object);
                let object = self.world.write_push_status(object, &forgotten).await?;
                self.world
                    .patch_push(&object, &add_finalizer(&object))
                    .await
            }
            FinalizerChange::Remove => {
                let patch = remove_finalizer(object);
                self.world.patch_push(object, &patch).await
            }
        };
        patched.map(Some)
    }

    /// Reads the source, pushes it, and deletes what is no longer pushed.
    async fn push(
        &self,
        observed: &Observed<'_>,
        stores: Result<Resolved, Failure>,
        (matched, made_states): (&mut Option<BTreeSet<String>>, &mut Vec<Stored>),
        now: Timestamp,
    ) -> Result<Applied, Failure> {
        let until = now.saturating_add(BUDGET).unwrap_or(now);
        if let Ok(stores) = &stores
            && let Some((plan, done)) = self.all_exist(observed, stores, until).await
        {
            let (record, _) = settle(observed, stores, plan, done);
            return Ok(self
                .clean_up(observed, record, SourceState::There, now)
                .await);
        }
        let mut state = SourceState::There;
        let sources = match self.source(observed, made_states).await? {
            Found::Sources(sources) => sources,
            Found::Labelled(sources) => {
                *matched = Some(sources.keys().cloned().collect());
                if sources.is_empty() {
                    state = SourceState::Missing;
                }
                sources.into_values().collect()
            }
            Found::Gone(failure) if !observed.follows_source() => return Err(failure),
            Found::Gone(_) => {
                let missing = SourceState::Missing;
                let cleaned = self.clean_up(observed, BTreeMap::new(), missing, now);
                let applied = cleaned.await;
                return Ok(match applied.settled {
                    Settled::Synced if applied.pending.is_some() => Applied {
                        settled: Settled::SourceMissing,
                        ..applied
                    },
                    Settled::Synced => Applied {
                        settled: Settled::SourceDeleted,
                        ..applied
                    },
                    _ => applied,
                });
            }
        };
        let stores = stores?;
        let templates = self.templates(observed.object).await;
        let (settings, limits) = (self.settings, self.settings.template_limits);
        let make = |budget: &Budget| {
            let work = Work {
                settings,
                now,
                budget,
            };
            plan(observed, &stores.ours, sources.clone(), &templates, work)
        };
        let planned = self.planning.make(namespace(observed.object), limits, make);
        let plan = planned.await?;
        let done = self.push_all(observed, &plan, until).await;
        let (record, failure) = settle(observed, &stores, plan, done);
        Ok(match failure {
            Some(failure) => Applied {
                record,
                settled: Settled::Failed(failure),
                pending: None,
            },
            None => self.clean_up(observed, record, state, now).await,
        })
    }

    async fn templates(&self, object: &PushSecret) -> TemplateSources {
        let (mut sources, mut bytes) = (TemplateSources::new(), 0);
        for key in template_sources(object) {
            let data = self.world.template_source(namespace(object), &key).await;
            sources.insert(key, counted(data, &mut bytes));
        }
        sources
    }

    /// Deletes what the record held and `record` does not, where the policy says so and the grace time
    /// is over. What is still there stays in the record.
    async fn clean_up(
        &self,
        observed: &Observed<'_>,
        mut record: SyncedPushSecrets,
        state: SourceState,
        now: Timestamp,
    ) -> Applied {
        let object = observed.object;
        let (mut failure, mut waits) = (None, None);
        if *object.spec.deletion_policy() == PushDeletionPolicy::Delete {
            let obsolete = obsolete(object, &record);
            waits = pending(observed, state, &obsolete, now);
            let kept = if waits.is_some() {
                obsolete
            } else {
                let (kept, first) = self.delete_all(observed, obsolete).await;
                failure = first;
                kept
            };
            for recorded in kept {
                recorded.keep_in(&mut record, object);
            }
        }
        Applied {
            record,
            settled: failure.map_or(Settled::Synced, Settled::Failed),
            pending: waits,
        }
    }

    /// Cleans up after an object that is being deleted, then lets it go.
    async fn release(
        &self,
        observed: &Observed<'_>,
        recorded: Vec<Recorded>,
        now: Timestamp,
    ) -> Outcome {
        let object = observed.object;
        let (kept, failure) = self.delete_all(observed, recorded).await;
        if let Some(failure) = failure {
            let mut record = BTreeMap::new();
            for recorded in kept {
                recorded.keep_in(&mut record, object);
            }
            let settled = Settled::Failed(failure);
            let applied = Applied {
                record,
                settled,
                pending: None,
            };
            return self.finish(observed, applied, now).await;
        }
        match self
            .world
            .patch_push(object, &remove_finalizer(object))
            .await
        {
            Ok(_) | Err(WorldError::NotFound) => Outcome::next(NextRun::OnChange),
            Err(error) => after_world_error(&error),
        }
    }

    /// Reports what was done.
    async fn finish(&self, observed: &Observed<'_>, applied: Applied, now: Timestamp) -> Outcome {
        let report = report(observed, applied, self.settings, now);
        for event in report.events {
            self.world.publish_push(observed.object, event);
        }
        let outcome = Outcome {
            next: report.next,
            refreshed: report.refreshed,
            failure: report.failure,
            condition_changed: report.condition_changed,
            matched: None,
            doomed_since: report.doomed_since,
        };
        let Some(status) = report.status else {
            return outcome;
        };
        match self.world.write_push_status(observed.object, &status).await {
            Ok(_) => outcome,
            Err(error) => Outcome {
                refreshed: outcome.refreshed,
                doomed_since: outcome.doomed_since,
                ..after_world_error(&error)
            },
        }
    }
}

/// What follows when the object itself could not be written. It has no condition then; the log and
/// the error counter tell.
fn after_world_error(error: &WorldError) -> Outcome {
    match error {
        WorldError::NotFound => Outcome::next(NextRun::OnChange),
        WorldError::Conflict(_) | WorldError::AlreadyExists => Outcome::next(NextRun::Backoff),
        WorldError::Failed(text) => Outcome {
            failure: Some(Failure::api("could not write the PushSecret", text.clone())),
            ..Outcome::next(NextRun::Backoff)
        },
    }
}

fn namespace(object: &PushSecret) -> &str {
    object.metadata.namespace.as_deref().unwrap_or_default()
}

fn name(object: &PushSecret) -> String {
    let name = object.metadata.name.as_deref().unwrap_or_default();
    format!("{}/{name}", namespace(object))
}
