//! Whether a plan takes data away because remote secrets are absent: a target that is deleted, one that
//! loses all its data whatever the policy, and one that loses keys whose remote secrets are gone. Such
//! plans ask the deletion guard first.

use std::collections::BTreeSet;

use lockstep_api::{keys, messages};
use lockstep_provider_api::error::Retry;
use lockstep_provider_api::{Error, Payload};

use super::fetch::{FetchList, Source};
use super::observe::Observed;
use super::target_plan::TargetPlan;
use crate::cause::Cause;
use crate::failure::Failure;
use crate::manifest_target::ObjectPlan;
use crate::settings::Settings;
use crate::store_key::StoreKey;

/// What was absent when a plan was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// Nothing: the remote secrets are there.
    Nothing,
    /// Something that the target loses nothing for: it was absent before.
    Known,
    /// Something in these stores that the target loses data for.
    Loss(BTreeSet<StoreKey>),
}

/// Stores that no longer have something that was to be read from them.
pub(super) fn missing_from(
    list: &FetchList,
    answers: &[Result<Payload, Error>],
) -> BTreeSet<StoreKey> {
    let absent = |answer: &Result<Payload, Error>| match answer {
        Ok(Payload::Map(found)) => found.is_empty(),
        Ok(Payload::Value(_)) => false,
        Err(error) => error.consequence().absent,
    };
    let answered = list.items.iter().zip(answers);
    let missing = answered.filter(|(_, answer)| absent(answer));
    missing
        .filter_map(|(item, _)| match &item.source {
            Source::Store { key, .. } => Some(key.clone()),
            Source::Generator(_) => None,
        })
        .collect()
}

/// What a plan for the target means for data whose remote secrets are absent.
pub(super) fn absence(
    observed: &Observed<'_>,
    target: &TargetPlan,
    (list, missing, no_data): (&FetchList, BTreeSet<StoreKey>, bool),
    settings: &Settings,
) -> Absence {
    if loses_data(observed, target, (!missing.is_empty(), no_data), settings) {
        return Absence::Loss(if missing.is_empty() {
            list.stores()
        } else {
            missing
        });
    }
    match target {
        // Secrets that were absent before are no news, and no sign that the store has its data.
        TargetPlan::Gone | TargetPlan::Object(ObjectPlan::Gone) => Absence::Known,
        _ if missing.is_empty() => Absence::Nothing,
        _ => Absence::Known,
    }
}

/// Whether carrying out the plan takes data away. `some` of what was read is absent, or there is `none`.
fn loses_data(
    observed: &Observed<'_>,
    target: &TargetPlan,
    (some, none): (bool, bool),
    settings: &Settings,
) -> bool {
    match target {
        TargetPlan::Delete(_) | TargetPlan::Object(ObjectPlan::Delete(_)) => true,
        // An object that was never synced has nothing to lose.
        TargetPlan::LookToDelete(_) => {
            let status = observed.object.status.as_ref();
            status.is_some_and(|status| status.refresh_time.is_some())
        }
        TargetPlan::Object(ObjectPlan::Replace(_)) => none,
        TargetPlan::Look(desired) if !desired.immutable => {
            let row = observed.target.row();
            row.is_some_and(|row| {
                let empties = desired.data.is_empty() && !row.is_empty();
                empties || (some || none) && row.has_stale_keys(desired, &settings.salt)
            })
        }
        _ => false,
    }
}

/// The failure of a deletion that is held because too much of a store vanished at once.
pub fn deletion_held(store: StoreKey) -> Failure {
    let text = format!(
        "many secrets of {store} vanished at once, so nothing is deleted; if it is meant, annotate \
         the store with {}=\"true\"",
        keys::ANNOTATION_ALLOW_MASS_DELETION
    );
    Failure::new(messages::COULD_NOT_DELETE, Cause::DELETION_HELD, text)
        .retrying(Retry::Slow)
        .from_store(store)
}
