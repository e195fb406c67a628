//! What an answer of Doppler that is no success means, in the words of its client. Only the server's
//! messages are shown.

use lockstep_provider_api::http::{Answer, StatusCode};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;
use serde::Deserialize;

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    messages: Vec<String>,
}

/// The answer if it is a success or unchanged, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    if answer.status() == StatusCode::NOT_MODIFIED {
        return Ok(answer);
    }
    described(answer, text)
}

fn text(answer: &Answer) -> String {
    let status = answer.status().as_u16();
    let prefix = format!("Doppler API Client Error (HTTP {status}):");
    let json = answer.header("content-type").unwrap_or_default();
    if !json.starts_with("application/json") {
        let length = answer.expose_body().len();
        return format!("{prefix} unable to load response\n{status} status code; {length} bytes");
    }
    match answer.json::<Refusal>() {
        Ok(refusal) => {
            let mut messages = refusal.messages.join("\n");
            messages.truncate(messages.floor_char_boundary(512));
            format!("{prefix} {messages}")
        }
        Err(_) => format!("{prefix} unable to unmarshal error JSON payload"),
    }
}
