//! The status a PushSecret gets, whether it is worth a write, and the patch that makes the stored one
//! like it. Time alone is not worth a write, except for the note of the last push now and then.

use jiff::Timestamp;
use lockstep_api::PushSecret;
use lockstep_api::conditions::Condition;
use lockstep_api::push_secret::{PushSecretStatus, SyncedPushSecrets};
use serde_json::Value;

use super::{Observed, refresh};
use crate::conditions::{seconds, set};
use crate::meta::synced_resource_version;
use crate::note;
use crate::settings::Settings;
use crate::status_patch::merge_patch;

/// What a run changes in the status.
pub(super) struct Change {
    /// The new Ready condition.
    pub(super) condition: Condition,
    /// The record of pushed secrets.
    pub(super) record: SyncedPushSecrets,
    /// Whether everything was pushed.
    pub(super) done: bool,
}

/// The status after a run.
pub(super) struct NewStatus {
    /// The status to write; `None` when nothing worth a write changed.
    pub(super) write: Option<PushSecretStatus>,
    /// Whether the Ready condition changed.
    pub(super) condition_changed: bool,
    /// Whether the record changed.
    pub(super) record_changed: bool,
}

/// Applies a change to the object's status.
pub(super) fn after(
    observed: &Observed<'_>,
    change: Change,
    settings: &Settings,
    now: Timestamp,
) -> NewStatus {
    let object = &observed.object;
    let old = object.status.clone().unwrap_or_default();
    let mut new = old.clone();
    let condition_changed = set(&mut new.conditions, change.condition, now);
    new.synced_push_secrets = change.record;
    // One that is there proves that the schema keeps it, whatever was seen at the start.
    if settings.observed_generation || old.observed_generation.is_some() {
        new.observed_generation = object.metadata.generation;
    }
    if change.done {
        new.synced_resource_version = Some(synced_resource_version(&object.metadata));
    }
    let real = is_real_change(&old, &new);
    let before = refresh::last_refresh(observed);
    if let Some(refreshed) = if change.done { Some(now) } else { before } {
        new.refresh_time = Some(seconds(refreshed));
    }
    let write = real || (change.done && note_is_due(observed, settings, now));
    NewStatus {
        record_changed: old.synced_push_secrets != new.synced_push_secrets,
        write: write.then_some(new),
        condition_changed,
    }
}

/// Whether more than time changed. A generation noted for the first time waits for the next write,
/// so that taking over from another operator writes nothing.
fn is_real_change(old: &PushSecretStatus, new: &PushSecretStatus) -> bool {
    let generation_changed =
        old.observed_generation.is_some() && old.observed_generation != new.observed_generation;
    generation_changed
        || old.synced_resource_version != new.synced_resource_version
        || old.conditions != new.conditions
        || old.synced_push_secrets != new.synced_push_secrets
}

fn note_is_due(observed: &Observed<'_>, settings: &Settings, now: Timestamp) -> bool {
    let status = observed.object.status.as_ref();
    let noted = status.and_then(|status| status.refresh_time.as_ref());
    let interval = refresh::interval(observed).unwrap_or_default();
    note::is_due(
        &observed.object.metadata,
        noted.map(|noted| noted.0),
        interval,
        settings,
        now,
    )
}

/// The status of an object whose record is forgotten.
pub fn forget_record(object: &PushSecret) -> PushSecretStatus {
    PushSecretStatus {
        synced_push_secrets: SyncedPushSecrets::new(),
        ..object.status.clone().unwrap_or_default()
    }
}

/// The JSON merge patch that turns one status into another: without it the record would never lose an
/// entry.
pub fn status_patch(old: Option<&PushSecretStatus>, new: &PushSecretStatus) -> Value {
    merge_patch(old, new)
}
