//! What an answer of Infisical that is no success means, in the words of its SDK. The server's message
//! is shown; the rest of the body is not, because an answer may hold a value, and the request id is
//! not, because conditions must not change with every retry.

use std::fmt::Write as _;

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::auth::Request;
use lockstep_provider_kit::error::{checked, described, not_absence};

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
            "APIError: {} unsuccessful response [{}] [status-code={}]",
            self.operation,
            self.target,
            answer.status().as_u16()
        );
        if let Some(message) = answer.detail("/message") {
            let _ = write!(text, " [message=\"{message}\"]");
        }
        text
    }
}

/// A project that cannot be found by its slug: never absence of a secret.
pub(crate) fn project(slug: &str, answer: Answer) -> Result<Answer> {
    let text = |answer: &Answer| {
        let status = answer.status().as_u16();
        let message = answer.detail("/message").unwrap_or_default();
        format!("failed to resolve project id for slug {slug:?}: status {status}: {message}")
    };
    described(answer, text)
}
