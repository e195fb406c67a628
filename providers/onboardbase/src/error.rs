//! What an answer of the backend that is no success means. A 404 is a wrong project, environment or address:
//! secrets are looked for in a list.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{described, not_absence};
use serde::Deserialize;

/// What errors of upstream's client begin with.
pub(crate) const CLIENT_ERROR: &str = "Onboardbase API Client Error";
/// Longest explanation that is shown.
const LONGEST: usize = 256;

#[derive(Deserialize)]
struct Refusal {
    #[serde(default, alias = "Messages")]
    messages: Vec<String>,
}

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    let checked = described(answer, |answer| {
        let text = if let Ok(refusal) = answer.json::<Refusal>() {
            shortened(refusal.messages.join("\n"))
        } else {
            let length = answer.expose_body().len();
            let status = answer.status().as_u16();
            format!("unable to load response\n{status} status code; {length} bytes")
        };
        format!("{CLIENT_ERROR}: {text}")
    });
    checked.map_err(not_absence)
}

fn shortened(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(LONGEST));
    text
}
