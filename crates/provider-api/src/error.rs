//! What can go wrong with a backend, and what follows from it. The kind of an error decides retry,
//! deletion and connection handling; [`ErrorKind::consequence`] is the only place where that is
//! written. Messages name keys, paths and versions, never values.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

/// Text upstream gives a missing secret; scripts match on it.
pub const NOT_FOUND_TEXT: &str = "Secret does not exist";

/// Result of the contract's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Class of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No such secret, version or property.
    NotFound,
    /// The secret is there but deleted, disabled, expired or destroyed.
    Tombstoned(Tombstone),
    /// Authenticated, but not allowed.
    Denied,
    /// Credentials rejected or expired.
    Unauthenticated,
    /// Rate limit; the error may carry `retry_after`.
    Throttled,
    /// DNS, TCP, TLS, time-out or a 5xx answer.
    Unreachable,
    /// The user must change a manifest.
    InvalidSpec,
    /// The backend answered something that cannot be decoded.
    InvalidData,
    /// Target owned by someone else, or changed meanwhile.
    Conflict,
    /// The provider has no such operation.
    Unsupported,
    /// A fault of this program, caught panics included.
    Internal,
}

/// State of a secret that exists but cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// The backend's own word, such as `soft-deleted` or `scheduled for deletion`.
    pub state: Cow<'static, str>,
    /// When the state ends (purge or deletion date), where known.
    pub until: Option<Timestamp>,
    /// Whether upstream treats this backend's state as absence for `deletionPolicy`.
    pub counts_as_absent: bool,
}

/// When a failed read is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// At the next refresh; with back-off from one second while the object never became ready.
    NextRefresh,
    /// Back-off from one second to seven minutes.
    Slow,
    /// Once at once with fresh credentials, then slowly.
    Reconnect,
    /// At the time the backend gave, shared by all users of the store.
    WhenTold,
    /// Fast, through the store's circuit breaker.
    Breaker,
    /// When the manifest changes, and every seven minutes to be safe.
    OnChange,
}

/// What follows from an error of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consequence {
    /// Stable word for conditions, metrics and scripts.
    pub cause: &'static str,
    /// When to try again.
    pub retry: Retry,
    /// Whether `deletionPolicy` may treat the secret as absent.
    pub absent: bool,
    /// Whether the cached connection must be dropped.
    pub drops_connection: bool,
}

impl ErrorKind {
    /// The one table of consequences.
    pub const fn consequence(&self) -> Consequence {
        let (cause, retry, absent, drops_connection) = match self {
            Self::NotFound => ("NotFound", Retry::NextRefresh, true, false),
            Self::Tombstoned(tombstone) => (
                "Tombstoned",
                Retry::NextRefresh,
                tombstone.counts_as_absent,
                false,
            ),
            Self::Denied => ("Denied", Retry::Slow, false, false),
            Self::Unauthenticated => ("Unauthenticated", Retry::Reconnect, false, true),
            Self::Throttled => ("Throttled", Retry::WhenTold, false, false),
            Self::Unreachable => ("Unreachable", Retry::Breaker, false, false),
            Self::InvalidSpec => ("InvalidSpec", Retry::OnChange, false, false),
            Self::InvalidData => ("InvalidData", Retry::NextRefresh, false, false),
            Self::Conflict => ("Conflict", Retry::Slow, false, false),
            Self::Unsupported => ("Unsupported", Retry::OnChange, false, false),
            Self::Internal => ("Internal", Retry::Slow, false, true),
        };
        Consequence {
            cause,
            retry,
            absent,
            drops_connection,
        }
    }
}

/// A failure of a provider operation.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    retry_after: Option<Duration>,
    advised: bool,
    unasked: bool,
    unconnected: bool,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error of any kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            retry_after: None,
            advised: false,
            unasked: false,
            unconnected: false,
            source: None,
        }))
    }

    /// The missing secret, with the text users match on.
    pub fn not_found() -> Self {
        Self::new(ErrorKind::NotFound, NOT_FOUND_TEXT)
    }

    /// The user must change a manifest.
    pub fn invalid_spec(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidSpec, message)
    }

    /// The backend's answer cannot be used.
    pub fn invalid_data(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidData, message)
    }

    /// The provider has no such operation.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    /// The backend cannot be reached.
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unreachable, message)
    }

    /// Class of the failure.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// What follows from it.
    pub fn consequence(&self) -> Consequence {
        self.0.kind.consequence()
    }

    /// When the backend asked to be tried again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Sets the time the backend asked for.
    pub fn with_retry_after(mut self, delay: Duration) -> Self {
        self.0.retry_after = Some(delay);
        self
    }

    /// Says that the message itself tells what to do.
    pub fn advised(mut self) -> Self {
        self.0.advised = true;
        self
    }

    /// Whether the message itself tells what to do.
    pub fn is_advised(&self) -> bool {
        self.0.advised
    }

    /// Says that the backend was not asked: it is known not to answer at present.
    pub fn unasked(mut self) -> Self {
        self.0.unasked = true;
        self
    }

    /// Whether the backend was not asked.
    pub fn is_unasked(&self) -> bool {
        self.0.unasked
    }

    /// Says that the server could not be reached at all, whatever was asked for.
    pub fn unconnected(mut self) -> Self {
        self.0.unconnected = true;
        self
    }

    /// Whether the server could not be reached at all.
    pub fn is_unconnected(&self) -> bool {
        self.0.unconnected
    }

    /// Attaches the underlying error; its text is printed by reporters, not by `Display`.
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Puts what the caller knows in front: `context: message`. Kind and retry time stay.
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// The same failure once more, for another of those it hit; the source stays with the first.
    pub fn duplicate(&self) -> Self {
        let mut copy = Self::new(self.0.kind.clone(), self.0.message.clone());
        copy.0.advised = self.0.advised;
        copy.0.unasked = self.0.unasked;
        copy.0.unconnected = self.0.unconnected;
        match self.0.retry_after {
            Some(delay) => copy.with_retry_after(delay),
            None => copy,
        }
    }

    /// Rewrites the whole message, keeping kind and retry time.
    pub fn map_message(mut self, rewrite: impl FnOnce(&str) -> String) -> Self {
        self.0.message = rewrite(&self.0.message);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outages_denials_and_throttles_never_look_like_absence() {
        let never = [
            ErrorKind::Denied,
            ErrorKind::Unauthenticated,
            ErrorKind::Throttled,
            ErrorKind::Unreachable,
            ErrorKind::InvalidSpec,
            ErrorKind::InvalidData,
            ErrorKind::Conflict,
            ErrorKind::Unsupported,
            ErrorKind::Internal,
        ];

        for kind in never {
            assert!(!kind.consequence().absent, "{kind:?}");
        }
        assert!(ErrorKind::NotFound.consequence().absent);
    }

    #[test]
    fn a_tombstone_is_absence_only_where_its_backend_says_so() {
        let tombstone = |counts_as_absent| {
            ErrorKind::Tombstoned(Tombstone {
                state: "soft-deleted".into(),
                until: None,
                counts_as_absent,
            })
        };

        assert!(tombstone(true).consequence().absent);
        assert!(!tombstone(false).consequence().absent);
    }

    #[test]
    fn context_is_put_in_front_and_keeps_the_kind() {
        let error = Error::not_found().context("get \"db\"");

        assert_eq!(error.to_string(), "get \"db\": Secret does not exist");
        assert_eq!(error.kind(), &ErrorKind::NotFound);
    }

    #[test]
    fn an_error_is_one_pointer_wide() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }
}
