//! What an answer of Keystone or Barbican that is no success means, in the words of the SDK. A missing secret
//! is a kind of its own; that it deletes nothing is decided in `store`.

use lockstep_provider_api::http::{Answer, Method};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::refusal::shown_body;

/// The request an answer belongs to, and the statuses it may have.
pub(crate) struct Asked<'a> {
    pub(crate) method: Method,
    pub(crate) url: &'a str,
    pub(crate) expected: &'static [u16],
}

impl Asked<'_> {
    /// The answer if its status is expected, otherwise the error it stands for.
    pub(crate) fn check(&self, answer: Answer) -> Result<Answer> {
        let status = answer.status().as_u16();
        if self.expected.contains(&status) {
            return Ok(answer);
        }
        let codes: Vec<String> = self.expected.iter().map(u16::to_string).collect();
        let text = format!(
            "Expected HTTP response code [{}] when accessing [{} {}], but got {status} instead: {}",
            codes.join(" "),
            self.method,
            self.url,
            shown_body(&answer)
        );
        let text = text.trim_end().to_owned();
        Err(match answer.error() {
            Some(error) => error.map_message(|_| text),
            None => Error::invalid_data(text),
        })
    }
}
