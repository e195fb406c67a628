//! What a refused call means: Google's status word decides the kind, never the HTTP status alone,
//! because any wrong address can answer 404. The text is the one that upstream's users know; who
//! asked and what would help follows in brackets and is the same at every attempt.

use lockstep_provider_api::http::{Answer, StatusCode, kind_of};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

#[cfg(test)]
mod tests;

/// Longest part of a message that is repeated; conditions and events have limits.
const MAX_MESSAGE: usize = 600;

/// Where and why a call was made, for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The call, such as `AccessSecretVersion`.
    pub(crate) rpc: &'static str,
    /// What was asked for: `projects/p/secrets/s`.
    pub(crate) name: &'a str,
    /// The identity in use.
    pub(crate) who: &'a str,
}

/// A failed call with the status Google gave it.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Google's word, such as `NOT_FOUND`; empty where none came.
    pub(crate) status: String,
    /// What Google said.
    message: String,
    pub(crate) error: Error,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Body {
    error: Refusal,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Refusal {
    status: String,
    message: String,
}

impl Failure {
    pub(crate) fn is_missing(&self) -> bool {
        *self.error.kind() == ErrorKind::NotFound
    }

    pub(crate) fn is_denied(&self) -> bool {
        *self.error.kind() == ErrorKind::Denied
    }

    pub(crate) fn exists_already(&self) -> bool {
        self.status == "ALREADY_EXISTS"
    }

    /// The state of a version that cannot be read, where that is the reason.
    pub(crate) fn dead_version(&self) -> Option<&'static str> {
        if self.status != "FAILED_PRECONDITION" {
            return None;
        }
        let states = [("DISABLED", "disabled"), ("DESTROYED", "destroyed")];
        let found = states
            .into_iter()
            .find(|(word, _)| self.message.contains(&format!("{word} state")));
        found.map(|(_, state)| state)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// No answer came, or no token to ask with.
pub(crate) fn unsent(error: Error) -> Failure {
    Failure {
        status: String::new(),
        message: String::new(),
        error,
    }
}

/// The answer if it is a success, otherwise what it stands for.
pub(crate) fn check(answer: Answer, place: &Place<'_>) -> Result<Answer, Failure> {
    let Some(by_status) = answer.error() else {
        return Ok(answer);
    };
    let body: Body = serde_json::from_slice(answer.expose_body()).unwrap_or_default();
    let Refusal { status, message } = body.error;
    let kind = kind(&status, answer.status(), place.rpc);
    let said = shortened(&message);
    let text = if status.is_empty() {
        format!(
            "{}: the server answered {}, which is not an answer of Secret Manager; \
             check the address, proxies and firewalls",
            place.rpc,
            answer.status().as_u16()
        )
    } else {
        let code = camel(&status);
        let detail = detail(place, &kind);
        format!("rpc error: code = {code} desc = {said}{detail}")
    };
    let mut error = Error::new(kind, text).advised();
    if let Some(delay) = by_status.retry_after() {
        error = error.with_retry_after(delay);
    }
    Err(Failure {
        status,
        message,
        error,
    })
}

fn kind(status: &str, http: StatusCode, rpc: &str) -> ErrorKind {
    match status {
        "NOT_FOUND" => ErrorKind::NotFound,
        "PERMISSION_DENIED" => ErrorKind::Denied,
        "UNAUTHENTICATED" => ErrorKind::Unauthenticated,
        "RESOURCE_EXHAUSTED" => ErrorKind::Throttled,
        "UNAVAILABLE" | "INTERNAL" | "UNKNOWN" | "DEADLINE_EXCEEDED" | "CANCELLED" => {
            ErrorKind::Unreachable
        }
        "ALREADY_EXISTS" | "ABORTED" => ErrorKind::Conflict,
        // The etag is of an older state.
        "FAILED_PRECONDITION" if matches!(rpc, "UpdateSecret" | "DeleteSecret") => {
            ErrorKind::Conflict
        }
        "FAILED_PRECONDITION" | "UNIMPLEMENTED" | "DATA_LOSS" => ErrorKind::InvalidData,
        "INVALID_ARGUMENT" | "OUT_OF_RANGE" => ErrorKind::InvalidSpec,
        _ => match kind_of(http) {
            // Any server can answer 404; only Google's own word is absence.
            Some(ErrorKind::NotFound) | None => ErrorKind::InvalidData,
            Some(kind) => kind,
        },
    }
}

/// `FAILED_PRECONDITION` as gRPC prints it.
fn camel(status: &str) -> String {
    let words = status.split('_').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_owned() + &rest.to_ascii_lowercase()
    });
    words.collect()
}

fn shortened(message: &str) -> String {
    let line: String = message
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    line[..line.floor_char_boundary(MAX_MESSAGE)]
        .trim_end()
        .to_owned()
}

/// Who asked, and what would help.
fn detail(place: &Place<'_>, kind: &ErrorKind) -> String {
    let help = match kind {
        ErrorKind::Denied => format!(
            "grant {} on {} or its project, and check that the Secret Manager API is enabled",
            role(place.rpc),
            place.name
        ),
        ErrorKind::Unauthenticated => "the token was not accepted; renew the credential".to_owned(),
        ErrorKind::Throttled => "the quota of the project is used up; raise it or \
                                 lengthen refreshInterval"
            .to_owned(),
        _ => return String::new(),
    };
    format!(" (as {}; {help})", place.who)
}

/// The least role that allows a call.
fn role(rpc: &str) -> &'static str {
    match rpc {
        "AccessSecretVersion" => "roles/secretmanager.secretAccessor",
        "GetSecret" | "ListSecrets" | "ListSecretVersions" | "GetSecretVersion" => {
            "roles/secretmanager.viewer"
        }
        "AddSecretVersion" => "roles/secretmanager.secretVersionAdder",
        "EnableSecretVersion" | "DisableSecretVersion" => {
            "roles/secretmanager.secretVersionManager"
        }
        _ => "roles/secretmanager.admin",
    }
}
