//! What an answer of Scaleway that is no success means, in the words of its SDK. Only an answer that names
//! its type `not_found` says that a secret is missing: any other 404 is a wrong address.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{described, not_absence};

use self::refusal::Refusal;

mod refusal;

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    let refusal = Refusal::read(&answer);
    let is_absence = refusal.as_ref().is_some_and(Refusal::is_absence);
    let checked = described(answer, |answer| text(answer, refusal));
    checked.map_err(|error| {
        if is_absence {
            error
        } else {
            not_absence(error)
        }
    })
}

/// The same error, and for a missing secret the text that users know.
pub(crate) fn absent(error: Error) -> Error {
    if error.kind() == &ErrorKind::NotFound {
        return Error::not_found().with_source(error);
    }
    error
}

fn text(answer: &Answer, refusal: Option<Refusal>) -> String {
    let status = answer.status();
    let reason = status.canonical_reason().unwrap_or_default();
    let status = format!("{} {reason}", status.as_u16());
    let what = match refusal {
        Some(refusal) => refusal.text(&status),
        None => format!("http error {status}: {status}"),
    };
    let line = what.chars().map(|c| if c.is_control() { ' ' } else { c });
    format!(
        "scaleway-sdk-go: {}",
        line.take(MAX_TEXT).collect::<String>()
    )
}

/// Longest text of an error.
const MAX_TEXT: usize = 512;

#[cfg(test)]
mod tests {
    use lockstep_provider_api::conformance::{block_on, response, scripted};
    use lockstep_provider_api::http::HttpClient;

    use super::*;

    fn refused(status: u16, body: &'static str) -> Error {
        let http = HttpClient::new(scripted(move |_| response(status, body)));
        let answer = block_on(http.get("https://scaleway.test/").send()).unwrap();
        check(answer).unwrap_err()
    }

    #[test]
    fn only_the_type_says_that_a_secret_is_missing() {
        let body = r#"{"type":"not_found","resource":"secret","resource_id":"x"}"#;
        let error = refused(404, body);

        assert_eq!(error.kind(), &ErrorKind::NotFound);
        let want = "scaleway-sdk-go: resource secret with ID x is not found";
        assert_eq!(error.to_string(), want);

        for body in ["{}", "no such page", r#"{"message":"nope"}"#] {
            assert_eq!(refused(404, body).kind(), &ErrorKind::InvalidSpec, "{body}");
        }
    }

    #[test]
    fn an_answer_without_json_is_told_by_its_status() {
        let want = "scaleway-sdk-go: http error 503 Service Unavailable: 503 Service Unavailable";

        assert_eq!(refused(503, "busy").to_string(), want);
    }

    #[test]
    fn types_have_texts_of_their_own() {
        let denied = r#"{"type":"permissions_denied","details":[
            {"resource":"secret","action":"read"},{"resource":"key","action":"use"}]}"#;
        let invalid = r#"{"type":"invalid_arguments","details":[
            {"argument_name":"name","reason":"format","help_message":"use letters"},
            {"argument_name":"path","reason":"required"}]}"#;
        let expired = r#"{"type":"denied_authentication","method":"api_key","reason":"expired"}"#;
        let conflict = r#"{"type":"conflict","resource":"secret","message":"it is there"}"#;
        let text = |status, body| refused(status, body).to_string();

        assert_eq!(
            text(403, denied),
            "scaleway-sdk-go: insufficient permissions: read secret; use key"
        );
        assert_eq!(
            text(400, invalid),
            "scaleway-sdk-go: invalid argument(s): name is wrongly formatted, use letters; path is required"
        );
        assert_eq!(
            text(401, expired),
            "scaleway-sdk-go: denied authentication: API key is expired"
        );
        assert_eq!(
            text(409, conflict),
            "scaleway-sdk-go: http error 409 Conflict: resource secret: it is there"
        );
    }
}
