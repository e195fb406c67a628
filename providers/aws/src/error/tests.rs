//! Codes and what they mean, and texts that stay the same from one attempt to the next.

use super::*;

const PLACE: Place<'static> = Place {
    service: "Secrets Manager",
    prefix: "secretsmanager",
    operation: "GetSecretValue",
    subject: "secret \"a\"",
    region: "eu-west-1",
    who: "somebody",
};

fn failure(code: &str, message: &str, status: u16) -> Failure {
    let answer = Answer {
        code: code.to_owned(),
        message: message.to_owned(),
        status,
        server: "http://moto:5000".to_owned(),
        modeled: false,
    };
    answered(answer, None, &PLACE)
}

#[test]
fn codes_decide_the_kind_and_a_status_alone_is_never_absence() {
    for (code, status, kind) in [
        ("ResourceNotFoundException", 400, ErrorKind::NotFound),
        ("ParameterNotFound", 400, ErrorKind::NotFound),
        ("AccessDeniedException", 400, ErrorKind::Denied),
        ("DecryptionFailure", 400, ErrorKind::Denied),
        ("ExpiredTokenException", 400, ErrorKind::Unauthenticated),
        ("InvalidIdentityToken", 400, ErrorKind::Unauthenticated),
        ("ThrottlingException", 400, ErrorKind::Throttled),
        ("InternalServiceError", 500, ErrorKind::Unreachable),
        ("ResourceExistsException", 400, ErrorKind::Conflict),
        ("ValidationException", 400, ErrorKind::InvalidSpec),
        ("", 404, ErrorKind::InvalidSpec),
        ("", 401, ErrorKind::Unauthenticated),
        ("", 403, ErrorKind::Denied),
        ("", 429, ErrorKind::Throttled),
        ("", 503, ErrorKind::Unreachable),
        ("", 200, ErrorKind::Unreachable),
        ("", 302, ErrorKind::Unreachable),
    ] {
        assert_eq!(
            failure(code, "", status).error.kind(),
            &kind,
            "{code} {status}"
        );
    }
}

#[test]
fn every_wording_of_a_scheduled_deletion_is_known() {
    for (code, message) in [
        (
            "InvalidRequestException",
            "You can't perform this operation on the secret because it was marked for deletion.",
        ),
        (
            "InvalidParameterException",
            "the secret was marked for deletion",
        ),
        (
            "InvalidRequestException",
            "a secret that's currently marked deleted.",
        ),
        (
            "InvalidRequestException",
            "a secret with this name is already scheduled for deletion.",
        ),
    ] {
        let error = failure(code, message, 400).error;
        assert!(
            matches!(error.kind(), ErrorKind::Tombstoned(_)),
            "{message}"
        );
        assert!(!error.consequence().absent);
    }
}

#[test]
fn a_refusal_reads_as_upstreams_with_what_would_help_behind() {
    let error = failure("AccessDeniedException", "User: x is not authorized", 400).error;

    assert_eq!(
        error.to_string(),
        "operation error Secrets Manager: GetSecretValue, https response error StatusCode: 400, \
         api error AccessDeniedException: User: x is not authorized (secret \"a\" in \
         region eu-west-1, as somebody; allow the IAM action secretsmanager:GetSecretValue on it)"
    );
}

#[test]
fn somebody_who_answers_in_place_of_aws_is_named_and_nothing_is_left_empty() {
    let error = failure("", "", 503).error;

    assert_eq!(
        error.to_string(),
        "operation error Secrets Manager: GetSecretValue, https response error StatusCode: 503, \
         api error UnknownError (secret \"a\" in region eu-west-1, as somebody; http://moto:5000 \
         answers 503, and not as AWS does; check proxy, region and the AWS_…_ENDPOINT variables)"
    );
}

#[test]
fn a_fault_of_aws_does_not_read_as_no_answer() {
    let error = failure("InternalServiceError", "try again", 500).error;

    let text = error.to_string();
    assert!(text.contains("InternalServiceError: try again ("), "{text}");
    assert!(text.ends_with("http://moto:5000 answers that it has a fault; the call is repeated)"));
}

#[test]
fn attempts_are_told_where_upstream_tells_them() {
    let error = failure("ThrottlingException", "slow", 400)
        .exhausted(3)
        .error;

    assert!(error.to_string().starts_with(
        "operation error Secrets Manager: GetSecretValue, exceeded maximum number of attempts, 3, \
         https response error StatusCode: 400, api error ThrottlingException: slow"
    ));
}

#[test]
fn ids_times_and_signatures_do_not_appear() {
    let message = "Signature expired: 20260101T000000Z is now earlier than 20260101T001000Z \
                   (20260101T001500Z - 5 min.) Request id: abc-123 end Credential=AKIA/x/y";

    let text = failure("InvalidSignatureException", message, 400)
        .error
        .to_string();

    for part in ["20260101", "abc-123", "AKIA"] {
        assert!(!text.contains(part), "{text}");
    }
    assert!(text.contains("Signature expired"), "{text}");
}

#[test]
fn refusals_in_xml_are_understood() {
    let body = b"<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error>";

    assert_eq!(
        text::xml_error(body),
        (Some("AccessDenied".to_owned()), Some("no".to_owned()))
    );
    assert_eq!(text::xml_error(b"<html>"), (None, None));
}
