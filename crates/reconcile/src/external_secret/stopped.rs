//! Runs that end before anything is fetched: a target that cannot be read, an object that cannot be
//! claimed. They are reported like any other, unless the object is not ours to reconcile.

use jiff::Timestamp;
use lockstep_plan::Failure;
use lockstep_plan::NextRun;
use lockstep_plan::external_secret::{Applied, Decision, TemplateSources, decide};

use super::report::not_updated;
use super::{Engine, Observation, Outcome};
use crate::world::{World, WorldError};

impl<W: World> Engine<'_, W> {
    /// Reports that the target could not be read. The object is claimed all the same.
    pub(super) async fn fail_target_unreadable(
        &self,
        mut observation: Observation,
        failure: Failure,
        when: (Timestamp, f64),
    ) -> Outcome {
        let no_sources = TemplateSources::new();
        let observed = observation.seen(self.stores, &[], &no_sources, when.1);
        if decide(&observed, self.settings, when.0).add_finalizer {
            let claimed = self.claim(&mut observation.object).await;
            if let Err(error) = claimed {
                return self
                    .fail_finalizer_rejected(&observation, &error, when)
                    .await;
            }
        }
        self.fail_before_fetch(&observation, failure, when).await
    }

    /// Reports what stopped a run before it fetched, unless the object is not ours to reconcile.
    async fn fail_before_fetch(
        &self,
        observation: &Observation,
        failure: Failure,
        (now, jitter): (Timestamp, f64),
    ) -> Outcome {
        let no_sources = TemplateSources::new();
        let observed = observation.seen(self.stores, &[], &no_sources, jitter);
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
    pub(super) async fn fail_finalizer_rejected(
        &self,
        observation: &Observation,
        error: &WorldError,
        when: (Timestamp, f64),
    ) -> Outcome {
        match error {
            WorldError::Failed(text) => {
                self.fail_before_fetch(observation, not_updated(text), when)
                    .await
            }
            error => Outcome::unwritten(error),
        }
    }
}
