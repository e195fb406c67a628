use lockstep_provider_api::conformance::{response, scripted};
use lockstep_provider_api::http::HttpClient;
use serde_json::json;

use super::*;

async fn refused(status: u16, body: String) -> Failure {
    let transport = scripted(move |_| response(status, body.clone()));
    let client = HttpClient::new(transport);
    let answer = client.get("https://sm.test/x").send().await.unwrap();
    let place = Place {
        rpc: "AccessSecretVersion",
        name: "projects/p/secrets/s",
        who: "service account me@p",
    };
    check(answer, &place).unwrap_err()
}

fn google(code: u16, status: &str, message: &str) -> String {
    json!({ "error": { "code": code, "status": status, "message": message } }).to_string()
}

#[tokio::test]
async fn google_s_word_decides_the_kind() {
    let table = [
        (404, "NOT_FOUND", ErrorKind::NotFound),
        (403, "PERMISSION_DENIED", ErrorKind::Denied),
        (401, "UNAUTHENTICATED", ErrorKind::Unauthenticated),
        (429, "RESOURCE_EXHAUSTED", ErrorKind::Throttled),
        (503, "UNAVAILABLE", ErrorKind::Unreachable),
        (500, "INTERNAL", ErrorKind::Unreachable),
        (409, "ALREADY_EXISTS", ErrorKind::Conflict),
        (409, "ABORTED", ErrorKind::Conflict),
        (400, "INVALID_ARGUMENT", ErrorKind::InvalidSpec),
        (400, "FAILED_PRECONDITION", ErrorKind::InvalidData),
    ];

    for (code, status, kind) in table {
        let failure = refused(code, google(code, status, "no")).await;
        assert_eq!(failure.error.kind(), &kind, "{status}");
    }
}

#[tokio::test]
async fn a_404_of_another_server_is_never_absence() {
    for body in ["<html>not found</html>", "{}", r#"{"error":{"code":404}}"#] {
        let failure = refused(404, body.to_owned()).await;

        assert!(!failure.error.consequence().absent, "{body}");
        assert!(
            failure
                .error
                .to_string()
                .contains("not an answer of Secret Manager")
        );
    }
}

#[tokio::test]
async fn a_denial_names_the_identity_and_the_missing_role() {
    let body = google(403, "PERMISSION_DENIED", "Permission 'x' denied");

    let text = refused(403, body).await.error.to_string();

    assert!(
        text.starts_with("rpc error: code = PermissionDenied desc = Permission 'x' denied"),
        "{text}"
    );
    assert!(text.contains("as service account me@p"), "{text}");
    assert!(
        text.contains("roles/secretmanager.secretAccessor on projects/p/secrets/s"),
        "{text}"
    );
}

#[tokio::test]
async fn the_state_of_a_version_is_read_from_the_refusal() {
    let table = [
        ("Secret Version [x] is in DISABLED state.", Some("disabled")),
        (
            "Secret Version [x] is in DESTROYED state.",
            Some("destroyed"),
        ),
        ("Something else.", None),
    ];

    for (message, state) in table {
        let failure = refused(400, google(400, "FAILED_PRECONDITION", message)).await;
        assert_eq!(failure.dead_version(), state);
    }
}
