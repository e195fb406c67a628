//! What to do with a target: written, left alone or deleted. Only Secrets controlled by this very object
//! are deleted.

use k8s_openapi::api::core::v1::Secret;
use lockstep_api::external_secret::CreationPolicy;
use lockstep_api::{ExternalSecret, messages, reasons};

use super::names::{created_by, uid};
use super::report::Kept;
use super::{Observed, ObservedTarget};
use crate::cause::Cause;
use crate::conditions::ready_reason;
use crate::failure::Failure;
use crate::manifest_target::ObjectPlan;
use crate::settings::Settings;
use crate::target::{Desired, TargetDelete, TargetRow};

/// What to do with the target.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetPlan {
    /// Leave it alone.
    Keep(Kept),
    /// Nothing: the mirror shows it as wished.
    InSync,
    /// Create it by [`super::mutate()`] with no live Secret; if one exists after all, go on as for
    /// `Look`.
    Create(Desired),
    /// Read it, then apply [`super::mutate()`].
    Look(Desired),
    /// Delete it.
    Delete(TargetDelete),
    /// Read it, then ask [`confirm_deletion`].
    LookToDelete(String),
    /// Nothing: it is to be deleted, and known to be gone.
    Gone,
    /// It is no Secret.
    Object(ObjectPlan),
}

/// The write that brings the target to what is desired.
pub(super) fn write_plan(
    target: &ObservedTarget,
    desired: Desired,
    settings: &Settings,
) -> TargetPlan {
    match target {
        ObservedTarget::Row(row) if row.is_in_sync(&desired, &settings.salt) => TargetPlan::InSync,
        ObservedTarget::Absent if desired.write.creates() => TargetPlan::Create(desired),
        _ => TargetPlan::Look(desired),
    }
}

/// The Secret to delete when the provider has no data.
pub(super) fn deletion(observed: &Observed<'_>) -> Result<TargetPlan, Failure> {
    let object = &observed.object;
    let policy = object.spec.creation_policy();
    if *policy != CreationPolicy::Owner {
        let text = format!(
            "unable to delete secret {}: creationPolicy={policy} is not Owner",
            object.target_name()
        );
        let message = match &observed.target {
            ObservedTarget::Object(_) => messages::COULD_NOT_DELETE_RESOURCE,
            _ => messages::COULD_NOT_DELETE,
        };
        return Err(Failure::new(message, Cause::INVALID_SPEC, text));
    }
    match &observed.target {
        ObservedTarget::Object(None) => Ok(TargetPlan::Object(ObjectPlan::Gone)),
        ObservedTarget::Object(Some(live)) if live.is_controlled_by(uid(object)) => {
            Ok(TargetPlan::Object(ObjectPlan::Delete(live.deletion())))
        }
        ObservedTarget::Object(Some(_)) => Err(foreign_object(object)),
        ObservedTarget::Row(row) if row.is_controlled_by(uid(object)) => {
            Ok(TargetPlan::Delete(row.deletion()))
        }
        ObservedTarget::Absent if was_deleted(object) => Ok(TargetPlan::Gone),
        _ => Ok(TargetPlan::LookToDelete(object.target_name().to_owned())),
    }
}

fn foreign_object(object: &ExternalSecret) -> Failure {
    let text = format!(
        "unable to delete {}: it is not controlled by this ExternalSecret and stays",
        object.target_name()
    );
    Failure::new(messages::COULD_NOT_DELETE_RESOURCE, Cause::CONFLICT, text)
}

fn was_deleted(object: &ExternalSecret) -> bool {
    let status = object.status.as_ref();
    let reason = status.and_then(|status| ready_reason(&status.conditions));
    reason == Some(reasons::SECRET_DELETED)
}

/// The deletion of a target that was read because the mirror could not say whose it is; `None`
/// when it does not exist.
pub fn confirm_deletion(
    object: &ExternalSecret,
    live: Option<&Secret>,
    settings: &Settings,
) -> Result<Option<TargetDelete>, Failure> {
    let Some(live) = live else {
        return Ok(None);
    };
    let row = TargetRow::of(live, &settings.salt);
    if row.is_controlled_by(uid(object)) {
        return Ok(Some(row.deletion()));
    }
    let text = format!(
        "unable to delete secret {}: it is not controlled by this ExternalSecret and stays",
        row.name
    );
    Err(Failure::new(
        messages::COULD_NOT_DELETE,
        Cause::CONFLICT,
        text,
    ))
}

/// Former targets: named otherwise, marked as made by this object, and controlled by it. A copy
/// that someone made with all labels is not.
pub(super) fn orphans(observed: &Observed<'_>) -> Vec<TargetDelete> {
    let object = &observed.object;
    let mark = created_by(object);
    let former = observed.former_targets.iter().filter(|row| {
        &*row.name != object.target_name()
            && row.created_by.as_deref() == Some(mark.as_str())
            && row.is_controlled_by(uid(object))
            && !row.deleting
    });
    former.map(|row| row.deletion()).collect()
}
