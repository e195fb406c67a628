//! Remembers the last request of a connection, so that a call that runs out of time can say which
//! server it waited for. Holds scheme, host and port only: paths and queries may carry credentials,
//! and a text that differs from try to try would write a status each time.

use std::fmt;
use std::time::Duration;

use http::{StatusCode, Uri};
use parking_lot::Mutex;

use super::status::{kind_of, status_line};
use crate::error::{Error, ErrorKind};

/// The last request that a connection sent.
#[derive(Default)]
pub struct LastRequest(Mutex<Option<Sent>>);

struct Sent {
    server: String,
    status: Option<StatusCode>,
}

impl LastRequest {
    /// Notes that a request goes out to `server`.
    pub(super) fn sent(&self, server: String) {
        let status = None;
        *self.0.lock() = Some(Sent { server, status });
    }

    /// Notes the status of the answer.
    pub(super) fn answered(&self, status: StatusCode) {
        if let Some(sent) = self.0.lock().as_mut() {
            sent.status = Some(status);
        }
    }

    /// The failure of a call that took longer than `limit`. A server that answered all the time that
    /// there are too many requests is throttling, not unreachable.
    pub fn out_of_time(&self, call: impl fmt::Display, limit: Duration) -> Error {
        match &*self.0.lock() {
            None => Error::unreachable(format!("{call}: no answer within {limit:?}")),
            Some(sent) => sent.out_of_time(limit),
        }
    }
}

impl Sent {
    fn out_of_time(&self, limit: Duration) -> Error {
        let server = &self.server;
        let failed = self
            .status
            .and_then(|status| Some((kind_of(status)?, status)));
        let Some((kind, status)) = failed else {
            return Error::unreachable(format!("no answer from {server} within {limit:?}"));
        };
        let kind = match kind {
            ErrorKind::Throttled => kind,
            _ => ErrorKind::Unreachable,
        };
        let status = status_line(status);
        let text = format!("nothing usable from {server} within {limit:?}: it answers {status}");
        Error::new(kind, text)
    }
}

/// Scheme, host and port of a request; nothing that could be a credential.
pub fn server_of(uri: &Uri) -> String {
    let scheme = uri.scheme_str().unwrap_or("http");
    let host = uri.host().unwrap_or("?");
    match uri.port_u16() {
        Some(port) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    #[test]
    fn a_hanging_server_is_named() {
        let last = LastRequest::default();
        last.sent("https://vault.example:8200".to_owned());

        let error = last.out_of_time("check", LIMIT);

        assert_eq!(error.kind(), &ErrorKind::Unreachable);
        assert_eq!(
            error.to_string(),
            "no answer from https://vault.example:8200 within 30s"
        );
    }

    #[test]
    fn a_server_that_throttles_until_the_time_is_up_is_not_unreachable() {
        let last = LastRequest::default();
        last.sent("https://vault.example".to_owned());
        last.answered(StatusCode::TOO_MANY_REQUESTS);

        let error = last.out_of_time("check", LIMIT);

        assert_eq!(error.kind(), &ErrorKind::Throttled);
        assert_eq!(
            error.to_string(),
            "nothing usable from https://vault.example within 30s: it answers 429 Too Many Requests"
        );
    }

    #[test]
    fn a_server_that_hangs_after_an_answer_is_unreachable() {
        let last = LastRequest::default();
        last.sent("https://vault.example".to_owned());
        last.answered(StatusCode::OK);
        last.sent("https://vault.example".to_owned());

        let error = last.out_of_time("get", LIMIT);

        assert_eq!(error.kind(), &ErrorKind::Unreachable);
    }

    #[test]
    fn a_call_that_sent_nothing_is_named_itself() {
        let error = LastRequest::default().out_of_time("get", LIMIT);

        assert_eq!(error.to_string(), "get: no answer within 30s");
    }
}
