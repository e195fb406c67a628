//! What an answer of the sidecar that is not 200 means. Of its body only what explains the refusal is shown:
//! the sidecar puts anything there.

use lockstep_provider_api::http::{Answer, StatusCode};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;
use lockstep_provider_kit::refusal::shown_body;

/// The answer if it is a success, otherwise the error it stands for. As upstream does, this takes no
/// status but 200 for a success.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    let answer = described(answer, text)?;
    if answer.status() == StatusCode::OK {
        return Ok(answer);
    }
    Err(Error::invalid_data(text(&answer)))
}

fn text(answer: &Answer) -> String {
    let body = shown_body(answer);
    let status = answer.status().as_u16();
    format!("failed to perform http request, got response: {body} with status code {status}")
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::conformance::{block_on, response, scripted};
    use lockstep_provider_api::http::HttpClient;

    use super::*;

    fn refused(status: u16, body: &'static str) -> String {
        let http = HttpClient::new(scripted(move |_| response(status, body)));
        let answer = block_on(http.get("https://sidecar.test/").send()).unwrap();
        check(answer).unwrap_err().to_string()
    }

    #[test]
    fn what_explains_a_refusal_is_shown() {
        assert_eq!(
            refused(403, r#"{"message": "no rights"}"#),
            r#"failed to perform http request, got response: {"message": "no rights"} with status code 403"#
        );
        assert!(!refused(400, "hunter2").contains("hunter2"));
    }

    #[test]
    fn no_status_but_200_is_a_success() {
        let text = refused(201, r#"{"value": "hunter2"}"#);

        assert!(text.ends_with("with status code 201"));
        assert!(!text.contains("hunter2"));
    }
}
