//! A failed request in the few classes that callers decide on, with the server's own text. One type from the
//! request to the condition, whether an API server or a folder of manifests was written to.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

#[cfg(feature = "cluster")]
mod refusal;

#[cfg(feature = "cluster")]
pub use refusal::AWAY;
#[cfg(feature = "cluster")]
pub(crate) use refusal::redacted;

/// Class of a failed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiErrorKind {
    /// The object, or its whole kind, is not there.
    NotFound,
    /// An object of that name is there already.
    AlreadyExists,
    /// The object changed since it was read, or a precondition does not hold.
    Conflict,
    /// Our rights do not suffice.
    Forbidden,
    /// The namespace is being deleted and takes no new objects.
    Terminating,
    /// Our credentials are not accepted.
    Unauthorized,
    /// The server refuses the content.
    Invalid,
    /// The resourceVersion is too old.
    Expired,
    /// Too many requests.
    Throttled,
    /// No answer, or a server error.
    Unreachable,
    /// The answer cannot be understood.
    Undecodable,
}

/// A failed request to the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    kind: ApiErrorKind,
    message: String,
    retry_after: Option<Duration>,
}

impl ApiError {
    /// An error of a class, without a hint when to ask again.
    pub fn new(kind: ApiErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after: None,
        }
    }

    /// Whether what was to be written changed meanwhile, so that a new look at it may do.
    pub fn is_race(&self) -> bool {
        matches!(
            self.kind,
            ApiErrorKind::Conflict | ApiErrorKind::AlreadyExists
        )
    }

    /// Its class.
    pub fn kind(&self) -> ApiErrorKind {
        self.kind
    }

    /// When the server wants to be asked again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Whether the class is this one.
    pub fn is(&self, kind: ApiErrorKind) -> bool {
        self.kind == kind
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for ApiError {}
