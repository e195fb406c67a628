//! Signatures against an example worked out apart from this code, and the exchange for a role's keys.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::Request as Sent;
use lockstep_provider_api::conformance::{NAMESPACE, block_on, response, scripted, services};
use lockstep_provider_api::{StoreName, Variables};
use serde_json::json;

use super::*;

fn request(body: &'static str) -> Request {
    let mut request = Request::new(Bytes::from_static(body.as_bytes()));
    *request.method_mut() = http::Method::POST;
    let url = "https://open.volcengineapi.com/?Action=GetSecretValue&Version=2021-02-18";
    *request.uri_mut() = url.parse().unwrap();
    let kind = http::HeaderValue::from_static("application/json");
    request.headers_mut().insert("content-type", kind);
    request
}

#[test]
fn a_signature_is_that_of_an_independent_implementation() {
    let keys = Keys::new(
        &"AK\n".into(),
        &"script-hmac-key\n".into(),
        Some(&"ST".into()),
    );
    let mut request = request(r#"{"SecretName":"db"}"#);
    let at = "2026-01-02T03:04:05Z".parse().unwrap();

    keys.unwrap().sign(&mut request, "cn-beijing", at).unwrap();

    assert_eq!(request.headers()["x-date"], "20260102T030405Z");
    assert_eq!(request.headers()["x-security-token"], "ST");
    assert_eq!(request.headers()["authorization"], SIGNED);
    assert!(request.headers()["authorization"].is_sensitive());
}

const SIGNED: &str = "HMAC-SHA256 Credential=AK/20260102/cn-beijing/kms/request, \
    SignedHeaders=content-type;host;x-content-sha256;x-date;x-security-token, \
    Signature=02c7fefc4552f70b61fc8b0a8c43f5f9c5996a64bbdfabce7077b46913b003c3";

#[test]
fn a_role_is_taken_with_the_token_of_the_pod() {
    let bodies: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&bodies);
    let services = services().plugged(scripted(move |sent: Sent<Bytes>| {
        let url = sent.uri().to_string();
        let body = String::from_utf8_lossy(sent.body()).into_owned();
        log.lock().unwrap().push(format!("{url} {body}"));
        let keys = json!({
            "AccessKeyId": "AKT",
            "SecretAccessKey": "secret",
            "SessionToken": "session",
            "Expiration": "2026-01-01T09:00:00+08:00",
        });
        response(200, json!({"Result": {"Credentials": keys}}).to_string())
    }));
    let mut services = Arc::into_inner(services.shared()).unwrap();
    services.ambient = true;
    services.variables = Variables::from_iter([
        ("VOLCENGINE_OIDC_ROLE_TRN", "trn:iam::1:role/r"),
        ("VOLCENGINE_OIDC_TOKEN_FILE", "tests/token"),
        ("VOLCENGINE_OIDC_ROLE_POLICY", "{}"),
    ]);
    let store = StoreName {
        namespace: Some(NAMESPACE.to_owned()),
        name: "s".to_owned(),
    };
    let scope = Scope::Cluster { caller: None };
    let ctx = Ctx::new(Arc::new(services), store, scope);
    let spec = VolcengineSpec {
        region: "cn-beijing".to_owned(),
        auth: None,
    };
    let signer = block_on(Signer::connect(&spec, &ctx)).unwrap();

    for _ in 0..2 {
        let mut request = request("{}");
        block_on(signer.authorize(&mut request)).unwrap();
        let value = request.headers()["authorization"]
            .to_str()
            .unwrap()
            .to_owned();
        assert!(
            value.starts_with("HMAC-SHA256 Credential=AKT/20260101/"),
            "{value}"
        );
        assert_eq!(request.headers()["x-security-token"], "session");
    }

    let asked = bodies.lock().unwrap().clone();
    assert_eq!(
        asked,
        [
            "https://sts.volcengineapi.com/?Action=AssumeRoleWithOIDC&Version=2018-01-01 \
          DurationSeconds=3660&OIDCToken=a-pod-token&Policy=%7B%7D&\
          RoleSessionName=volcengine-go-sdk-oidc-session&RoleTrn=trn%3Aiam%3A%3A1%3Arole%2Fr"
        ]
    );
}

#[test]
fn without_a_role_in_the_environment_requests_fail_by_the_names_of_the_variables() {
    let services = services();
    let spec = VolcengineSpec {
        region: "cn-beijing".to_owned(),
        auth: None,
    };
    let signer = block_on(Signer::connect(&spec, &services.ctx("s"))).unwrap();

    let error = block_on(signer.authorize(&mut request("{}"))).unwrap_err();

    assert_eq!(
        error.to_string(),
        "missing required environment variables: VOLCENGINE_OIDC_TOKEN_FILE or \
         VOLCENGINE_OIDC_ROLE_TRN"
    );
}
