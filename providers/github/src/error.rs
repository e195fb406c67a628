//! What an answer of GitHub that is no success means, in the words of upstream's client. GitHub answers
//! 403 also when a limit is reached; that is a throttle and no denial.

use std::time::Duration;

use http::Uri;
use lockstep_provider_api::http::{Answer, Method, StatusCode};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;
use serde::Deserialize;

#[derive(Default, Deserialize)]
struct Refusal {
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: Vec<Fault>,
}

/// A fault that GitHub names: an object, or only its message.
#[derive(Deserialize)]
#[serde(untagged)]
enum Fault {
    Message(String),
    Object(Place),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Place {
    resource: String,
    field: String,
    code: String,
    message: String,
}

/// Checks the answer to a request that the text names.
pub(crate) fn check(method: &Method, uri: &Uri) -> impl FnOnce(Answer) -> Result<Answer> + use<> {
    let called = format!("{method} {uri}");
    move |answer| {
        let limit = limit(&answer);
        let checked = described(answer, |answer| text(&called, answer));
        checked.map_err(|error| match limit {
            Some(wait) => throttled(&error, wait),
            None => error,
        })
    }
}

/// Checks the answer to the app's sign-in.
pub(crate) fn sign_in(uri: &Uri) -> impl FnOnce(Answer) -> Result<Answer> + use<> {
    let uri = uri.to_string();
    move |answer| {
        let limit = limit(&answer);
        let checked = described(answer, |answer| {
            let status = status(answer.status());
            format!("received non 2xx response status {status:?} when fetching {uri}")
        });
        checked.map_err(|error| match limit {
            Some(wait) => throttled(&error, wait),
            None => error,
        })
    }
}

fn text(called: &str, answer: &Answer) -> String {
    let refusal: Refusal = answer.json().unwrap_or_default();
    let code = answer.status().as_u16();
    let mut message = refusal.message;
    message.truncate(message.floor_char_boundary(256));
    let faults: Vec<String> = refusal.errors.iter().take(5).map(Fault::shown).collect();
    format!("{called}: {code} {message} [{}]", faults.join(" "))
}

impl Fault {
    fn shown(&self) -> String {
        let nowhere = Place::default();
        let (place, message) = match self {
            Self::Message(message) => (&nowhere, message),
            Self::Object(place) => (place, &place.message),
        };
        format!(
            "{{Resource:{} Field:{} Code:{} Message:{message}}}",
            place.resource, place.field, place.code
        )
    }
}

fn status(status: StatusCode) -> String {
    let reason = status.canonical_reason().unwrap_or_default();
    format!("{} {reason}", status.as_u16())
}

/// How long to wait where a 403 says that a limit is reached: zero where it does not say how long.
fn limit(answer: &Answer) -> Option<Duration> {
    if answer.status() != StatusCode::FORBIDDEN {
        return None;
    }
    if let Some(seconds) = answer.header("retry-after") {
        return Some(Duration::from_secs(seconds.trim().parse().unwrap_or(0)));
    }
    (answer.header("x-ratelimit-remaining")?.trim() == "0").then_some(Duration::ZERO)
}

fn throttled(error: &Error, wait: Duration) -> Error {
    let throttled = Error::new(ErrorKind::Throttled, error.to_string());
    if wait.is_zero() {
        return throttled;
    }
    throttled.with_retry_after(wait)
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::conformance::{block_on, response, scripted};
    use lockstep_provider_api::http::HttpClient;

    use super::*;

    fn refused(
        status: u16,
        body: &'static str,
        header: Option<(&'static str, &'static str)>,
    ) -> Error {
        let http = HttpClient::new(scripted(move |_| {
            let mut answer = response(status, body);
            if let Some((name, value)) = header {
                let value = http::HeaderValue::from_static(value);
                answer.headers_mut().insert(name, value);
            }
            answer
        }));
        let uri = Uri::from_static("https://ghe.test/api/v3/x?per_page=1");
        let answer = block_on(http.get(uri.to_string()).send()).unwrap();
        check(&Method::GET, &uri)(answer).unwrap_err()
    }

    #[test]
    fn the_text_is_that_of_upstreams_client() {
        let error = refused(404, r#"{"message":"Not Found"}"#, None);

        assert_eq!(error.kind(), &ErrorKind::NotFound);
        let want = "GET https://ghe.test/api/v3/x?per_page=1: 404 Not Found []";
        assert_eq!(error.to_string(), want);
    }

    #[test]
    fn faults_are_objects_or_texts() {
        let body = r#"{"message":"Validation Failed","errors":[{"field":"key_id","code":"invalid"},"too long"]}"#;
        let error = refused(422, body, None).to_string();

        let want = "422 Validation Failed [{Resource: Field:key_id Code:invalid Message:} \
                    {Resource: Field: Code: Message:too long}]";
        assert!(error.ends_with(want), "{error}");
    }

    #[test]
    fn a_limit_is_told_from_a_denial() {
        let denied = refused(403, r#"{"message":"no"}"#, None);
        let primary = refused(403, "{}", Some(("x-ratelimit-remaining", "0")));
        let secondary = refused(403, "{}", Some(("retry-after", "7")));

        assert_eq!(denied.kind(), &ErrorKind::Denied);
        assert_eq!(primary.kind(), &ErrorKind::Throttled);
        assert_eq!(secondary.retry_after(), Some(Duration::from_secs(7)));
    }
}
