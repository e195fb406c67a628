//! What an answer of the backend or of IAM that is no success means. Texts are those of the vendor's
//! client. Upstream does not recognise a missing secret, so a 404 never deletes anything.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{described, not_absence};

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    described(answer, message)
}

/// The same for IAM, whose 400 is a refused credential.
pub(crate) fn check_sign_in(answer: Answer) -> Result<Answer> {
    let refused = answer.status().as_u16() == 400;
    described(answer, message).map_err(|error| {
        if refused {
            return Error::new(ErrorKind::Unauthenticated, error.to_string()).with_source(error);
        }
        not_absence(error)
    })
}

/// Says that an error came while signing in.
pub(crate) fn at_sign_in(error: Error) -> Error {
    error.context("An error occurred while performing the 'authenticate' step")
}

fn message(answer: &Answer) -> String {
    let explained = ["/errors/0/message", "/error", "/message", "/errorMessage"];
    let found = explained.iter().find_map(|pointer| answer.detail(pointer));
    found.unwrap_or_else(|| {
        let reason = answer.status().canonical_reason();
        reason.map_or_else(|| answer.status().as_str().to_owned(), str::to_owned)
    })
}
