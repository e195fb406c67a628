//! What an answer of the backend that is no success means. The text is the backend's code and message;
//! ids of requests are left out, because each retry would be another text.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;

const CODE: &str = "/ResponseMetadata/Error/Code";
const MESSAGE: &str = "/ResponseMetadata/Error/Message";

/// The answer if it is a success, otherwise the error it stands for. An error object counts whatever the
/// status is, as in the vendor's client.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    let answer = described(answer, |answer| {
        refusal(answer).unwrap_or_else(|| {
            let status = answer.status().as_u16();
            format!("the backend answered with status code: {status}")
        })
    })?;
    if answer.detail(CODE).is_none() {
        return Ok(answer);
    }
    Err(Error::invalid_data(refusal(&answer).unwrap_or_default()))
}

/// The words of the error object, where there is one.
fn refusal(answer: &Answer) -> Option<String> {
    let (code, message) = (answer.detail(CODE), answer.detail(MESSAGE));
    if code.is_none() && message.is_none() {
        return None;
    }
    let status = answer.status().as_u16();
    let (code, message) = (code.unwrap_or_default(), message.unwrap_or_default());
    Some(format!("{code}: {message}\n\tstatus code: {status}"))
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::conformance::{block_on, response, scripted};
    use lockstep_provider_api::http::HttpClient;

    use super::*;

    fn checked(status: u16, body: &'static str) -> Result<Answer> {
        let http = HttpClient::new(scripted(move |_| response(status, body)));
        check(block_on(http.get("https://x.test/").send())?)
    }

    const REFUSAL: &str =
        r#"{"ResponseMetadata":{"Error":{"Code":"AccessDenied","Message":"no"}}}"#;

    #[test]
    fn an_error_object_is_an_error_whatever_the_status() {
        for status in [200, 403] {
            let text = checked(status, REFUSAL).unwrap_err().to_string();

            assert_eq!(text, format!("AccessDenied: no\n\tstatus code: {status}"));
        }
    }

    #[test]
    fn without_an_error_object_the_status_decides() {
        assert!(checked(200, r#"{"ResponseMetadata":{}}"#).is_ok());

        let text = checked(503, "busy").unwrap_err().to_string();

        assert_eq!(text, "the backend answered with status code: 503");
    }
}
