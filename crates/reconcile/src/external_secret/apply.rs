//! Carries a plan out: at most one write to the target, then former targets go. A plan that takes data away
//! for want of remote secrets asks the deletion guard first. What came of it is returned as [`Applied`], the
//! only thing a report is made from.

use k8s_openapi::api::core::v1::Secret;
use lockstep_api::{ExternalSecret, messages};
use lockstep_plan::external_secret::{
    Absence, Applied, Desired, Mutation, Plan, TargetDelete, TargetOutcome, TargetPlan,
    confirm_deletion, deletion_held, mutate,
};
use lockstep_plan::{Failure, Settings};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use super::namespace;
use super::world::{Deletion, ExternalSecretWorld};
use crate::failure::{api_failure, worded};

pub(super) async fn apply<W: ExternalSecretWorld>(
    world: &W,
    object: &ExternalSecret,
    plan: Plan,
    settings: &Settings,
) -> Applied {
    let target = match refuse_loss(world, object, &plan.absence) {
        Some(refused) => refused,
        None => change_target(world, object, plan.target, settings).await,
    };
    let mut applied = Applied {
        events: plan.events,
        ..Applied::target(target)
    };
    if !matches!(
        applied.target,
        TargetOutcome::Failed(_) | TargetOutcome::Conflict | TargetOutcome::Postponed(_)
    ) {
        delete_orphans(world, namespace(object), &plan.orphans, &mut applied).await;
    }
    applied
}

/// Asks whether data may be lost for want of remote secrets; returns what stands in the way.
fn refuse_loss<W: ExternalSecretWorld>(
    world: &W,
    object: &ExternalSecret,
    absence: &Absence,
) -> Option<TargetOutcome> {
    let Absence::Loss(stores) = absence else {
        return None;
    };
    match world.absent(object, stores) {
        Deletion::Allowed => None,
        Deletion::LookAgain(at) => Some(TargetOutcome::Postponed(at)),
        Deletion::Held(store) => Some(TargetOutcome::Failed(deletion_held(store))),
    }
}

async fn change_target<W: ExternalSecretWorld>(
    world: &W,
    object: &ExternalSecret,
    plan: TargetPlan,
    settings: &Settings,
) -> TargetOutcome {
    match plan {
        TargetPlan::Keep(kept) => TargetOutcome::Kept(kept),
        TargetPlan::InSync => TargetOutcome::Unchanged,
        TargetPlan::Gone => TargetOutcome::Gone,
        TargetPlan::Create(desired) => create(world, &desired).await,
        TargetPlan::Look(desired) => look(world, &desired).await,
        TargetPlan::Delete(delete) => remove(world, namespace(object), &delete).await,
        TargetPlan::Object(plan) => super::manifest_target::apply(world, object, plan).await,
        TargetPlan::LookToDelete(name) => look_to_delete(world, object, &name, settings).await,
    }
}

/// Creates the target without looking; if something is there after all, looks.
async fn create<W: ExternalSecretWorld>(world: &W, desired: &Desired) -> TargetOutcome {
    match mutate(desired, None) {
        Ok(Mutation::Create(secret)) => {
            match world.create_secret(*secret, &desired.manager).await {
                Ok(()) => TargetOutcome::Created,
                Err(error) if error.is(ApiErrorKind::AlreadyExists) => look(world, desired).await,
                Err(error) => create_failed(&error),
            }
        }
        other => write(world, desired, other).await,
    }
}

async fn look<W: ExternalSecretWorld>(world: &W, desired: &Desired) -> TargetOutcome {
    match world.read_secret(&desired.namespace, &desired.name).await {
        Ok(live) => write(world, desired, mutate(desired, live.as_ref())).await,
        Err(error) => TargetOutcome::Failed(api_failure(messages::COULD_NOT_UPDATE, &error)),
    }
}

async fn write<W: ExternalSecretWorld>(
    world: &W,
    desired: &Desired,
    mutation: Result<Mutation, Failure>,
) -> TargetOutcome {
    match mutation {
        Ok(Mutation::Unchanged) => TargetOutcome::Unchanged,
        Ok(Mutation::Missing) => TargetOutcome::Missing,
        Ok(Mutation::Create(secret)) => {
            match world.create_secret(*secret, &desired.manager).await {
                Ok(()) => TargetOutcome::Created,
                // It appeared between the look and the write.
                Err(error) if error.is(ApiErrorKind::AlreadyExists) => TargetOutcome::Conflict,
                Err(error) => create_failed(&error),
            }
        }
        Ok(Mutation::Replace(secret)) => replace(world, desired, *secret).await,
        Err(failure) => TargetOutcome::Failed(failure),
    }
}

async fn replace<W: ExternalSecretWorld>(
    world: &W,
    desired: &Desired,
    secret: Secret,
) -> TargetOutcome {
    match world.replace_secret(secret, &desired.manager).await {
        Ok(()) => TargetOutcome::Updated,
        Err(error) if error.is(ApiErrorKind::Conflict) || error.is(ApiErrorKind::NotFound) => {
            TargetOutcome::Conflict
        }
        Err(error) => {
            let text = format!("unable to update secret {}: {error}", desired.name);
            let failure = worded(messages::COULD_NOT_UPDATE, &error, text);
            TargetOutcome::Failed(failure.touching_target())
        }
    }
}

fn create_failed(error: &ApiError) -> TargetOutcome {
    TargetOutcome::Failed(api_failure(messages::COULD_NOT_UPDATE, error))
}

async fn look_to_delete<W: ExternalSecretWorld>(
    world: &W,
    object: &ExternalSecret,
    name: &str,
    settings: &Settings,
) -> TargetOutcome {
    let namespace = namespace(object);
    let live = match world.read_secret(namespace, name).await {
        Ok(live) => live,
        Err(error) => {
            let failure = api_failure(messages::COULD_NOT_DELETE, &error);
            return TargetOutcome::Failed(failure);
        }
    };
    match confirm_deletion(object, live.as_ref(), settings) {
        Ok(Some(delete)) => remove(world, namespace, &delete).await,
        Ok(None) => TargetOutcome::Gone,
        Err(failure) => TargetOutcome::Failed(failure),
    }
}

async fn remove<W: ExternalSecretWorld>(
    world: &W,
    namespace: &str,
    delete: &TargetDelete,
) -> TargetOutcome {
    match world.delete_secret(namespace, delete).await {
        Ok(()) => TargetOutcome::Deleted,
        Err(error) if error.is(ApiErrorKind::NotFound) => TargetOutcome::Gone,
        Err(error) if error.is(ApiErrorKind::Conflict) => TargetOutcome::Conflict,
        Err(error) => {
            let text = format!("unable to delete secret {}: {error}", delete.name);
            TargetOutcome::Failed(worded(messages::COULD_NOT_DELETE, &error, text))
        }
    }
}

async fn delete_orphans<W: ExternalSecretWorld>(
    world: &W,
    namespace: &str,
    orphans: &[TargetDelete],
    applied: &mut Applied,
) {
    for orphan in orphans {
        match world.delete_secret(namespace, orphan).await {
            Ok(()) => applied.orphans_deleted += 1,
            Err(error) if error.is(ApiErrorKind::NotFound) => {}
            Err(error) if error.is(ApiErrorKind::Conflict) => {
                applied.target = TargetOutcome::Conflict;
            }
            Err(error) => {
                let text = format!("unable to delete secret {}: {error}", orphan.name);
                let failure = worded(messages::COULD_NOT_DELETE_ORPHANS, &error, text);
                applied.target = TargetOutcome::Failed(failure);
            }
        }
    }
}
