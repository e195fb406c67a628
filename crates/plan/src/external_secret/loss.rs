//! Whether a plan takes data away because remote secrets are absent: a target that is deleted, one that
//! loses all its data whatever the policy, and one that loses keys whose remote secrets are gone. Such
//! plans ask the deletion guard first.

use super::observe::Observed;
use super::plan::{Plan, TargetPlan};
use crate::manifest_target::ObjectPlan;
use crate::settings::Settings;

/// How much of what was read is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// Nothing.
    Nothing,
    /// Some of it.
    Some,
    /// All of it: there is no data.
    All,
}

/// Whether carrying out the plan takes data away.
pub fn loses_data(
    observed: &Observed<'_>,
    plan: &Plan,
    absent: Absent,
    settings: &Settings,
) -> bool {
    match &plan.target {
        TargetPlan::Delete(_) | TargetPlan::Object(ObjectPlan::Delete(_)) => true,
        // An object that was never synced has nothing to lose.
        TargetPlan::LookToDelete(_) => {
            let status = observed.object.status.as_ref();
            status.is_some_and(|status| status.refresh_time.is_some())
        }
        TargetPlan::Object(ObjectPlan::Replace(_)) => absent == Absent::All,
        TargetPlan::Look(desired) if !desired.immutable => {
            let row = observed.target.row();
            row.is_some_and(|row| {
                let empties = desired.data.is_empty() && !row.is_empty();
                empties || absent != Absent::Nothing && row.has_stale_keys(desired, &settings.salt)
            })
        }
        _ => false,
    }
}
