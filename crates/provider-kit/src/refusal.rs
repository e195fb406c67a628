//! The body of a refused request as error texts show it, for backends whose clients print it whole.
//! Members that explain are shown; what could hold a secret is not, so of other text only the size is.

use lockstep_provider_api::http::Answer;
use serde_json::{Map, Value};

/// Longest body that is shown.
const MAX_SHOWN: usize = 256;
/// Members that explain a refusal, in lower case.
const EXPLANATIONS: [&str; 16] = [
    "code",
    "description",
    "detail",
    "details",
    "error",
    "error_description",
    "errorcode",
    "errors",
    "message",
    "messagedetail",
    "reason",
    "result",
    "status",
    "statuscode",
    "title",
    "type",
];

/// The body of a refusal on one line: as it is where it is a JSON object of nothing but explanations.
/// Of other JSON objects the explanations are shown, of everything else the size.
pub fn shown_body(answer: &Answer) -> String {
    let body = String::from_utf8_lossy(answer.expose_body());
    match serde_json::from_str::<Value>(&body) {
        Ok(Value::Object(members)) => object(&body, members),
        _ => format!("({} bytes that are no JSON object)", body.len()),
    }
}

fn object(body: &str, members: Map<String, Value>) -> String {
    if members.iter().all(|(name, value)| explains(name, value)) {
        return one_line(body);
    }
    let shown: Map<String, Value> = members
        .into_iter()
        .filter(|(name, value)| explains(name, value))
        .collect();
    one_line(&Value::Object(shown).to_string())
}

/// Whether a member explains, and everything inside of it.
fn explains(name: &str, value: &Value) -> bool {
    EXPLANATIONS.contains(&name.to_ascii_lowercase().as_str()) && is_explanation(value)
}

fn is_explanation(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().all(|(name, value)| explains(name, value)),
        Value::Array(items) => items.iter().all(is_explanation),
        _ => true,
    }
}

fn one_line(text: &str) -> String {
    let spaced = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut line: String = spaced.take(MAX_SHOWN).collect();
    line.truncate(line.trim_end().len());
    line
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::conformance::{block_on, response, scripted};
    use lockstep_provider_api::http::HttpClient;

    use super::*;

    fn answer(body: &str) -> Answer {
        let body = body.to_owned();
        let http = HttpClient::new(scripted(move |_| response(500, body.clone())));
        block_on(http.get("https://x.test/").send()).unwrap()
    }

    fn shown(body: &str) -> String {
        shown_body(&answer(body))
    }

    #[test]
    fn an_explanation_is_shown_as_it_came() {
        assert_eq!(shown("{\"error\": \"no\"}\n"), r#"{"error": "no"}"#);
    }

    #[test]
    fn members_that_explain_nothing_are_left_out() {
        let body = r#"{"error":"no","data":"hunter2","message":{"value":"hunter2"}}"#;

        assert_eq!(shown(body), r#"{"error":"no"}"#);
        assert_eq!(shown("hunter2"), "(7 bytes that are no JSON object)");
    }

    #[test]
    fn explanations_may_be_nested_and_in_lists() {
        for body in [
            r#"{"error": {"code": 401, "title": "Unauthorized"}}"#,
            r#"{"Message":"no","errors":["a","b"]}"#,
        ] {
            assert_eq!(shown(body), body);
        }
        assert_eq!(shown(r#"{"errors":[{"value":"hunter2"}]}"#), "{}");
    }

    #[test]
    fn a_long_body_is_cut() {
        let body = format!(r#"{{"error":"{}"}}"#, "x".repeat(5000));

        assert_eq!(shown(&body).len(), MAX_SHOWN);
    }
}
