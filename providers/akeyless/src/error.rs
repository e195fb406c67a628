//! What an answer of Akeyless that is no success means, in upstream's words. A missing item is a kind of
//! its own; that it deletes nothing is decided in `store`.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{described, not_absence};
use lockstep_provider_kit::refusal::shown_body;

/// Text of a missing item.
pub(crate) const MISSING: &str = "item does not exist";

/// Checks the description of an item: only here a 404 is about the item.
pub(crate) fn description(item: &str) -> impl FnOnce(Answer) -> Result<Answer> {
    let text = format!("can't describe item: {item}, error:");
    move |answer| {
        described(answer, |answer| match answer.status().as_u16() {
            404 => MISSING.to_owned(),
            _ => format!("{text} {}", shown_body(answer)),
        })
    }
}

/// Checks the answer to any other read.
pub(crate) fn read(what: &'static str) -> impl FnOnce(Answer) -> Result<Answer> {
    move |answer| {
        described(answer, |answer| {
            format!("can't get {what}: {}", shown_body(answer))
        })
        .map_err(not_absence)
    }
}

/// Checks the answer to a write, which upstream's client tells by its status alone.
pub(crate) fn write(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        let status = answer.status();
        let reason = status.canonical_reason().unwrap_or_default();
        let code = status.as_u16();
        match answer.detail("/error") {
            Some(detail) => format!("{code} {reason}: {detail}"),
            None => format!("{code} {reason}"),
        }
    })
    .map_err(not_absence)
}
