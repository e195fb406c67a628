use serde_json::json;

use super::*;

fn answer(code: u16, body: &str) -> Response<Bytes> {
    let body = Bytes::from(body.to_owned());
    Response::builder().status(code).body(body).unwrap()
}

fn status(code: u16, reason: &str, kind: &str, message: &str) -> Response<Bytes> {
    let body = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": message,
        "reason": reason,
        "details": { "kind": kind, "name": "db" },
        "code": code,
    });
    answer(code, &body.to_string())
}

fn error_of(answer: &Response<Bytes>) -> Error {
    of_answer(answer, "secrets", Timestamp::UNIX_EPOCH).unwrap()
}

#[test]
fn a_missing_secret_is_absent_and_keeps_the_servers_words() {
    let error = error_of(&status(
        404,
        "NotFound",
        "secrets",
        "secrets \"db\" not found",
    ));

    assert!(is_absent(&error));
    assert_eq!(error.to_string(), "secrets \"db\" not found");
}

#[test]
fn no_other_404_is_absence() {
    let others = [
        status(404, "NotFound", "namespaces", "namespaces \"x\" not found"),
        status(
            404,
            "NotFound",
            "",
            "the server could not find the requested resource",
        ),
        answer(404, "404 page not found"),
        answer(404, "{\"message\":\"secrets not found\"}"),
        answer(404, ""),
        answer(410, ""),
    ];

    for other in others {
        let error = error_of(&other);
        assert!(!error.consequence().absent, "{error}");
    }
}

#[test]
fn denials_conflicts_and_bad_objects_are_told_apart() {
    let table = [
        (401, ErrorKind::Unauthenticated),
        (403, ErrorKind::Denied),
        (409, ErrorKind::Conflict),
        (422, ErrorKind::InvalidSpec),
        (429, ErrorKind::Throttled),
        (500, ErrorKind::Unreachable),
        (503, ErrorKind::Unreachable),
    ];

    for (code, kind) in table {
        let error = error_of(&status(code, "R", "secrets", "m"));
        assert_eq!(error.kind(), &kind, "{code}");
        assert_eq!(error.to_string(), "m");
    }
    assert!(of_answer(&answer(200, ""), "secrets", Timestamp::UNIX_EPOCH).is_none());
}

#[test]
fn a_body_that_is_no_status_is_never_shown() {
    for body in ["hunter2", "{\"message\":\"hunter2\"}", "<html>hunter2"] {
        let error = error_of(&answer(500, body));
        assert!(!error.to_string().contains("hunter2"));
        assert!(error.to_string().contains("500"));
    }
}

#[test]
fn the_time_to_wait_is_taken_from_the_status_where_no_header_tells_it() {
    let body = json!({ "kind": "Status", "details": { "retryAfterSeconds": 3 } }).to_string();
    let mut with_header = answer(429, &body);
    let seven = http::HeaderValue::from_static("7");
    with_header.headers_mut().insert("retry-after", seven);

    let told = error_of(&answer(429, &body));
    let header = error_of(&with_header);

    assert_eq!(told.retry_after(), Some(Duration::from_secs(3)));
    assert_eq!(header.retry_after(), Some(Duration::from_secs(7)));
}

#[test]
fn only_an_expired_page_lets_a_list_start_anew() {
    assert!(is_expired(&error_of(&status(
        410, "Expired", "", "too old"
    ))));
    assert!(!is_expired(&error_of(&status(500, "", "", "x"))));
}

#[test]
fn a_long_message_is_cut_between_characters() {
    let error = error_of(&status(422, "Invalid", "secrets", &"é".repeat(1000)));

    assert!(error.to_string().len() <= MAX_MESSAGE);
}
