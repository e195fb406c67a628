//! What an answer of a Connect server that is no success means. Nothing is ever absence here: upstream
//! has no missing secret in this provider, so no `deletionPolicy` may act on one.

use std::error::Error as StdError;
use std::fmt;

use bytes::Bytes;
use http::{Response, StatusCode};
use jiff::Timestamp;
use lockstep_provider_api::http::check_status;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

/// Longest part of a server's message that is repeated; conditions and events have limits.
const MAX_MESSAGE: usize = 400;

/// The server's own account of a failure.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Refusal {
    status: u16,
    message: String,
}

/// Why an item was not found, for callers that must tell it from other failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// No vault of the store has it.
    Item,
    /// The server knows no such path.
    Path,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Item => "no such item",
            Self::Path => "no such path",
        })
    }
}

impl StdError for Missing {}

/// The error an answer stands for; `None` for success.
pub(crate) fn of_answer(answer: &Response<Bytes>, now: Timestamp) -> Option<Error> {
    let refused = check_status(answer, Some(now)).err()?;
    let text = text_of(answer);
    let mut error = match answer.status() {
        StatusCode::NOT_FOUND | StatusCode::GONE => {
            Error::invalid_data(text).with_source(Missing::Path)
        }
        _ => Error::new(refused.kind().clone(), text),
    };
    if let Some(delay) = refused.retry_after() {
        error = error.with_retry_after(delay);
    }
    Some(error)
}

/// The item that no vault has. `deletionPolicy` does not act on it, as at upstream.
pub(crate) fn no_such_item(text: String) -> Error {
    Error::invalid_data(text).with_source(Missing::Item)
}

/// Whether an error says that something is not there.
pub(crate) fn is_missing(error: &Error, what: Missing) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref());
    source == Some(&what)
}

/// Whether a refusal may go away by itself: Connect answers so while it catches up with the account.
pub(crate) fn is_passing(error: &Error) -> bool {
    error.to_string().contains("status 403: Authorization")
}

/// `status 401: Invalid bearer token`. A body that is no refusal may hold anything, so the status line
/// stands in for it.
fn text_of(answer: &Response<Bytes>) -> String {
    let status = answer.status();
    let refusal = serde_json::from_slice::<Refusal>(answer.body()).unwrap_or_default();
    if refusal.message.is_empty() {
        let reason = status.canonical_reason().unwrap_or_default();
        return format!("status {}: {reason}", status.as_u16());
    }
    let code = match refusal.status {
        0 => status.as_u16(),
        code => code,
    };
    let end = refusal.message.floor_char_boundary(MAX_MESSAGE);
    format!("status {code}: {}", &refusal.message[..end])
}

#[cfg(test)]
mod tests;
