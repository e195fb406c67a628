//! What an answer of GitLab that is no success means, in the words of its SDK. Of the body only the members
//! that explain are shown. A missing variable is a kind of its own; whether it deletes anything is decided
//! in `store`.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::auth::Request;
use lockstep_provider_kit::error::described;
use serde_json::{Map, Value};

/// The SDK's text for 404, whatever the server says.
const NOT_FOUND: &str = "404 Not Found";
/// Members of a refusal that explain it, in the order in which they are shown.
const EXPLANATIONS: [&str; 3] = ["error", "error_description", "message"];
/// Longest explanation that is shown.
const MAX_SHOWN: usize = 512;

/// Turns answers to `request` into errors.
pub(crate) fn check(request: &Request) -> impl FnOnce(Answer) -> Result<Answer> + use<> {
    // The SDK leaves the query out.
    let uri = request.uri().to_string();
    let address = uri.split('?').next().unwrap_or_default();
    let target = format!("{} {address}", request.method());
    move |answer| {
        described(answer, |answer| {
            let status = answer.status().as_u16();
            if status == 404 {
                return NOT_FOUND.to_owned();
            }
            let text = format!("{target}: {status}");
            match explanation(answer.expose_body()) {
                Some(explanation) => format!("{text} {explanation}"),
                None => text,
            }
        })
    }
}

fn explanation(body: &[u8]) -> Option<String> {
    let members: Map<String, Value> = serde_json::from_slice(body).ok()?;
    let shown = EXPLANATIONS.iter();
    let shown = shown.filter_map(|name| Some(format!("{{{name}: {}}}", text(members.get(*name)?))));
    let mut shown = shown.collect::<Vec<_>>().join(", ");
    shown.truncate(shown.floor_char_boundary(MAX_SHOWN));
    let line = shown.replace(char::is_control, " ");
    (!line.is_empty()).then_some(line)
}

/// A message, which may be a list or be sorted by what it is about.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(text).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let parts = members.iter();
            let parts = parts.map(|(name, value)| format!("{{{name}: {}}}", text(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_shown_as_the_sdk_shows_them() {
        let shown = |body: &str| explanation(body.as_bytes());

        let plain = shown(r#"{"message":"403 Forbidden"}"#);
        assert_eq!(plain.as_deref(), Some("{message: 403 Forbidden}"));
        let nested = shown(r#"{"message":{"key":{"x":"y"},"base":["one","two"]},"error":"bad"}"#);
        let text = "{error: bad}, {message: {base: [one, two]}, {key: {x: y}}}";
        assert_eq!(nested.as_deref(), Some(text));
    }

    #[test]
    fn other_members_and_other_bodies_are_not_shown() {
        assert_eq!(explanation(br#"{"value":"hunter2"}"#), None);
        assert_eq!(explanation(b"hunter2"), None);
    }
}
