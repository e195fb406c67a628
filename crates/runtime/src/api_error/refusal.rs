//! What an API server's refusal means. Texts of undecodable answers are stripped of the values they would
//! quote.

use std::error::Error as StdError;
use std::time::Duration;

use kube::core::Status;

use super::{ApiError, ApiErrorKind};

impl ApiError {
    /// An answer that cannot be understood.
    pub(crate) fn undecodable(message: String) -> Self {
        Self::new(ApiErrorKind::Undecodable, message)
    }
}

impl From<&Status> for ApiError {
    fn from(status: &Status) -> Self {
        let retry = status
            .details
            .as_ref()
            .map_or(0, |details| details.retry_after_seconds);
        Self {
            kind: classify(status),
            message: if status.message.is_empty() {
                format!("the API server answered {} {}", status.code, status.reason)
            } else {
                with_remedy(&status.message)
            },
            retry_after: (retry > 0).then(|| Duration::from_secs(u64::from(retry))),
        }
    }
}

/// How the text of every request begins that did not reach the API server.
pub const AWAY: &str = "cannot reach the API server";

impl From<&kube::Error> for ApiError {
    fn from(error: &kube::Error) -> Self {
        let (kind, message) = match error {
            kube::Error::Api(status) => return Self::from(status.as_ref()),
            kube::Error::SerdeError(error) => (ApiErrorKind::Undecodable, redacted(error)),
            kube::Error::FromUtf8(_) => {
                let text = "the API server's answer is not valid UTF-8".to_owned();
                (ApiErrorKind::Undecodable, text)
            }
            kube::Error::BuildRequest(error) => (ApiErrorKind::Invalid, error.to_string()),
            kube::Error::Auth(error) => (ApiErrorKind::Unauthorized, error.to_string()),
            other => (
                ApiErrorKind::Unreachable,
                format!("{AWAY}: {}", root_cause(other)),
            ),
        };
        Self {
            kind,
            message,
            retry_after: None,
        }
    }
}

impl From<kube::Error> for ApiError {
    fn from(error: kube::Error) -> Self {
        Self::from(&error)
    }
}

fn classify(status: &Status) -> ApiErrorKind {
    let causes = || status.details.iter().flat_map(|details| &details.causes);
    let terminating = causes().any(|cause| cause.reason == "NamespaceTerminating");
    // A patch that names another uid is refused as a change of an immutable field.
    let another = causes().any(|cause| cause.field == "metadata.uid");
    match status.code {
        _ if terminating => ApiErrorKind::Terminating,
        422 if another => ApiErrorKind::Conflict,
        404 => ApiErrorKind::NotFound,
        409 if status.is_already_exists() => ApiErrorKind::AlreadyExists,
        409 => ApiErrorKind::Conflict,
        403 => ApiErrorKind::Forbidden,
        401 => ApiErrorKind::Unauthorized,
        410 => ApiErrorKind::Expired,
        429 => ApiErrorKind::Throttled,
        400..500 => ApiErrorKind::Invalid,
        _ => ApiErrorKind::Unreachable,
    }
}

/// Admission webhooks of the operator, and the configuration that brings each.
const WEBHOOKS: [(&str, &str); 3] = [
    (
        "validate.externalsecret.external-secrets.io",
        "externalsecret-validate",
    ),
    (
        "validate.secretstore.external-secrets.io",
        "secretstore-validate",
    ),
    (
        "validate.clustersecretstore.external-secrets.io",
        "secretstore-validate",
    ),
];

/// The server's text, with what to do where a webhook that does not answer refuses the write. One
/// that a release left behind does so for ever, and the text names its configuration nowhere.
fn with_remedy(message: &str) -> String {
    let called = message.split_once("failed calling webhook \"");
    let Some((name, _)) = called.and_then(|(_, rest)| rest.split_once('"')) else {
        return message.to_owned();
    };
    match WEBHOOKS.iter().find(|(known, _)| *known == name) {
        Some((_, configuration)) => format!(
            "{message}; ValidatingWebhookConfiguration {configuration} asks for it: if a release left \
             it behind: kubectl delete validatingwebhookconfiguration {configuration}"
        ),
        None => format!(
            "{message}; a webhook of somebody else refuses our write: see kubectl get \
             validatingwebhookconfigurations,mutatingwebhookconfigurations"
        ),
    }
}

fn root_cause(error: &dyn StdError) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// A decoding error without the value it quotes: serde says `invalid type: string "…", expected`.
pub(crate) fn redacted(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let quoting = ["invalid type: ", "invalid value: "];
    let Some(intro) = quoting.iter().find(|intro| text.starts_with(**intro)) else {
        return text;
    };
    let found = &text[intro.len()..];
    // Values come before the last `, expected`; what follows is ours.
    match found.rsplit_once(", expected ") {
        Some((value, expected)) => {
            let type_end = value.find([' ', '`']).unwrap_or(value.len());
            let found_type = &value[..type_end];
            format!("{intro}{found_type}, expected {expected}")
        }
        None => intro.trim_end_matches(": ").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_str, json};

    use super::*;

    fn failure(status: serde_json::Value) -> ApiError {
        let status: Status = serde_json::from_value(status).unwrap();
        ApiError::from(kube::Error::Api(status.boxed()))
    }

    #[test]
    fn a_missing_object_keeps_the_servers_text() {
        let missing = failure(json!({
            "status": "Failure", "code": 404, "reason": "NotFound",
            "message": "secrets \"x\" not found",
        }));

        assert_eq!(missing.kind(), ApiErrorKind::NotFound);
        assert_eq!(missing.to_string(), "secrets \"x\" not found");
    }

    #[test]
    fn the_two_meanings_of_409_are_kept_apart() {
        let exists = failure(json!({"code": 409, "reason": "AlreadyExists", "message": "x"}));
        let conflict = failure(json!({"code": 409, "reason": "Conflict", "message": "x"}));

        assert!(exists.is(ApiErrorKind::AlreadyExists));
        assert!(conflict.is(ApiErrorKind::Conflict));
    }

    #[test]
    fn a_namespace_being_deleted_is_no_question_of_rights() {
        let terminating = failure(json!({
            "code": 403, "reason": "Forbidden", "message": "x",
            "details": {"causes": [{"reason": "NamespaceTerminating", "message": "x"}]},
        }));

        assert!(terminating.is(ApiErrorKind::Terminating));
    }

    #[test]
    fn a_server_that_asks_for_patience_is_heard() {
        let throttled = failure(json!({
            "code": 429, "reason": "TooManyRequests", "message": "x",
            "details": {"retryAfterSeconds": 3},
        }));

        assert!(throttled.is(ApiErrorKind::Throttled));
        assert_eq!(throttled.retry_after(), Some(Duration::from_secs(3)));
    }

    #[test]
    fn a_webhook_left_behind_is_named_with_its_configuration_and_the_remedy() {
        let refused = |name: &str| {
            let message = format!(
                "Internal error occurred: failed calling webhook {name:?}: failed to call webhook: x"
            );
            failure(json!({"code": 500, "reason": "InternalError", "message": message})).to_string()
        };

        let ours = refused("validate.externalsecret.external-secrets.io");
        let other = refused("policy.example.org");

        assert!(
            ours.ends_with("kubectl delete validatingwebhookconfiguration externalsecret-validate")
        );
        assert!(other.contains("a webhook of somebody else refuses our write"));
    }

    #[test]
    fn decoding_errors_do_not_quote_values() {
        let error = from_str::<u32>("\"canary, expected none\"").unwrap_err();
        let number = from_str::<u8>("4711").unwrap_err();

        assert_eq!(
            redacted(&error),
            "invalid type: string, expected u32 at line 1 column 23"
        );
        assert!(!redacted(&number).contains("4711"));
    }
}
