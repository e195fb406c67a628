//! What an answer of Pulumi that is no success means, as Pulumi's SDK says it: the status, or what is
//! wrong with an answer that does not explain itself as the SDK expects; the status follows then.

use lockstep_provider_api::http::{Answer, StatusCode};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;
use serde_json::{Map, Value};

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        let status = answer.status();
        let reason = status.canonical_reason().unwrap_or_default();
        let text = format!("{} {reason}", status.as_u16());
        match (fault(answer), answer.detail("/message")) {
            (Some(fault), Some(message)) => format!("{fault} ({text}: {message})"),
            (Some(fault), None) => format!("{fault} ({text})"),
            (None, Some(message)) => format!("{text}: {message}"),
            (None, None) => text,
        }
    })
}

/// Why the SDK does not understand the explanation in an answer.
fn fault(answer: &Answer) -> Option<String> {
    let body = answer.expose_body();
    if body.is_empty() {
        return None;
    }
    let content_type = answer.header("content-type").unwrap_or_default();
    if !content_type.contains("json") {
        return Some("undefined response type".to_owned());
    }
    let members: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    // Diagnostics need no member at all.
    if answer.status() == StatusCode::BAD_REQUEST {
        return None;
    }
    let mut required = ["message", "code"].into_iter();
    let missing = required.find(|name| !members.contains_key(*name))?;
    Some(format!("no value given for required property {missing}"))
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::conformance::{block_on, response, scripted};
    use lockstep_provider_api::http::HttpClient;

    use super::*;

    fn text(status: u16, body: &'static str, content_type: &'static str) -> String {
        let http = HttpClient::new(scripted(move |_| {
            let mut answer = response(status, body);
            let value = content_type.parse().unwrap();
            answer.headers_mut().insert("content-type", value);
            answer
        }));
        let answer = block_on(http.get("https://x.test/").send()).unwrap();
        check(answer).err().unwrap().to_string()
    }

    #[test]
    fn an_answer_that_explains_itself_is_told_by_status_and_message() {
        let body = r#"{"code":401,"message":"no"}"#;

        assert_eq!(text(401, body, "application/json"), "401 Unauthorized: no");
    }

    #[test]
    fn what_the_sdk_does_not_understand_comes_first() {
        assert_eq!(
            text(500, "boom", "text/plain"),
            "undefined response type (500 Internal Server Error)"
        );
        assert_eq!(
            text(404, r#"{"message":"no"}"#, "application/json"),
            "no value given for required property code (404 Not Found: no)"
        );
    }
}
