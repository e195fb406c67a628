//! What a failed call means: the error code decides the kind, never the message alone. The text is
//! the one upstream's users know, without request ids and times, so that a retry writes nothing
//! new; who asked for what, where, and what to do about it follows in brackets.

use std::error::Error as StdError;
use std::time::Duration;

use aws_sdk_sts::error::SdkError;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use lockstep_provider_api::prelude::*;

use crate::wire::Server;

use text::Met;

mod kind;
#[cfg(test)]
mod tests;
mod text;

/// Where and why a call was made, for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// Name of the service as upstream's SDK prints it: `Secrets Manager`.
    pub(crate) service: &'a str,
    /// Prefix of its IAM actions: `secretsmanager`.
    pub(crate) prefix: &'a str,
    /// The operation.
    pub(crate) operation: &'a str,
    /// What was asked for, with its kind: `secret "a/b"`.
    pub(crate) subject: &'a str,
    pub(crate) region: &'a str,
    /// The identity in use.
    pub(crate) who: &'a str,
}

/// A failed call with the code AWS gave it.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The error code; empty when no answer came.
    pub(crate) code: String,
    pub(crate) error: Error,
}

impl Failure {
    pub(crate) fn is(&self, code: &str) -> bool {
        self.code == code
    }

    pub(crate) fn is_denied(&self) -> bool {
        *self.error.kind() == ErrorKind::Denied
    }

    /// Whether the same call may work a moment later.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(
            self.error.kind(),
            ErrorKind::Throttled | ErrorKind::Unreachable
        )
    }

    /// The failure of a call that was repeated until the attempts ran out.
    pub(crate) fn exhausted(mut self, attempts: u32) -> Self {
        self.error = self.error.map_message(|text| {
            let note = format!(", exceeded maximum number of attempts, {attempts}, https response");
            text.replacen(", https response", &note, 1)
        });
        self
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// The failure an SDK error stands for.
pub(crate) fn of<E>(error: &SdkError<E, HttpResponse>, place: &Place<'_>) -> Failure
where
    E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
{
    match error {
        SdkError::ServiceError(context) => {
            let (body, answer) = (context.raw().body().bytes(), context.raw());
            let mut code = context.err().code().map(str::to_owned);
            let mut message = context.err().message().map(str::to_owned);
            if code.is_none() {
                let (xml_code, xml_message) = text::xml_error(body.unwrap_or_default());
                (code, message) = (xml_code, xml_message.or(message));
            }
            let modeled = !context.err().to_string().starts_with("unhandled error");
            answered(
                Answer {
                    code: code.unwrap_or_default(),
                    message: message.unwrap_or_default(),
                    status: answer.status().as_u16(),
                    server: server(answer),
                    modeled,
                },
                retry_after(answer),
                place,
            )
        }
        SdkError::ResponseError(context) => unreadable(context.raw(), place),
        other => unsent(other, place),
    }
}

/// An answer that says no.
#[derive(Debug)]
struct Answer {
    code: String,
    message: String,
    status: u16,
    /// Who answered.
    server: String,
    /// Whether the operation's description knows the code.
    modeled: bool,
}

fn answered(answer: Answer, retry_after: Option<Duration>, place: &Place<'_>) -> Failure {
    let kind = kind::of(&answer.code, &answer.message, answer.status);
    let message = text::clean(&answer.message);
    let head = match (answer.code.as_str(), answer.modeled) {
        ("", _) => "api error UnknownError".to_owned(),
        (code, true) => code.to_owned(),
        (code, false) => format!("api error {code}"),
    };
    let said = if message.is_empty() {
        head
    } else {
        format!("{head}: {message}")
    };
    let met = match answer.code.as_str() {
        "" => Met::Stranger(&answer.server, answer.status),
        code => Met::Code(&answer.server, code),
    };
    let detail = text::detail(place, &kind, &met);
    let mut error = Error::new(
        kind,
        format!(
            "operation error {}: {}, https response error StatusCode: {}, {said}{detail}",
            place.service, place.operation, answer.status
        ),
    )
    .advised();
    if let Some(delay) = retry_after {
        error = error.with_retry_after(delay);
    }
    Failure {
        code: answer.code,
        error,
    }
}

/// An answer that is no answer of this service: a proxy's page, or a success that cannot be read.
fn unreadable(answer: &HttpResponse, place: &Place<'_>) -> Failure {
    let (code, message) = text::xml_error(answer.body().bytes().unwrap_or_default());
    let unread = Answer {
        code: code.unwrap_or_default(),
        message: message.unwrap_or_default(),
        status: answer.status().as_u16(),
        server: server(answer),
        modeled: false,
    };
    answered(unread, None, place)
}

/// No answer: the wire failed, or there are no credentials to sign with.
fn unsent<E>(error: &SdkError<E, HttpResponse>, place: &Place<'_>) -> Failure
where
    E: StdError + Send + Sync + 'static,
{
    let (kind, why, told) = match ours(error) {
        Some(own) => (own.kind().clone(), own.to_string(), own.retry_after()),
        None if matches!(error, SdkError::TimeoutError(_)) => {
            let text = "request send failed: no answer in time".to_owned();
            (ErrorKind::Unreachable, text, None)
        }
        None => text::no_credentials(error),
    };
    // A credential that is missing is not a missing secret.
    let kind = match kind {
        ErrorKind::NotFound | ErrorKind::Tombstoned(_) => ErrorKind::InvalidSpec,
        kind => kind,
    };
    let met = if why.contains("which is not trusted") {
        Met::Untrusted
    } else if why.contains("its certificate") {
        Met::BadCertificate
    } else {
        Met::Nobody
    };
    let detail = text::detail(place, &kind, &met);
    let text = format!(
        "operation error {}: {}, {why}{detail}",
        place.service, place.operation
    );
    let mut error = Error::new(kind, text).advised();
    if let Some(delay) = told {
        error = error.with_retry_after(delay);
    }
    Failure {
        code: String::new(),
        error,
    }
}

/// The contract's error somewhere below one of the SDK's.
pub(crate) fn ours<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(own) = error.downcast_ref::<Error>() {
            return Some(own);
        }
        next = error.source();
    }
    None
}

/// Who answered.
fn server(answer: &HttpResponse) -> String {
    let server = answer.extension::<Server>();
    server.map_or_else(|| "the endpoint".to_owned(), |server| server.0.clone())
}

fn retry_after(answer: &HttpResponse) -> Option<Duration> {
    let header = answer.headers().get("retry-after")?;
    header.parse().ok().map(Duration::from_secs)
}
