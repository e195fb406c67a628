//! What an answer's status means. Only 404 is a missing secret; upstream's words come first, the
//! kind is the contract's, and no byte of a body gets into a text.

use bytes::Bytes;
use http::{Response, StatusCode};
use jiff::Timestamp;
use lockstep_provider_api::http::check_status;
use lockstep_provider_api::prelude::*;

/// The answer's error, if it is one; `what` is upstream's name for the endpoint.
pub(crate) fn of_answer(answer: &Response<Bytes>, now: Timestamp, what: &str) -> Option<Error> {
    let status = answer.status();
    if status == StatusCode::NOT_MODIFIED {
        return Some(Error::invalid_data(
            "not modified: the endpoint answered 304 to a request without conditions",
        ));
    }
    let error = check_status(answer, Some(now)).err()?;
    if status == StatusCode::NOT_FOUND {
        return Some(error);
    }
    let text = match status.canonical_reason() {
        Some(reason) => format!("{what} gave error {} {reason}", status.as_u16()),
        None => format!("{what} gave error {}", status.as_u16()),
    };
    if error.kind() == &ErrorKind::NotFound {
        // Upstream knows no other status for absence, and targets are deleted on absence.
        return Some(Error::invalid_data(text));
    }
    Some(error.map_message(|_| text))
}

/// Names the server that fails or wants fewer requests; the text tells the other errors apart.
pub(crate) fn at(server: &str, error: Error) -> Error {
    match error.kind() {
        ErrorKind::Unreachable | ErrorKind::Throttled => {
            error.map_message(|text| format!("{text} ({server})"))
        }
        _ => error,
    }
}

/// Says what happened on the wire without the URL, whose path may hold a credential.
pub(crate) fn of_wire(error: Error) -> Error {
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    match cause {
        Some(cause) => error.map_message(|_| cause),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_provider_api::conformance::response;

    fn told(status: u16) -> Option<Error> {
        of_answer(&response(status, "x"), Timestamp::UNIX_EPOCH, "endpoint")
    }

    #[test]
    fn only_404_is_absence() {
        assert!(told(200).is_none());
        assert!(told(404).unwrap().consequence().absent);
        for status in [304, 400, 401, 403, 410, 429, 500, 503] {
            assert!(!told(status).unwrap().consequence().absent, "{status}");
        }
    }

    #[test]
    fn a_server_that_fails_is_named() {
        let failed = |status| at("http://bank:80", told(status).unwrap()).to_string();

        assert_eq!(
            failed(503),
            "endpoint gave error 503 Service Unavailable (http://bank:80)"
        );
        assert_eq!(failed(403), "endpoint gave error 403 Forbidden");
    }

    #[test]
    fn other_statuses_read_as_upstream_has_them() {
        assert_eq!(
            told(500).unwrap().to_string(),
            "endpoint gave error 500 Internal Server Error"
        );
        assert_eq!(told(429).unwrap().kind(), &ErrorKind::Throttled);
        assert_eq!(
            told(410).unwrap().to_string(),
            "endpoint gave error 410 Gone"
        );
    }
}
