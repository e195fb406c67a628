//! What an HTTP status means in terms of the contract, and when the server wants to be asked again.
//! The one place where a status becomes an [`ErrorKind`]; backends with other habits decide on the
//! status before they come here.

use std::time::Duration;

use bytes::Bytes;
use http::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use http::{Response, StatusCode};
use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};

use crate::error::{Error, ErrorKind, Result};

/// The date notations of HTTP: the present one and the two old ones.
const DATE_FORMATS: [&str; 3] = [
    "%a, %d %b %Y %H:%M:%S GMT",
    "%A, %d-%b-%y %H:%M:%S GMT",
    "%a %b %e %H:%M:%S %Y",
];

/// Kind of the error a status stands for; `None` for success.
pub fn kind_of(status: StatusCode) -> Option<ErrorKind> {
    Some(match status.as_u16() {
        200..=299 => return None,
        401 => ErrorKind::Unauthenticated,
        403 => ErrorKind::Denied,
        404 | 410 => ErrorKind::NotFound,
        409 | 412 => ErrorKind::Conflict,
        429 => ErrorKind::Throttled,
        // Beside 5xx: time-outs, a proxy that wants credentials, a wrong connection and replayed
        // early data say nothing of the request.
        407 | 408 | 421 | 425 | 500..=599 => ErrorKind::Unreachable,
        400..=499 => ErrorKind::InvalidSpec,
        _ => ErrorKind::InvalidData,
    })
}

/// Turns every status but 2xx into an error. `now` dates a `Retry-After` where the server sends no
/// `Date`. The body is not looked at; a missing secret reads as users know it.
pub fn check_status(response: &Response<Bytes>, now: Option<Timestamp>) -> Result<()> {
    let Some(kind) = kind_of(response.status()) else {
        return Ok(());
    };
    let missing = kind == ErrorKind::NotFound;
    let status = Error::new(kind, status_line(response.status()));
    let error = if missing {
        Error::not_found().with_source(status)
    } else {
        status
    };
    Err(match retry_after(response.headers(), now) {
        Some(delay) => error.with_retry_after(delay),
        None => error,
    })
}

/// The status as Go prints it: `403 Forbidden`.
pub(super) fn status_line(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

fn retry_after(headers: &HeaderMap, now: Option<Timestamp>) -> Option<Duration> {
    let text = text_of(headers, RETRY_AFTER)?;
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = parse_date(text)?;
    let now = text_of(headers, DATE).and_then(parse_date).or(now)?;
    let delay: SignedDuration = until.duration_since(now);
    Some(Duration::try_from(delay).unwrap_or_default())
}

fn text_of(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

fn parse_date(text: &str) -> Option<Timestamp> {
    let parsed = DATE_FORMATS
        .iter()
        .find_map(|format| DateTime::strptime(format, text).ok())?;
    Some(parsed.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&str, &str)]) -> Response<Bytes> {
        let mut builder = Response::builder().status(status);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        builder.body(Bytes::from_static(b"hunter2")).unwrap()
    }

    fn refused(status: u16, headers: &[(&str, &str)]) -> Error {
        check_status(&answer(status, headers), None).unwrap_err()
    }

    #[test]
    fn each_status_has_its_kind() {
        let table = [
            (302, ErrorKind::InvalidData),
            (400, ErrorKind::InvalidSpec),
            (401, ErrorKind::Unauthenticated),
            (403, ErrorKind::Denied),
            (404, ErrorKind::NotFound),
            (408, ErrorKind::Unreachable),
            (409, ErrorKind::Conflict),
            (412, ErrorKind::Conflict),
            (422, ErrorKind::InvalidSpec),
            (429, ErrorKind::Throttled),
            (500, ErrorKind::Unreachable),
            (503, ErrorKind::Unreachable),
        ];

        for (status, kind) in table {
            assert_eq!(refused(status, &[]).kind(), &kind, "{status}");
        }
        assert!(check_status(&answer(204, &[]), None).is_ok());
    }

    #[test]
    fn only_404_and_410_can_look_like_absence() {
        for code in 100..=599 {
            let status = StatusCode::from_u16(code).unwrap();
            let absent = kind_of(status).is_some_and(|kind| kind.consequence().absent);
            assert_eq!(absent, code == 404 || code == 410, "{code}");
        }
    }

    #[test]
    fn a_missing_secret_reads_as_users_know_it() {
        assert_eq!(refused(404, &[]).to_string(), "Secret does not exist");
        assert_eq!(refused(403, &[]).to_string(), "403 Forbidden");
    }

    #[test]
    fn retry_after_is_read_in_seconds_and_as_each_kind_of_date() {
        let date = ("date", "Sun, 06 Nov 1994 08:49:07 GMT");
        let until = [
            "30",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ];

        for text in until {
            let error = refused(429, &[date, ("retry-after", text)]);
            assert_eq!(error.retry_after(), Some(Duration::from_secs(30)), "{text}");
        }
    }

    #[test]
    fn a_date_without_a_server_date_counts_from_the_clock() {
        let response = answer(429, &[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]);
        let now: Timestamp = "1994-11-06T08:49:30Z".parse().unwrap();

        let error = check_status(&response, Some(now)).unwrap_err();

        assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    }

    #[test]
    fn a_date_in_the_past_means_at_once_and_nonsense_means_nothing() {
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        let past = refused(
            429,
            &[date, ("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")],
        );
        let nonsense = refused(429, &[("retry-after", "soon")]);

        assert_eq!(past.retry_after(), Some(Duration::ZERO));
        assert_eq!(nonsense.retry_after(), None);
    }
}
