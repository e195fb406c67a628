//! Errors for calls that the governor refused without asking the backend.

use std::time::Duration;

use jiff::Timestamp;
use lockstep_plan::StoreKey;
use lockstep_provider_api::{Error, ErrorKind};

pub(super) fn throttled(store: &StoreKey, until: Timestamp, now: Timestamp) -> Error {
    let delay = Duration::try_from(until.duration_since(now)).unwrap_or_default();
    let text = format!("{store} is throttled and asked to wait");
    Error::new(ErrorKind::Throttled, text)
        .with_retry_after(delay)
        .unasked()
}

pub(super) fn unreachable(store: &StoreKey, why: Option<&str>) -> Error {
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    Error::unreachable(format!("{store} cannot be reached and is probed{why}")).unasked()
}

pub(super) fn failing(store: &StoreKey, why: Option<&str>) -> Error {
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    Error::unreachable(format!(
        "{store} failed several times for this key, which is backed off{why}"
    ))
    .unasked()
}
