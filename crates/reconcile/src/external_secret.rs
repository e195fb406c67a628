//! One run of an ExternalSecret, from what was observed to what is reported. The order of the beats
//! is fixed here; what each of them means is decided in `lockstep-plan`.

mod apply;
mod fetch;
mod manifest_target;
mod observe;
mod release;
mod report;
mod stopped;
mod sync;

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_plan::NextRun;
use lockstep_plan::external_secret::{
    Applied, Decision, FetchList, Observed, TemplateSources, add_finalizer, decide, note_at,
    template_sources,
};
use lockstep_plan::manifest_target::ObjectRef;
use lockstep_plan::{Settings, TargetRow};
use lockstep_remote::RemoteClient;

use crate::planning::Planning;
use crate::stores::Stores;
use crate::template_sources::counted;
use crate::world::{World, WorldError};

use fetch::prepare;
pub use observe::{Observation, Target};
pub use report::{Outcome, Shares};
use sync::LookAgain;

/// What a run works with.
pub struct Engine<'a, W> {
    /// Reads and writes.
    pub world: &'a W,
    /// Stores.
    pub stores: &'a dyn Stores,
    /// Reads of stores.
    pub reads: &'a Arc<RemoteClient>,
    /// Settings of the process.
    pub settings: &'a Settings,
    /// Where plans are made.
    pub planning: &'a Planning,
}

impl<W: World> Engine<'_, W> {
    /// Runs an object once. `now` is the start of the run, `jitter` a random number below one.
    pub async fn run(&self, observation: Observation, now: Timestamp, jitter: f64) -> Outcome {
        let mut observation = observation;
        if let Some(target) = self.manifest_target(&observation.object) {
            match manifest_target::observe(self.world, &observation.object, &target).await {
                Ok(live) => observation.target = Target::Object(live),
                Err(failure) => {
                    return self
                        .fail_target_unreadable(observation, failure, (now, jitter))
                        .await;
                }
            }
        }
        let no_sources = TemplateSources::new();
        let former: Vec<&TargetRow> = observation
            .former_targets
            .iter()
            .map(AsRef::as_ref)
            .collect();
        let verdict = {
            let observed = observation.seen(self.stores, &former, &no_sources, jitter);
            decide(&observed, self.settings, now)
        };
        if verdict.add_finalizer {
            let claimed = self.claim(&mut observation.object).await;
            if let Err(error) = claimed {
                return self
                    .fail_finalizer_rejected(&observation, &error, (now, jitter))
                    .await;
            }
        }
        let sources = match verdict.decision {
            Decision::Fetch(_) => self.sources(&observation.object).await,
            _ => no_sources,
        };
        let observed = observation.seen(self.stores, &former, &sources, jitter);
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
                    return Outcome::unwritten(&error);
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
        let prepared = prepare(list, namespace(observed.object), self.world).await;
        let class = &self.settings.class;
        if prepared.iter().any(|item| item.is_foreign_to(class)) {
            tracing::debug!(object = %name(observed.object), "generator of another class");
            return Outcome::next(NextRun::OnChange);
        }
        self.world.fetching(observed.object);
        let (synced, reads) = self.sync(observed, (list, prepared), asked, now).await;
        let applied = match synced {
            Ok(applied) => applied,
            Err(LookAgain(at)) => return Outcome::next(NextRun::At(at)),
        };
        let outcome = self.finish(observed, applied, now).await;
        outcome.with_shares(observed, reads, self.settings)
    }

    /// Puts the finalizer on the object.
    async fn claim(&self, object: &mut ExternalSecret) -> Result<(), WorldError> {
        *object = self.world.patch(object, &add_finalizer(object)).await?;
        Ok(())
    }

    /// The target, where it is no Secret and such are allowed.
    fn manifest_target(&self, object: &ExternalSecret) -> Option<ObjectRef> {
        ObjectRef::of(object).filter(|_| self.settings.generic_targets)
    }

    async fn sources(&self, object: &ExternalSecret) -> TemplateSources {
        let namespace = namespace(object);
        let (mut sources, mut bytes) = (TemplateSources::new(), 0);
        for key in template_sources(object) {
            let data = self.world.template_source(namespace, &key).await;
            sources.insert(key, counted(data, &mut bytes));
        }
        sources
    }
}

fn namespace(object: &ExternalSecret) -> &str {
    object.metadata.namespace.as_deref().unwrap_or_default()
}

fn name(object: &ExternalSecret) -> String {
    let name = object.metadata.name.as_deref().unwrap_or_default();
    format!("{}/{name}", namespace(object))
}
