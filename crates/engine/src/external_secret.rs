//! One run of an ExternalSecret, from what was observed to what is reported. The order of the beats
//! is fixed here; what each of them means is decided in `lockstep-plan`.

mod apply;
mod object;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_plan::external_secret::{
    Applied, Decision, FetchList, NextRun, Observed, ReleasePlan, TargetView, TemplateSources,
    add_finalizer, assemble, decide, plan, remove_finalizer, report, template_sources,
};
use lockstep_plan::generic::{Object, ObjectRef};
use lockstep_plan::{Failure, Settings, StoreLookup, TargetRow};

use crate::connections::Connections;
use crate::fetch::{StoreSource, fetch};
use crate::world::{World, WorldError};

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
    /// Open connections.
    pub connections: &'a Connections,
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
}

impl Outcome {
    fn next(next: NextRun) -> Self {
        Self {
            next,
            refreshed: None,
            awaits_target: false,
            failure: None,
            condition_changed: false,
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
                Err(failure) => return self.unread(&observation, failure, (now, jitter)).await,
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
                Err(error) => return after_world_error(&error),
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
                if let Some(status) = status
                    && let Err(error) = self.world.write_status(observed.object, &status).await
                {
                    return after_world_error(&error);
                }
                let next = until.map_or(NextRun::OnChange, NextRun::At);
                Outcome {
                    awaits_target,
                    ..Outcome::next(next)
                }
            }
            Decision::Release(release) => self.release(observed.object, release).await,
            Decision::Fail(failure) => self.finish(&observed, Applied::failed(failure), now).await,
            Decision::Fetch(list) => {
                let applied = self.sync(&observed, &list, now).await;
                self.finish(&observed, applied, now).await
            }
        }
    }

    /// The target, where it is no Secret and such are allowed.
    fn generic_target(&self, object: &ExternalSecret) -> Option<ObjectRef> {
        ObjectRef::of(object).filter(|_| self.settings.generic_targets)
    }

    /// Reports that the target could not be read, unless the object would not be looked after.
    async fn unread(
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
        let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
        let mut sources = TemplateSources::new();
        for key in template_sources(object) {
            let data = self.world.template_source(namespace, &key).await;
            sources.insert(key, data);
        }
        sources
    }

    /// Fetches, plans and applies.
    async fn sync(&self, observed: &Observed<'_>, list: &FetchList, now: Timestamp) -> Applied {
        let namespace = observed
            .object
            .metadata
            .namespace
            .as_deref()
            .unwrap_or_default();
        let stores: (&dyn StoreSource, _) = (self.stores, self.connections);
        let answers = fetch(list, namespace, self.world, stores).await;
        let assembled = match assemble(observed.object, list, answers, self.settings, now) {
            Ok(assembled) => assembled,
            Err(failure) => return Applied::failed(failure),
        };
        let events = assembled.events.clone();
        match plan(observed, assembled, self.settings, now) {
            Ok(plan) => apply::apply(self.world, observed.object, plan, self.settings).await,
            Err(failure) => Applied {
                events,
                ..Applied::failed(failure)
            },
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
        let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
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
            failure: Some(Failure::api(
                "could not update the ExternalSecret",
                text.clone(),
            )),
            ..Outcome::next(NextRun::Backoff)
        },
    }
}

fn name(object: &ExternalSecret) -> String {
    let meta = &object.metadata;
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    format!("{namespace}/{}", meta.name.as_deref().unwrap_or_default())
}
