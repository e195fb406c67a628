//! What a refusal of Keeper means, in the words of Keeper's own client. Of what somebody in between answered
//! only the text of an outage is shown: a gateway has seen nothing but what is encrypted to Keeper.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use ring::aead::NONCE_LEN;
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
        // No refusal of Keeper's own, but of somebody in between.
        _ => return format!("HTTPError: {}", stranger(answer)),
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

/// What somebody in between said about an outage, else the status.
fn stranger(answer: &Answer) -> String {
    let status = answer.status();
    let said = one_line(&String::from_utf8_lossy(answer.expose_body()));
    if status.is_server_error() && !said.is_empty() {
        said
    } else {
        status.to_string()
    }
}

/// The error for a good answer of so many bytes that the key of the request does not open.
pub(crate) fn undecrypted(length: usize) -> Error {
    let text = if length <= NONCE_LEN {
        "error decrypting AES-GCM - message is too short"
    } else {
        "cipher: message authentication failed"
    };
    Error::invalid_data(format!("{text}: the answer cannot be decrypted"))
}

fn one_line(text: &str) -> String {
    let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    line.take(MAX_TEXT).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::conformance::{block_on, response, scripted};
    use lockstep_provider_api::http::HttpClient;

    use super::*;

    fn told(status: u16, body: &'static str) -> String {
        let http = HttpClient::new(scripted(move |_| response(status, body)));
        let answer = block_on(http.get("https://x.test/").send()).unwrap();
        refused(&answer).to_string()
    }

    #[test]
    fn only_the_text_of_an_outage_is_shown_where_keeper_did_not_answer() {
        assert_eq!(told(503, "busy\nnow"), "POST Error: HTTPError: busy now");
        assert_eq!(told(502, ""), "POST Error: HTTPError: 502 Bad Gateway");
        assert_eq!(told(400, "text"), "POST Error: HTTPError: 400 Bad Request");
    }

    #[test]
    fn a_refusal_of_keeper_has_a_code_and_a_message() {
        let text = told(403, r#"{"result_code":"access_denied","message":"no"}"#);

        assert_eq!(text, "POST Error: Error: access_denied, message=no");
    }
}
