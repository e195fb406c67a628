//! The end of an object: its targets are cleaned up as planned, then its finalizer goes.

use lockstep_api::ExternalSecret;
use lockstep_plan::NextRun;
use lockstep_plan::external_secret::{ReleasePlan, remove_finalizer};

use super::{Engine, Outcome, manifest_target, namespace};
use crate::world::{World, WorldError};

impl<W: World> Engine<'_, W> {
    /// Cleans up after an object that is being deleted, then lets it go.
    pub(super) async fn release(&self, object: &ExternalSecret, release: ReleasePlan) -> Outcome {
        let namespace = namespace(object);
        for delete in &release.delete {
            match self.world.delete_secret(namespace, delete).await {
                Ok(()) | Err(WorldError::NotFound) => {}
                Err(error) => return Outcome::unwritten(&error),
            }
        }
        if let Some((target, delete)) = self.manifest_target(object).zip(release.object) {
            match self.world.delete_object(&target, &delete).await {
                Ok(()) => self
                    .world
                    .publish(object, manifest_target::deleted(&target)),
                Err(WorldError::NotFound) => {}
                Err(error) => return Outcome::unwritten(&error),
            }
        }
        match self.world.patch(object, &remove_finalizer(object)).await {
            Ok(_) | Err(WorldError::NotFound) => Outcome::next(NextRun::OnChange),
            Err(error) => Outcome::unwritten(&error),
        }
    }
}
