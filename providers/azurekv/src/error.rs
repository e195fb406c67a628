//! What an answer of a vault that says no means. The codes decide, never the status alone where a
//! code tells more; texts hold no request ids and times, so that a retry writes nothing new. Who
//! asked for what, and what to do about it, follows in brackets.

use lockstep_provider_api::error::Tombstone;
use lockstep_provider_api::http::{Answer, kind_of};
use lockstep_provider_api::prelude::*;

use crate::api::Call;
use crate::challenge::Challenge;
use crate::object::Kind;

mod advice;

/// Where and why a request was made, for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) call: Call<'a>,
    pub(crate) vault: &'a str,
    /// The identity in use.
    pub(crate) who: &'a str,
    /// Where it signs in, if known.
    pub(crate) tenant: Option<&'a str>,
}

/// A failed request with what the vault said.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The HTTP status; 0 when no answer came.
    pub(crate) status: u16,
    pub(crate) error: Error,
}

impl Failure {
    /// Whether there is no such object, as far as a read can tell.
    pub(crate) fn is_missing(&self) -> bool {
        *self.error.kind() == ErrorKind::NotFound
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { status: 0, error }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// The failure that an answer stands for.
pub(crate) fn answered(answer: &Answer, place: &Place<'_>) -> Failure {
    let outer = answer.detail("/error/code").unwrap_or_default();
    let inner = answer.detail("/error/innererror/code");
    let message = answer.detail("/error/message").unwrap_or_default();
    let code = inner.unwrap_or_else(|| outer.clone());
    let status = answer.status().as_u16();
    let kind = kind(answer, &outer, &code, &message);
    let error = if kind == ErrorKind::NotFound {
        Error::not_found()
    } else {
        let challenge = Challenge::of(answer);
        let advice = advice::of(&kind, &code, place, challenge.as_ref());
        let head = if outer.is_empty() || outer == code {
            code.clone()
        } else {
            format!("{outer} ({code})")
        };
        let text = format!("{status} {head}: {}{advice}", stable(&message));
        Error::new(kind, text).advised()
    };
    let told = answer.error().and_then(|error| error.retry_after());
    Failure {
        status,
        error: match told {
            Some(delay) => error.with_retry_after(delay),
            None => error,
        },
    }
}

fn kind(answer: &Answer, outer: &str, code: &str, message: &str) -> ErrorKind {
    match answer.status().as_u16() {
        403 => match state(code, message) {
            Some(state) => ErrorKind::Tombstoned(Tombstone {
                state: state.into(),
                until: None,
                counts_as_absent: false,
            }),
            None => ErrorKind::Denied,
        },
        // Any wrong address answers 404; only a vault names what is missing.
        404 if outer.is_empty() => ErrorKind::InvalidSpec,
        409 if code == "ObjectIsDeletedButRecoverable" => ErrorKind::Tombstoned(Tombstone {
            state: "soft-deleted".into(),
            until: None,
            counts_as_absent: false,
        }),
        _ => kind_of(answer.status()).unwrap_or(ErrorKind::InvalidData),
    }
}

/// The state of an object that is there and may not be read. A denial has none.
fn state(code: &str, message: &str) -> Option<&'static str> {
    let says = |words: &[&str]| {
        let message = message.to_ascii_lowercase();
        words.iter().any(|word| message.contains(word))
    };
    let named = |suffix: &str| {
        let noun = [Kind::Secret, Kind::Key, Kind::Certificate];
        noun.iter()
            .any(|kind| code.to_ascii_lowercase() == format!("{}{suffix}", kind.noun()))
    };
    if named("disabled") || says(&["on a disabled ", "is disabled"]) {
        return Some("disabled");
    }
    if named("expired") || says(&["on an expired ", "has expired"]) {
        return Some("expired");
    }
    if named("notyetvalid") || says(&["not yet valid", "before its activation"]) {
        return Some("not yet valid");
    }
    None
}

/// The part of a message that is the same at the next attempt.
fn stable(message: &str) -> &str {
    let ends = [
        "Vault: ",
        "\r",
        "\n",
        "If you recently",
        "Caller: ",
        "Follow this link",
    ];
    let end = ends.iter().filter_map(|end| message.find(end)).min();
    message[..end.unwrap_or(message.len())]
        .trim()
        .trim_end_matches('.')
}
