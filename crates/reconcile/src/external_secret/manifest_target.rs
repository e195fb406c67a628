//! Targets that are no Secrets: written after a plan. Decides nothing about their contents.

use lockstep_api::{ExternalSecret, messages, reasons};
use lockstep_plan::EventNote;
use lockstep_plan::external_secret::TargetOutcome;
use lockstep_plan::manifest_target::{ObjectPlan, ObjectRef};
use lockstep_runtime::api_error::ApiErrorKind;

use super::world::ExternalSecretWorld;
use crate::failure::api_failure;

/// Carries the plan for the target out.
pub(super) async fn apply<W: ExternalSecretWorld>(
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
            Err(error) if error.is(ApiErrorKind::NotFound) => return TargetOutcome::Gone,
            deleted => (
                deleted.map(|()| TargetOutcome::Deleted),
                messages::COULD_NOT_DELETE_RESOURCE,
            ),
        },
    };
    match done {
        Ok(outcome) => outcome,
        Err(error) if error.is_race() || error.is(ApiErrorKind::NotFound) => {
            TargetOutcome::Conflict
        }
        Err(error) => TargetOutcome::Failed(api_failure(message, &error)),
    }
}

/// The event about a target that went with its ExternalSecret.
pub(super) fn deleted(target: &ObjectRef) -> EventNote {
    let ObjectRef { kind, name, .. } = target;
    EventNote::normal(reasons::EVENT_DELETED, format!("Deleted {kind} {name}"))
}
