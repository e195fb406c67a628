//! What an answer that is no success means. The kind follows the status and nothing else; the text
//! is the one upstream's SDK prints, because users match on it.

use lockstep_provider_api::Tombstone;
use lockstep_provider_api::error::NOT_FOUND_TEXT;
use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;

/// The answer if it is a success, otherwise an error of the status's kind with the text that
/// `describe` makes. A 404 reads as users know a missing secret.
pub fn checked(answer: Answer, describe: impl FnOnce(&Answer) -> String) -> Result<Answer> {
    match answer.error() {
        None => Ok(answer),
        Some(error) if error.kind() == &ErrorKind::NotFound => Err(error),
        Some(error) => Err(error.map_message(|_| describe(&answer))),
    }
}

/// As [`checked`], with the text of `describe` for a 404 too. The kind stays [`ErrorKind::NotFound`].
pub fn described(answer: Answer, describe: impl FnOnce(&Answer) -> String) -> Result<Answer> {
    match answer.error() {
        None => Ok(answer),
        Some(error) => Err(error.map_message(|_| describe(&answer))),
    }
}

/// The same error, but never absence: for logins, lists and lookups, where 404 means a wrong address
/// or project and nothing about a secret.
pub fn not_absence(error: Error) -> Error {
    if error.kind() != &ErrorKind::NotFound {
        return error;
    }
    let text = error.to_string();
    let text = if text == NOT_FOUND_TEXT {
        "404 Not Found".to_owned()
    } else {
        text
    };
    Error::invalid_spec(text).with_source(error)
}

/// The same error for backends whose missing secrets upstream did not recognise: an absence that
/// has a kind of its own but never deletes a target.
pub fn missing_kept(error: Error) -> Error {
    if error.kind() != &ErrorKind::NotFound {
        return error;
    }
    missing(error.to_string()).with_source(error)
}

/// A missing secret that never deletes a target, see [`missing_kept`].
pub fn missing(message: impl Into<String>) -> Error {
    let state = Tombstone {
        state: "missing".into(),
        until: None,
        counts_as_absent: false,
    };
    Error::new(ErrorKind::Tombstoned(state), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_login_endpoint_is_no_missing_secret() {
        let error = not_absence(Error::not_found());

        assert!(!error.consequence().absent);
        assert_eq!(error.to_string(), "404 Not Found");
    }

    #[test]
    fn a_missing_secret_that_upstream_did_not_recognise_deletes_nothing() {
        let error = missing_kept(Error::not_found());

        assert!(!error.consequence().absent);
        assert!(matches!(error.kind(), ErrorKind::Tombstoned(_)));
    }

    #[test]
    fn other_kinds_stay_what_they_are() {
        let denied = || Error::new(ErrorKind::Denied, "403 Forbidden");

        assert_eq!(not_absence(denied()).kind(), &ErrorKind::Denied);
        assert_eq!(missing_kept(denied()).kind(), &ErrorKind::Denied);
    }
}
