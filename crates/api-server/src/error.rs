//! What an answer of the API server that is no success means. Only a `Status` that names the very
//! resource counts as absence: a wrong address, a missing namespace on a write or a proxy's page
//! must never look like a deleted secret.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};
use jiff::Timestamp;
use lockstep_provider_api::http::check_status;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

/// Longest part of a server's message that is repeated; conditions and events have limits.
const MAX_MESSAGE: usize = 800;

/// The API server's own account of a failure.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    kind: String,
    message: String,
    reason: String,
    details: Details,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Details {
    kind: String,
    retry_after_seconds: u64,
}

/// Marks the answer to a page that was asked for too late.
#[derive(Debug)]
struct Expired;

impl fmt::Display for Expired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the place in the list has expired")
    }
}

impl StdError for Expired {}

/// The error an answer to a request about a resource stands for; `None` for success.
pub(crate) fn of_answer(answer: &Response<Bytes>, about: &str, now: Timestamp) -> Option<Error> {
    let refused = check_status(answer, Some(now)).err()?;
    let status = serde_json::from_slice::<Status>(answer.body())
        .ok()
        .filter(|status| status.kind == "Status")
        .unwrap_or_default();
    let kind = kind_of(answer.status(), about, refused.kind(), &status);
    let mut error = Error::new(kind, message_of(answer.status(), &status));
    if answer.status() == StatusCode::GONE {
        error = error.with_source(Expired);
    }
    let told = status.details.retry_after_seconds;
    let told = (told > 0).then(|| Duration::from_secs(told));
    Some(match refused.retry_after().or(told) {
        Some(delay) => error.with_retry_after(delay),
        None => error,
    })
}

/// Whether the object that was asked for does not exist.
pub fn is_absent(error: &Error) -> bool {
    error.kind() == &ErrorKind::NotFound
}

/// Whether an answer came but could not be used, as when it is larger than the transport takes.
pub fn is_unusable(error: &Error) -> bool {
    let inner = error.source().and_then(|source| source.downcast_ref());
    let kinds = [Some(error), inner].into_iter().flatten().map(Error::kind);
    kinds
        .into_iter()
        .any(|kind| kind == &ErrorKind::InvalidData)
        && !is_expired(error)
}

/// Whether a list must start again because its place in the history is gone.
pub fn is_expired(error: &Error) -> bool {
    matches!(error.source(), Some(source) if source.is::<Expired>())
}

fn kind_of(code: StatusCode, about: &str, usual: &ErrorKind, status: &Status) -> ErrorKind {
    match code {
        StatusCode::GONE => ErrorKind::InvalidData,
        StatusCode::NOT_FOUND => {
            if status.reason == "NotFound" && status.details.kind == about && !about.is_empty() {
                ErrorKind::NotFound
            } else {
                ErrorKind::InvalidSpec
            }
        }
        _ => usual.clone(),
    }
}

/// The server's words where it is an API server, its status line otherwise: any other body may
/// hold anything.
fn message_of(code: StatusCode, status: &Status) -> String {
    if status.message.is_empty() {
        return format!("the server answered {code}, and not as a Kubernetes API server does");
    }
    let end = status.message.floor_char_boundary(MAX_MESSAGE);
    status.message[..end].to_owned()
}

#[cfg(test)]
mod tests;
