//! What the outcome of a call means: from gRPC's status to the contract's kinds of errors, in one
//! table. Only a server's own `NOT_FOUND` is absence; a plain HTTP answer never is.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use http::header::{CONTENT_TYPE, RETRY_AFTER};
use lockstep_provider_api::http::{Answer, kind_of};
use lockstep_provider_api::prelude::*;

const STATUS: &str = "grpc-status";
const MESSAGE: &str = "grpc-message";
const PUSHBACK: &str = "grpc-retry-pushback-ms";
/// Longest text taken from a server.
const MAX_TEXT: usize = 512;

macro_rules! codes {
    ($($number:literal $name:ident $kind:ident,)*) => {
        /// A status code of gRPC; every code that is not in its list is `Unknown`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the names are gRPC's own")]
        pub enum Code {
            $($name,)*
        }

        impl Code {
            /// The code of a number; `None` for success.
            fn of(number: u32) -> Option<Self> {
                match number {
                    0 => None,
                    $($number => Some(Self::$name),)*
                    _ => Some(Self::Unknown),
                }
            }

            /// Kind of the error it stands for.
            pub fn kind(self) -> ErrorKind {
                match self {
                    $(Self::$name => ErrorKind::$kind,)*
                }
            }
        }
    };
}

codes! {
    1 Canceled Unreachable,
    2 Unknown Unreachable,
    3 InvalidArgument InvalidSpec,
    4 DeadlineExceeded Unreachable,
    5 NotFound NotFound,
    6 AlreadyExists Conflict,
    7 PermissionDenied Denied,
    8 ResourceExhausted Throttled,
    9 FailedPrecondition Conflict,
    10 Aborted Conflict,
    11 OutOfRange InvalidSpec,
    12 Unimplemented InvalidSpec,
    13 Internal Unreachable,
    14 Unavailable Unreachable,
    15 DataLoss InvalidData,
    16 Unauthenticated Unauthenticated,
}

/// The outcome of a call that failed, printed as Go's client does.
#[derive(Clone, Debug)]
pub struct Status {
    /// Its code.
    pub code: Code,
    /// What the server said.
    pub message: String,
}

impl Status {
    /// A status; of a long text the beginning is kept, on one line.
    pub fn new(code: Code, message: impl AsRef<str>) -> Self {
        let line = message.as_ref().chars().take(MAX_TEXT);
        let line = line.map(|c| if c.is_control() { ' ' } else { c });
        Self {
            code,
            message: line.collect(),
        }
    }

    /// The status behind an error of a call.
    pub fn of(error: &Error) -> Option<&Self> {
        error.source()?.downcast_ref()
    }

    /// As an error of another kind than its code stands for.
    pub(super) fn into_error(self, kind: ErrorKind) -> Error {
        Error::new(kind, self.to_string()).with_source(self)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, message } = self;
        write!(f, "rpc error: code = {code:?} desc = {message}")
    }
}

impl StdError for Status {}

/// The error an answer stands for; `None` where the call went well.
pub(super) fn refusal(answer: &Answer) -> Option<Error> {
    // A call that fails at once has its status in the head, every other one behind the body.
    let told = text(answer, STATUS);
    let Some(told) = told else {
        return Some(without_status(answer));
    };
    let code = Code::of(told.parse().unwrap_or(u32::MAX))?;
    let message = unescape(text(answer, MESSAGE).unwrap_or_default());
    let error = Status::new(code, message).into_error(code.kind());
    Some(match retry_after(answer) {
        Some(delay) => error.with_retry_after(delay),
        None => error,
    })
}

/// Something answered that does not speak gRPC, or the answer broke off.
fn without_status(answer: &Answer) -> Error {
    let status = answer.status();
    let reason = status.canonical_reason().unwrap_or_default();
    let head = format!(
        "unexpected HTTP status code received from server: {} ({reason})",
        status.as_u16()
    );
    if let Some(plain) = answer.error() {
        let code = match status.as_u16() {
            400 => Code::Internal,
            401 => Code::Unauthenticated,
            403 => Code::PermissionDenied,
            404 => Code::Unimplemented,
            429 | 502..=504 => Code::Unavailable,
            _ => Code::Unknown,
        };
        let kind = kind_of(status).unwrap_or(ErrorKind::InvalidData);
        let kind = match kind {
            ErrorKind::NotFound => ErrorKind::InvalidSpec,
            kind => kind,
        };
        let error = Status::new(code, head).into_error(kind);
        return match plain.retry_after() {
            Some(delay) => error.with_retry_after(delay),
            None => error,
        };
    }
    let kind = answer.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    if !kind.starts_with("application/grpc") {
        let text = format!("{head}; transport: received unexpected content-type {kind:?}");
        return Status::new(Code::Unknown, text).into_error(ErrorKind::InvalidData);
    }
    let text = "server closed the stream without sending trailers";
    Status::new(Code::Internal, text).into_error(ErrorKind::Unreachable)
}

fn text<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    let behind = answer.trailers().and_then(|trailers| trailers.get(name));
    let value = behind.or_else(|| answer.headers().get(name))?;
    value.to_str().ok()
}

fn retry_after(answer: &Answer) -> Option<Duration> {
    let number = |name| text(answer, name)?.trim().parse().ok();
    let pushback = number(PUSHBACK).map(Duration::from_millis);
    pushback.or_else(|| number(RETRY_AFTER.as_str()).map(Duration::from_secs))
}

/// Undoes the percent encoding of status messages; what is no encoding stays.
fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, behind)) = rest.split_first() {
        let hex = behind
            .get(..2)
            .and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte {
            Some(byte) if first == b'%' => {
                plain.push(byte);
                rest = &behind[2..];
            }
            _ => {
                plain.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_not_found_can_look_like_absence() {
        assert!(Code::of(0).is_none());
        for number in 1..=20 {
            let code = Code::of(number).unwrap();
            assert_eq!(code.kind().consequence().absent, number == 5, "{number}");
        }
    }

    #[test]
    fn a_status_reads_as_in_gos_client() {
        let error = Status::new(Code::PermissionDenied, "no\nway").into_error(ErrorKind::Denied);

        assert_eq!(
            error.to_string(),
            "rpc error: code = PermissionDenied desc = no way"
        );
        assert_eq!(Status::of(&error).unwrap().code, Code::PermissionDenied);
    }

    #[test]
    fn messages_are_decoded_and_broken_escapes_stay() {
        assert_eq!(unescape("a%20b%D1%8F"), "a bя");
        assert_eq!(unescape("100%"), "100%");
        assert_eq!(unescape("%zz%2"), "%zz%2");
    }
}
