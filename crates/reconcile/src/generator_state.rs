//! One reconcile of a GeneratorState: claims it, deletes it when its deadline has passed, and takes the
//! credential back before it goes. What is done is decided in `lockstep-plan`.

mod apply;
mod report;
mod world;

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_plan::NextRun;
use lockstep_plan::generator_state::{Decision, decide};
use lockstep_remote::RemoteClient;
use lockstep_runtime::api_error::ApiError;

use crate::outcome::Ended;

use report::unwritten;
pub use world::GeneratorStateWorld;

/// What reconciles of GeneratorStates work with.
pub struct Reconciler<'a, W> {
    /// Reads and writes.
    pub world: &'a W,
    /// Calls to the backends of generators.
    pub remote: &'a Arc<RemoteClient>,
}

impl<W: GeneratorStateWorld> Reconciler<'_, W> {
    /// Reconciles a state once. `now` is the start.
    pub async fn reconcile(&self, namespace: &str, name: &str, now: Timestamp) -> Ended {
        match self.carry_out(namespace, name, now).await {
            Ok(ended) => ended,
            Err(error) => unwritten((namespace, name), &error),
        }
    }

    async fn carry_out(
        &self,
        namespace: &str,
        name: &str,
        now: Timestamp,
    ) -> Result<Ended, ApiError> {
        let state = self.world.read_state(namespace, name).await?;
        match decide(&state, now) {
            Decision::Idle => {}
            Decision::Wait(at) => return Ok(Ended::well(NextRun::At(at))),
            // The watch delivers what follows.
            Decision::Claim(patch) => self.world.patch_state(&state, &patch).await?,
            Decision::Delete => self.world.delete_state(&state).await?,
            Decision::CleanUp {
                kind,
                spec,
                state: credential,
                release,
            } => {
                let made = (kind.as_str(), &spec, credential);
                if !self.take_back((namespace, name), made).await {
                    return Ok(Ended::failed(NextRun::Backoff));
                }
                self.world.patch_state(&state, &release).await?;
            }
        }
        Ok(Ended::well(NextRun::OnChange))
    }
}
