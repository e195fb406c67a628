//! What an answer of the backend that is no success means. Absence is the backend's own code for
//! it; a 404 without that code is a wrong address or domain.

use lockstep_provider_api::error::NOT_FOUND_TEXT;
use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{described, not_absence};
use serde::Deserialize;

/// The backend's code of a secret that does not exist.
const NO_SECRET: i64 = 17_125_377;

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    error_code: i64,
    #[serde(default)]
    errors: Vec<String>,
    #[serde(default)]
    request_id: String,
}

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    let refusal: Option<Refusal> = answer.json().ok();
    let is_absent = refusal
        .as_ref()
        .is_some_and(|refusal| refusal.error_code == NO_SECRET);
    let failed = described(answer, |answer| {
        let status = answer.status();
        let reason = status.canonical_reason().unwrap_or_default();
        let text = format!(
            "HTTP request failed - HTTP Status: {}, {reason}",
            status.as_u16()
        );
        match &refusal {
            Some(refusal) if !refusal.errors.is_empty() => format!(
                "{text}: {} (code {}, request {})",
                refusal.errors.join("; "),
                refusal.error_code,
                refusal.request_id
            ),
            _ => text,
        }
    });
    failed.map_err(|error| match error.kind() {
        ErrorKind::NotFound if is_absent => error.map_message(|_| NOT_FOUND_TEXT.to_owned()),
        _ => not_absence(error),
    })
}
