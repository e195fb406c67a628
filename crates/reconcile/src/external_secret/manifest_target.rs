//! Targets that are no Secrets: read before a decision, written after a plan. Decides nothing about
//! their contents.

use lockstep_api::external_secret::CreationPolicy;
use lockstep_api::{ExternalSecret, messages, reasons};
use lockstep_plan::external_secret::TargetOutcome;
use lockstep_plan::manifest_target::{Object, ObjectPlan, ObjectRef};
use lockstep_plan::{EventNote, Failure};

use crate::world::{World, WorldError};

/// What is there of the target. Nothing is read for a policy that never writes.
pub(super) async fn observe<W: World>(
    world: &W,
    object: &ExternalSecret,
    target: &ObjectRef,
) -> Result<Option<Box<Object>>, Failure> {
    if *object.spec.creation_policy() == CreationPolicy::None {
        return Ok(None);
    }
    match world.read_object(target).await {
        Ok(live) => Ok(live.map(Box::new)),
        // Without the kind there is nothing left to clean up.
        Err(WorldError::NotFound) if object.metadata.deletion_timestamp.is_some() => Ok(None),
        Err(WorldError::NotFound) => {
            let ObjectRef {
                api_version, kind, ..
            } = target;
            let text = format!("the API server knows no kind {kind} in {api_version}");
            Err(Failure::api(messages::COULD_NOT_GET_RESOURCE, text))
        }
        Err(error) => Err(Failure::api(
            messages::COULD_NOT_GET_RESOURCE,
            error.to_string(),
        )),
    }
}

/// Carries the plan for the target out.
pub(super) async fn apply<W: World>(
    world: &W,
    object: &ExternalSecret,
    plan: ObjectPlan,
) -> TargetOutcome {
    let Some(target) = ObjectRef::of(object) else {
        return TargetOutcome::Unchanged;
    };
    let (done, message) = match plan {
        ObjectPlan::InSync => return TargetOutcome::Unchanged,
        ObjectPlan::Missing => return TargetOutcome::Missing,
        ObjectPlan::Gone => return TargetOutcome::Gone,
        ObjectPlan::Create(made) => {
            let created = world.create_object(&target, made).await;
            (
                created.map(|()| TargetOutcome::Created),
                messages::COULD_NOT_UPDATE,
            )
        }
        ObjectPlan::Replace(made) => {
            let replaced = world.replace_object(&target, made).await;
            // Defaults of the server may make a write that changes nothing.
            let outcome = |changed| {
                if changed {
                    TargetOutcome::Updated
                } else {
                    TargetOutcome::Unchanged
                }
            };
            (replaced.map(outcome), messages::COULD_NOT_UPDATE)
        }
        ObjectPlan::Delete(delete) => match world.delete_object(&target, &delete).await {
            Err(WorldError::NotFound) => return TargetOutcome::Gone,
            deleted => (
                deleted.map(|()| TargetOutcome::Deleted),
                messages::COULD_NOT_DELETE_RESOURCE,
            ),
        },
    };
    match done {
        Ok(outcome) => outcome,
        Err(WorldError::Conflict(_) | WorldError::AlreadyExists | WorldError::NotFound) => {
            TargetOutcome::Conflict
        }
        Err(WorldError::Failed(text)) => TargetOutcome::Failed(Failure::api(message, text)),
    }
}

/// The event about a target that went with its ExternalSecret.
pub(super) fn deleted(target: &ObjectRef) -> EventNote {
    let ObjectRef { kind, name, .. } = target;
    EventNote::normal(reasons::EVENT_DELETED, format!("Deleted {kind} {name}"))
}
