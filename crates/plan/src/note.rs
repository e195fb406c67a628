//! How often a refresh that changed nothing is noted in a status: time alone is rarely worth a write.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_golang::duration::Duration as GoDuration;

use crate::meta::share_of;
use crate::settings::{RefreshNote, Settings};

/// Shortest time between two notes of an unchanged refresh.
const FLOOR: Duration = Duration::from_mins(10);
/// Time by which notes at the floor are spread: as long as the floor, so that a fleet made at once is
/// noted evenly from then on.
const SPREAD: Duration = FLOOR;

/// Whether an unchanged refresh should be noted.
pub(crate) fn is_due(
    meta: &ObjectMeta,
    noted: Option<Timestamp>,
    interval: GoDuration,
    settings: &Settings,
    now: Timestamp,
) -> bool {
    let Some(noted) = noted else {
        return true;
    };
    if settings.refresh_note == RefreshNote::EveryRefresh || noted > now {
        return true;
    }
    now.duration_since(noted) >= period(meta, interval)
}

/// Nine tenths of the interval; where that is short, ten minutes and a share of ten more that depends
/// on the object, so that objects made together are not noted together.
pub(crate) fn period(meta: &ObjectMeta, interval: GoDuration) -> SignedDuration {
    let most = SignedDuration::from_nanos(interval.as_nanos()).mul_f64(0.9);
    let floor = SignedDuration::try_from(FLOOR).unwrap_or_default();
    if most >= floor {
        return most;
    }
    let spread = SignedDuration::try_from(SPREAD).unwrap_or_default();
    floor + spread.mul_f64(share_of(meta))
}
