//! What a refusal of Keeper means. Only Keeper's own words are shown; what somebody in between answered is
//! not.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use serde_json::Value;

/// Longest text of a refusal that is shown.
const MAX_TEXT: usize = 128;

/// Keeper's word for a refusal.
pub(crate) fn code(body: &Value) -> Option<&str> {
    let code = body.get("result_code").or_else(|| body.get("error"))?;
    code.as_str()
}

/// The error that an answer stands for. Its text is the one of Keeper's own client.
pub(crate) fn refused(answer: &Answer) -> Error {
    let text = format!("POST Error: {}", explanation(answer));
    let body: Value = serde_json::from_slice(answer.expose_body()).unwrap_or_default();
    if code(&body) == Some("throttled") {
        return Error::new(ErrorKind::Throttled, text);
    }
    match answer.error() {
        Some(error) => error.map_message(|_| text),
        None => Error::invalid_data(text),
    }
}

fn explanation(answer: &Answer) -> String {
    let body: Value = serde_json::from_slice(answer.expose_body()).unwrap_or_default();
    let members = match &body {
        Value::Object(members) if !members.is_empty() => members,
        // What is not Keeper's own refusal comes from whoever is in between, and is not shown.
        _ => return format!("HTTPError: {}", answer.status()),
    };
    let text = |name: &str| members.get(name).and_then(Value::as_str).map(one_line);
    match code(&body) {
        Some("invalid_client_version") => text("additional_info").unwrap_or_default(),
        Some("key") => match members.get("key_id") {
            Some(id) => format!(
                "The public key at {} does not exist in the SDK",
                one_line(&id.to_string())
            ),
            None => "The public key is blank from the server".to_owned(),
        },
        code => {
            let code = code.map_or_else(|| "<nil>".to_owned(), one_line);
            let message = text("message").unwrap_or_else(|| "N/A".to_owned());
            format!("Error: {code}, message={message}")
        }
    }
}

fn one_line(text: &str) -> String {
    let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    line.take(MAX_TEXT).collect::<String>().trim().to_owned()
}
