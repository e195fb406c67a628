//! What an answer that is no success means, in the words each API's users know. The status alone
//! decides the kind of the error; of the body only members that hold explanations are shown.

use lockstep_provider_api::Error;
use lockstep_provider_api::http::Answer;

/// The error an answer stands for, with a text of the caller's; `None` for 2xx.
pub(crate) fn refusal(answer: &Answer, text: impl FnOnce(u16) -> String) -> Option<Error> {
    let error = answer.error()?;
    let message = text(answer.status().as_u16());
    Some(error.map_message(|_| message))
}

/// The first of the members at these JSON pointers that is a text, else a word for none.
pub(crate) fn explanation(answer: &Answer, pointers: &[&str]) -> String {
    let found = pointers.iter().find_map(|pointer| answer.detail(pointer));
    found.unwrap_or_else(|| "no explanation".to_owned())
}
