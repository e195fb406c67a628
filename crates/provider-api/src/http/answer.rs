//! The answer to a request: its status as an error, its body as JSON or as a secret value. Errors
//! name method and redacted URL; of the body they show one text member at most, and only when the
//! provider names it.

use std::fmt;

use bytes::Bytes;
use http::header::HeaderMap;
use http::{Response, StatusCode};
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::status::{check_status, status_line};
use crate::error::{Error, ErrorKind, Result};
use crate::value::SecretValue;

/// Longest text taken out of a body into an error.
const MAX_DETAIL: usize = 256;

/// What came behind a body, where the protocol has trailers; an extension of the response. gRPC puts
/// the outcome of a call there.
#[derive(Clone, Debug)]
pub struct Trailers(pub HeaderMap);

/// An answer of any status.
pub struct Answer {
    response: Response<Bytes>,
    called: String,
    now: Option<Timestamp>,
}

impl Answer {
    pub(super) fn new(response: Response<Bytes>, called: String, now: Option<Timestamp>) -> Self {
        Self {
            response,
            called,
            now,
        }
    }

    /// Its status.
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// Its headers.
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// One header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// The headers behind its body, where the server sent any.
    pub fn trailers(&self) -> Option<&HeaderMap> {
        let trailers = self.response.extensions().get::<Trailers>();
        trailers.map(|trailers| &trailers.0)
    }

    /// Its body. Most bodies of this program hold secrets.
    pub fn expose_body(&self) -> &Bytes {
        self.response.body()
    }

    /// Its body as a secret value.
    pub fn into_secret(self) -> SecretValue {
        SecretValue::new(self.response.into_body().into())
    }

    /// Itself if the status is 2xx, else the error the status stands for.
    pub fn check(self) -> Result<Self> {
        match self.error() {
            None => Ok(self),
            Some(error) => Err(error),
        }
    }

    /// As [`Self::check`], with the text at a JSON pointer such as `/errors/0` in the message. Name
    /// only members that the backend fills with explanations, never with secrets.
    pub fn check_with(self, pointer: &str) -> Result<Self> {
        let Some(error) = self.error() else {
            return Ok(self);
        };
        Err(match self.detail(pointer) {
            Some(detail) if error.kind() != &ErrorKind::NotFound => {
                error.map_message(|message| format!("{message}: {detail}"))
            }
            _ => error,
        })
    }

    /// The error the status stands for; `None` for 2xx.
    pub fn error(&self) -> Option<Error> {
        let error = check_status(&self.response, self.now).err()?;
        Some(if error.kind() == &ErrorKind::NotFound {
            error
        } else {
            error.context(&self.called)
        })
    }

    /// The text at a JSON pointer of the body, on one line and shortened.
    pub fn detail(&self, pointer: &str) -> Option<String> {
        let body: serde_json::Value = serde_json::from_slice(self.response.body()).ok()?;
        let text = body.pointer(pointer)?.as_str()?;
        let mut line: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(MAX_DETAIL)
            .collect();
        line.truncate(line.trim_end().len());
        Some(line).filter(|line| !line.is_empty())
    }

    /// The body as JSON. An error names the position, never the content.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_slice(self.response.body()).map_err(|error| {
            Error::invalid_data(format!(
                "{}: the answer is not the JSON expected at line {} column {}",
                self.called,
                error.line(),
                error.column()
            ))
        })
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("called", &self.called)
            .field("status", &status_line(self.status()))
            .field(
                "body",
                &format_args!("{} bytes", self.response.body().len()),
            )
            .finish_non_exhaustive()
    }
}
