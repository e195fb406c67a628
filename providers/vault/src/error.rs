//! What a refused request means. The status alone does not tell: a sealed server, a missing mount, a
//! namespace that does not exist and a missing secret are separated by the text of the answer. The
//! text is that of the vendor's client, which users match on; what would help follows in brackets.

use lockstep_provider_api::http::{Answer, StatusCode, kind_of};
use lockstep_provider_api::json::Value;
use lockstep_provider_api::prelude::*;

#[cfg(test)]
mod tests;

/// Longest part of a message that is repeated; conditions and events have limits.
const MAX_MESSAGE: usize = 600;

/// A request, as messages name it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) method: &'static str,
    pub(crate) url: String,
    pub(crate) namespace: Option<String>,
    /// The path alone, for advice.
    pub(crate) path: String,
}

/// A request that was refused or got no answer.
#[derive(Debug)]
pub struct Failure {
    /// The status; `None` where no answer came.
    pub(crate) status: Option<StatusCode>,
    /// What the server said, one text a fault.
    pub(crate) errors: Vec<String>,
    /// What the answer held beside: a deleted version has its metadata here.
    pub(crate) body: Value,
    /// The failure in terms of the contract.
    pub error: Error,
}

impl Failure {
    /// Whether nothing is at the path, as far as this answer tells.
    pub fn is_missing(&self) -> bool {
        *self.error.kind() == ErrorKind::NotFound
    }

    /// Whether the token was not good enough, be it ended or without the right.
    pub(crate) fn is_forbidden(&self) -> bool {
        self.status == Some(StatusCode::FORBIDDEN)
    }

    /// Whether the write named another version than the present one, or none where one is demanded.
    pub(crate) fn is_check_and_set(&self) -> bool {
        let mut errors = self.errors.iter();
        errors.any(|error| error.contains("check-and-set"))
    }

    /// Whether another try may help.
    pub(crate) fn is_passing(&self) -> bool {
        match self.status {
            None => *self.error.kind() == ErrorKind::Unreachable,
            Some(status) => {
                matches!(status.as_u16(), 412 | 429) || status.is_server_error() && status != 501
            }
        }
    }

    /// Says that the token is not known to the server any more.
    pub(crate) fn ended(mut self, who: &str) -> Self {
        let text = format!(
            "{} (the server refuses the token of {who}: it is invalid, expired or revoked; renew it)",
            self.error
        );
        self.error = Error::new(ErrorKind::Unauthenticated, text).advised();
        self
    }

    /// Names the right that is missing.
    pub(crate) fn denied(mut self, place: &Place, who: &str) -> Self {
        let text = format!(
            "{} (as {who}; its policies need: path {:?} {{ capabilities = [{:?}] }})",
            self.error,
            place.path,
            capability(place)
        );
        self.error = Error::new(ErrorKind::Denied, text).advised();
        self
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// A failure before anything was asked, or without an answer.
pub(crate) fn unsent(error: Error) -> Failure {
    Failure {
        status: None,
        errors: Vec::new(),
        body: Value::Null,
        error,
    }
}

/// What an answer that is no success stands for.
pub(crate) fn refused(answer: &Answer, place: &Place) -> Failure {
    let decoded = lockstep_provider_api::json::decode_verbatim(answer.expose_body());
    let is_json = decoded.is_ok();
    let body = decoded.unwrap_or_default();
    let errors = texts(&body, "errors");
    let status = answer.status();
    let kind = kind(status, &errors, is_json);
    let error = if kind == ErrorKind::NotFound {
        Error::not_found()
    } else {
        let said = message(place, status, &errors, is_json);
        let error = match advice(status, &errors, place) {
            Some(advice) => Error::new(kind, format!("{said} ({advice})")).advised(),
            None => Error::new(kind, said),
        };
        match answer.error().and_then(|error| error.retry_after()) {
            Some(delay) => error.with_retry_after(delay),
            None => error,
        }
    };
    Failure {
        status: Some(status),
        errors,
        body,
        error,
    }
}

fn kind(status: StatusCode, errors: &[String], is_json: bool) -> ErrorKind {
    match status.as_u16() {
        // Any server can answer 404; only the vendor's own empty answer is absence.
        404 if is_json && errors.is_empty() => ErrorKind::NotFound,
        404 => ErrorKind::InvalidSpec,
        // A standby that has not caught up yet.
        412 => ErrorKind::Unreachable,
        400 if says(errors, "check-and-set") => ErrorKind::Conflict,
        400 if says(errors, "pgrading from non-versioned") => ErrorKind::Unreachable,
        // Nothing says that the manifest is at fault, so the read is tried again.
        400 => ErrorKind::InvalidData,
        _ => kind_of(status).unwrap_or(ErrorKind::InvalidData),
    }
}

fn says(errors: &[String], words: &str) -> bool {
    errors.iter().any(|error| error.contains(words))
}

/// The text of the vendor's client.
fn message(place: &Place, status: StatusCode, errors: &[String], is_json: bool) -> String {
    let namespace = place.namespace.as_ref();
    let namespace = namespace.map_or_else(String::new, |name| format!("Namespace: {name}\n"));
    let head = format!(
        "Error making API request.\n\n{namespace}URL: {} {}\nCode: {}.",
        place.method,
        place.url,
        status.as_u16()
    );
    if !is_json {
        return format!("{head} Raw Message:\n\n(the answer is not from Vault)");
    }
    let lines: Vec<String> = errors
        .iter()
        .map(|error| format!("* {}", shortened(error)))
        .collect();
    format!("{head} Errors:\n\n{}", lines.join("\n"))
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_MESSAGE)]
}

/// What would help.
fn advice(status: StatusCode, errors: &[String], place: &Place) -> Option<String> {
    let namespace = place.namespace.as_deref().unwrap_or("root");
    Some(match status.as_u16() {
        404 if says(errors, "namespace not found") => format!(
            "namespace {namespace:?} does not exist on the server; check namespace and \
             auth.namespace of the store"
        ),
        404 if says(errors, "no handler for route") => format!(
            "nothing is mounted at {:?} in namespace {namespace:?}; check path and namespace of \
             the store",
            place.path.split('/').next().unwrap_or_default()
        ),
        503 if says(errors, "sealed") => "the server is sealed; unseal it".to_owned(),
        500 | 503 if says(errors, "active") && says(errors, "node") => {
            "the server is a standby without an active node; check the cluster".to_owned()
        }
        412 => "a standby has not caught up with the last write; \
                 forwardInconsistent asks the active node"
            .to_owned(),
        429 => "the rate limit of the server is used up; raise its quota or lengthen \
                refreshInterval"
            .to_owned(),
        _ => return None,
    })
}

fn capability(place: &Place) -> &'static str {
    match place.method {
        "GET" if place.url.contains("?list=true") => "list",
        "GET" => "read",
        "DELETE" => "delete",
        _ => "create\", \"update",
    }
}

/// The texts of a list in the body.
pub(crate) fn texts(body: &Value, name: &str) -> Vec<String> {
    let list = body.as_object().and_then(|members| members.get(name));
    let list = list.and_then(Value::as_array).unwrap_or_default();
    let texts = list.iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}
