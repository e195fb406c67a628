//! One run of an ExternalSecret, from what was observed to what is reported. The order of the beats
//! is fixed here; what each of them means is decided in `lockstep-plan`.

mod apply;
mod object;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_pace::groups::Taken;
use lockstep_plan::external_secret::{
    Applied, Decision, FetchList, NextRun, Observed, Payload, Plan, ReleasePlan, Source,
    TargetPlan, TargetView, TemplateSources, add_finalizer, assemble, decide, deletion_held,
    note_at, plan, remove_finalizer, report, shared_interval, template_sources,
};
use lockstep_plan::generic::{Object, ObjectPlan, ObjectRef};
use lockstep_plan::{Failure, Settings, StoreLookup, TargetRow};
use lockstep_provider::Error;

use crate::fetch::{Caller, StoreSource, fetch};
use crate::reads::{GroupKey, Reads};
use crate::world::{Deletion, World, WorldError};

/// What the shell observed before the run.
pub struct Observation {
    /// The object.
    pub object: ExternalSecret,
    /// Labels of its namespace.
    pub namespace_labels: Arc<BTreeMap<String, String>>,
    /// Its target.
    pub target: Target,
    /// Other Secrets that carry its owner label.
    pub former_targets: Vec<Arc<TargetRow>>,
    /// The last refresh that only memory knows of.
    pub last_refresh: Option<Timestamp>,
    /// Whether something it reads from changed since.
    pub inputs_changed: bool,
    /// When the run was asked for: answers to reads that began earlier do not count.
    pub asked: Timestamp,
}

/// What is known of the target Secret.
pub enum Target {
    /// No managed Secret of that name is known.
    Unknown,
    /// One without our label is there.
    Unlabelled,
    /// The mirror's row.
    Known(Arc<TargetRow>),
    /// It is no Secret; this was read of it.
    Object(Option<Box<Object>>),
}

/// Stores as decisions see them and as reads need them.
pub trait Stores: StoreLookup + StoreSource {}

impl<T: StoreLookup + StoreSource> Stores for T {}

/// What a run works with.
pub struct Engine<'a, W> {
    /// Reads and writes.
    pub world: &'a W,
    /// Stores.
    pub stores: &'a dyn Stores,
    /// Reads of stores.
    pub reads: &'a Arc<Reads>,
    /// Settings of the process.
    pub settings: &'a Settings,
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// When to run next.
    pub next: NextRun,
    /// The refresh that happened.
    pub refreshed: Option<Timestamp>,
    /// Whether an unlabelled Secret of the target's name is waited for.
    pub awaits_target: bool,
    /// What failed, where something did.
    pub failure: Option<Failure>,
    /// Whether the Ready condition changed.
    pub condition_changed: bool,
    /// Whether no condition could be written that would tell of the failure.
    pub untold: bool,
    /// The reads that keep the object fresh from now on, where they can.
    pub shares: Option<Shares>,
    /// When the last refresh is to be noted in the status next.
    pub note_at: Option<Timestamp>,
}

/// A deletion that waits for a second look.
struct LookAgain(Timestamp);

/// Shared reads an object depends on, and on nothing else that time would change.
#[derive(Debug)]
pub struct Shares {
    /// How old its values may become.
    pub interval: Duration,
    /// What it synced from.
    pub reads: Vec<Taken<GroupKey>>,
}

impl Outcome {
    fn next(next: NextRun) -> Self {
        Self {
            next,
            refreshed: None,
            awaits_target: false,
            failure: None,
            condition_changed: false,
            untold: false,
            shares: None,
            note_at: None,
        }
    }
}

impl<W: World> Engine<'_, W> {
    /// Runs an object once. `now` is the start of the run, `jitter` a random number below one.
    pub async fn run(&self, observation: Observation, now: Timestamp, jitter: f64) -> Outcome {
        let mut observation = observation;
        if let Some(target) = self.generic_target(&observation.object) {
            match object::observe(self.world, &observation.object, &target).await {
                Ok(live) => observation.target = Target::Object(live),
                Err(failure) => return self.unseen(observation, failure, (now, jitter)).await,
            }
        }
        let no_sources = TemplateSources::new();
        let former: Vec<&TargetRow> = observation
            .former_targets
            .iter()
            .map(AsRef::as_ref)
            .collect();
        let verdict = {
            let observed = self.observed(&observation, &former, &no_sources, jitter);
            decide(&observed, self.settings, now)
        };
        if verdict.add_finalizer {
            let patch = add_finalizer(&observation.object);
            match self.world.patch(&observation.object, &patch).await {
                Ok(object) => observation.object = object,
                Err(error) => return self.unclaimed(&observation, &error, (now, jitter)).await,
            }
        }
        let sources = match verdict.decision {
            Decision::Fetch(_) => self.sources(&observation.object).await,
            _ => no_sources,
        };
        let observed = self.observed(&observation, &former, &sources, jitter);
        match verdict.decision {
            Decision::Ignore(reason) => {
                tracing::debug!(object = %name(observed.object), ?reason, "left alone");
                Outcome::next(NextRun::OnChange)
            }
            Decision::Idle {
                until,
                awaits_target,
                status,
            } => {
                if let Some(status) = &status
                    && let Err(error) = self.world.write_status(observed.object, status).await
                {
                    return after_world_error(&error);
                }
                let next = until.map_or(NextRun::OnChange, NextRun::At);
                let refreshed = observation.last_refresh;
                Outcome {
                    awaits_target,
                    note_at: refreshed
                        .and_then(|at| note_at(observed.object, status.as_deref(), at)),
                    ..Outcome::next(next)
                }
            }
            Decision::Release(release) => self.release(observed.object, release).await,
            Decision::Fail(failure) => self.finish(&observed, Applied::failed(failure), now).await,
            Decision::Fetch(list) => self.refresh(&observed, &list, observation.asked, now).await,
        }
    }

    /// Fetches and writes, unless a generator belongs to another controller class.
    async fn refresh(
        &self,
        observed: &Observed<'_>,
        list: &FetchList,
        asked: Timestamp,
        now: Timestamp,
    ) -> Outcome {
        if self.is_foreign(observed.object, list).await {
            tracing::debug!(object = %name(observed.object), "generator of another class");
            return Outcome::next(NextRun::OnChange);
        }
        self.world.fetching(observed.object);
        let (synced, reads) = self.sync(observed, list, asked, now).await;
        let applied = match synced {
            Ok(applied) => applied,
            Err(LookAgain(at)) => return Outcome::next(NextRun::At(at)),
        };
        let outcome = self.finish(observed, applied, now).await;
        with_shares(outcome, observed, reads, self.settings)
    }

    /// The target, where it is no Secret and such are allowed.
    fn generic_target(&self, object: &ExternalSecret) -> Option<ObjectRef> {
        ObjectRef::of(object).filter(|_| self.settings.generic_targets)
    }

    /// Reports that the target could not be read. The object is claimed all the same.
    async fn unseen(
        &self,
        mut observation: Observation,
        failure: Failure,
        when: (Timestamp, f64),
    ) -> Outcome {
        let no_sources = TemplateSources::new();
        let observed = self.observed(&observation, &[], &no_sources, when.1);
        if decide(&observed, self.settings, when.0).add_finalizer {
            let patch = add_finalizer(&observation.object);
            match self.world.patch(&observation.object, &patch).await {
                Ok(object) => observation.object = object,
                Err(error) => return self.unclaimed(&observation, &error, when).await,
            }
        }
        self.stopped(&observation, failure, when).await
    }

    /// Reports what stopped a run before it fetched, unless the object would not be looked after.
    async fn stopped(
        &self,
        observation: &Observation,
        failure: Failure,
        (now, jitter): (Timestamp, f64),
    ) -> Outcome {
        let no_sources = TemplateSources::new();
        let observed = self.observed(observation, &[], &no_sources, jitter);
        match decide(&observed, self.settings, now).decision {
            Decision::Ignore(_) => Outcome::next(NextRun::OnChange),
            Decision::Release(_) => Outcome {
                failure: Some(failure),
                ..Outcome::next(NextRun::Backoff)
            },
            _ => self.finish(&observed, Applied::failed(failure), now).await,
        }
    }

    /// Reports that the finalizer was refused. The object itself cannot be written then, but its
    /// status may be.
    async fn unclaimed(
        &self,
        observation: &Observation,
        error: &WorldError,
        when: (Timestamp, f64),
    ) -> Outcome {
        match error {
            WorldError::Failed(text) => self.stopped(observation, not_updated(text), when).await,
            error => after_world_error(error),
        }
    }

    fn observed<'o>(
        &'o self,
        observation: &'o Observation,
        former_targets: &'o [&'o TargetRow],
        sources: &'o TemplateSources,
        jitter: f64,
    ) -> Observed<'o> {
        Observed {
            object: &observation.object,
            namespace_labels: &observation.namespace_labels,
            stores: self.stores,
            target: match &observation.target {
                Target::Unknown => TargetView::Absent,
                Target::Unlabelled => TargetView::Unlabelled,
                Target::Known(row) => TargetView::Row(row),
                Target::Object(live) => TargetView::Object(live.as_deref()),
            },
            former_targets,
            last_refresh: observation.last_refresh,
            inputs_changed: observation.inputs_changed,
            sources,
            jitter,
        }
    }

    async fn sources(&self, object: &ExternalSecret) -> TemplateSources {
        let namespace = namespace(object);
        let mut sources = TemplateSources::new();
        for key in template_sources(object) {
            let data = self.world.template_source(namespace, &key).await;
            sources.insert(key, data);
        }
        sources
    }

    /// Whether a generator belongs to another controller class; those that cannot be read say
    /// nothing here.
    async fn is_foreign(&self, object: &ExternalSecret, list: &FetchList) -> bool {
        for item in &list.items {
            let Source::Generator(reference) = &item.source else {
                continue;
            };
            let read = self.world.generator(namespace(object), reference).await;
            if read.is_ok_and(|generator| generator.is_foreign_to(&self.settings.class)) {
                return true;
            }
        }
        false
    }

    /// Fetches, plans and applies. Returns also the shared reads, where all of them are.
    async fn sync(
        &self,
        observed: &Observed<'_>,
        list: &FetchList,
        asked: Timestamp,
        now: Timestamp,
    ) -> (Result<Applied, LookAgain>, Option<Vec<Taken<GroupKey>>>) {
        let caller = Caller {
            namespace: namespace(observed.object),
            asked,
        };
        let stores: (&dyn StoreSource, _) = (self.stores, self.reads);
        let fetched = fetch(list, caller, self.world, stores).await;
        let (mut answers, mut reads) = (Vec::with_capacity(fetched.len()), Some(Vec::new()));
        for one in fetched {
            answers.push(one.answer);
            reads = reads.zip(one.taken).map(|(mut reads, taken)| {
                reads.push(taken);
                reads
            });
        }
        (self.write(observed, list, answers, now).await, reads)
    }

    /// Plans what the answers mean, and applies it.
    async fn write(
        &self,
        observed: &Observed<'_>,
        list: &FetchList,
        answers: Vec<Result<Payload, Error>>,
        now: Timestamp,
    ) -> Result<Applied, LookAgain> {
        let assembled = match assemble(observed.object, list, answers, self.settings, now) {
            Ok(assembled) => assembled,
            Err(failure) => return Ok(Applied::failed(failure)),
        };
        let events = assembled.events.clone();
        let plan = match plan(observed, assembled, self.settings, now) {
            Ok(plan) => plan,
            Err(failure) => {
                return Ok(Applied {
                    events,
                    ..Applied::failed(failure)
                });
            }
        };
        if let Some(failure) = self.hold_deletion(observed.object, list, &plan)? {
            return Ok(Applied {
                events,
                ..Applied::failed(failure)
            });
        }
        Ok(apply::apply(self.world, observed.object, plan, self.settings).await)
    }

    /// Asks whether a deletion for want of remote secrets may go on; a failure says that it may not.
    fn hold_deletion(
        &self,
        object: &ExternalSecret,
        list: &FetchList,
        plan: &Plan,
    ) -> Result<Option<Failure>, LookAgain> {
        match plan.target {
            TargetPlan::Delete(_)
            | TargetPlan::LookToDelete(_)
            | TargetPlan::Object(ObjectPlan::Delete(_)) => {}
            TargetPlan::Gone | TargetPlan::Object(ObjectPlan::Gone) => return Ok(None),
            _ => {
                self.world.present(object);
                return Ok(None);
            }
        }
        match self.world.absent(object, &list.stores()) {
            Deletion::Allowed => Ok(None),
            Deletion::LookAgain(at) => Err(LookAgain(at)),
            Deletion::Held(store) => Ok(Some(deletion_held(store))),
        }
    }

    /// Reports what was applied.
    async fn finish(&self, observed: &Observed<'_>, applied: Applied, now: Timestamp) -> Outcome {
        let report = report(observed, applied, self.settings, now);
        for event in report.events {
            self.world.publish(observed.object, event);
        }
        let outcome = Outcome {
            next: report.next,
            refreshed: report.refreshed,
            awaits_target: report.awaits_target,
            failure: report.failure,
            condition_changed: report.condition_changed,
            untold: false,
            shares: None,
            note_at: report
                .refreshed
                .and_then(|at| note_at(observed.object, report.status.as_ref(), at)),
        };
        let Some(status) = report.status else {
            return outcome;
        };
        match self.world.write_status(observed.object, &status).await {
            Ok(()) => outcome,
            Err(error) => Outcome {
                refreshed: outcome.refreshed,
                ..after_world_error(&error)
            },
        }
    }

    /// Cleans up after an object that is being deleted, then lets it go.
    async fn release(&self, object: &ExternalSecret, release: ReleasePlan) -> Outcome {
        let namespace = namespace(object);
        for delete in &release.delete {
            match self.world.delete_secret(namespace, delete).await {
                Ok(()) | Err(WorldError::NotFound) => {}
                Err(error) => return after_world_error(&error),
            }
        }
        if let Some((target, delete)) = self.generic_target(object).zip(release.object) {
            match self.world.delete_object(&target, &delete).await {
                Ok(()) => self.world.publish(object, object::deleted(&target)),
                Err(WorldError::NotFound) => {}
                Err(error) => return after_world_error(&error),
            }
        }
        match self.world.patch(object, &remove_finalizer(object)).await {
            Ok(_) | Err(WorldError::NotFound) => Outcome::next(NextRun::OnChange),
            Err(error) => after_world_error(&error),
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
            failure: Some(not_updated(text)),
            untold: true,
            ..Outcome::next(NextRun::Backoff)
        },
    }
}

fn not_updated(text: &str) -> Failure {
    Failure::api("could not update the ExternalSecret", text.to_owned())
}

/// Adds the reads that keep the object fresh, if its run succeeded and time changes nothing else.
fn with_shares(
    outcome: Outcome,
    observed: &Observed<'_>,
    reads: Option<Vec<Taken<GroupKey>>>,
    settings: &Settings,
) -> Outcome {
    let synced = outcome.refreshed.is_some() && !outcome.awaits_target;
    let interval = shared_interval(observed.object, settings).filter(|_| synced);
    let shares = interval.zip(reads.filter(|reads| !reads.is_empty()));
    Outcome {
        shares: shares.map(|(interval, reads)| Shares { interval, reads }),
        ..outcome
    }
}

fn namespace(object: &ExternalSecret) -> &str {
    object.metadata.namespace.as_deref().unwrap_or_default()
}

fn name(object: &ExternalSecret) -> String {
    let name = object.metadata.name.as_deref().unwrap_or_default();
    format!("{}/{name}", namespace(object))
}
