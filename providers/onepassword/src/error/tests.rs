use super::*;

fn error_of(code: u16, body: &str) -> Error {
    let body = Bytes::from(body.to_owned());
    let answer = Response::builder().status(code).body(body).unwrap();
    of_answer(&answer, Timestamp::UNIX_EPOCH).unwrap()
}

#[test]
fn the_servers_words_come_with_their_status() {
    let error = error_of(401, r#"{"status":401,"message":"Invalid bearer token"}"#);

    assert_eq!(error.kind(), &ErrorKind::Unauthenticated);
    assert_eq!(error.to_string(), "status 401: Invalid bearer token");
}

#[test]
fn a_body_that_is_no_refusal_is_not_repeated() {
    for body in ["<html>secret</html>", r#"{"value":"secret"}"#, ""] {
        let error = error_of(502, body);

        assert_eq!(error.kind(), &ErrorKind::Unreachable);
        assert_eq!(error.to_string(), "status 502: Bad Gateway");
    }
}

#[test]
fn nothing_is_absence() {
    for code in [400, 401, 403, 404, 410, 429, 500] {
        let error = error_of(code, "");
        assert!(!error.consequence().absent, "{error}");
    }
    assert!(is_missing(&error_of(404, ""), Missing::Path));
    assert!(!is_missing(&error_of(403, ""), Missing::Path));
}

#[test]
fn only_a_refused_authorization_may_pass() {
    let passing = r#"{"status":403,"message":"Authorization: denied"}"#;

    assert!(is_passing(&error_of(403, passing)));
    assert!(!is_passing(&error_of(
        403,
        r#"{"status":403,"message":"vault"}"#
    )));
}
