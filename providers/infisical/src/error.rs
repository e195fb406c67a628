//! What an answer of Infisical that is no success means, in the words of its SDK. The server's message
//! is shown; the rest of the body is not, because an answer may hold a value, and the request id is left
//! empty, because conditions must not change with every retry.

use std::fmt::Write as _;

use lockstep_provider_api::http::{Answer, StatusCode};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::auth::Request;
use lockstep_provider_kit::error::{checked, described, not_absence};
use lockstep_provider_kit::refusal::shown_body;

/// Longest text of a lookup's answer that is shown.
const MAX_SHOWN: usize = 256;

/// A request as error texts name it.
pub(crate) struct Called {
    operation: &'static str,
    target: String,
}

impl Called {
    /// The request that the SDK calls `operation`.
    pub(crate) fn new(operation: &'static str, request: &Request) -> Self {
        Self {
            operation,
            target: format!("{} {}", request.method(), request.uri()),
        }
    }

    /// For reads of one secret: 404 is absence.
    pub(crate) fn secret(&self, answer: Answer) -> Result<Answer> {
        checked(answer, |answer| self.text(answer))
    }

    /// For logins and lists: 404 is a wrong address, project or folder.
    pub(crate) fn other(&self, answer: Answer) -> Result<Answer> {
        described(answer, |answer| self.text(answer)).map_err(not_absence)
    }

    fn text(&self, answer: &Answer) -> String {
        let mut text = format!(
            "APIError: {} unsuccessful response [{}] [status-code={}] [reqId=]",
            self.operation,
            self.target,
            answer.status().as_u16()
        );
        // What a request lacks is described by the whole body.
        let message = match answer.status() {
            StatusCode::UNPROCESSABLE_ENTITY => Some(shown_body(answer)),
            _ => answer.detail("/message"),
        };
        if let Some(message) = message {
            let _ = write!(text, " [message=\"{message}\"]");
        }
        text
    }
}

/// A project that cannot be found by its slug: never absence of a secret.
pub(crate) fn project(slug: &str, answer: Answer) -> Result<Answer> {
    let text = |answer: &Answer| {
        let status = answer.status().as_u16();
        let body = shown_text(answer);
        format!("failed to resolve project id for slug {slug:?}: status {status}: {body}")
    };
    described(answer, text)
}

/// The body of a lookup, which holds no value: text as it is, of an object the members that explain.
fn shown_text(answer: &Answer) -> String {
    let body = answer.expose_body();
    if body.first() == Some(&b'{') {
        return shown_body(answer);
    }
    let text = String::from_utf8_lossy(body);
    text.chars().take(MAX_SHOWN).collect()
}
