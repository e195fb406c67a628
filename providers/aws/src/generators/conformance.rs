//! The suite for generators on both kinds, with AWS as a script that speaks its two formats.

use bytes::Bytes;
use http::Response;
use lockstep_provider_api::GeneratorEntry;
use lockstep_provider_api::conformance::generator::{Exchange, assert_conforms};
use lockstep_provider_api::conformance::{CANARY, response};
use serde_json::{Value, json};

use super::ecr_authorization_token::EcrAuthorizationToken;
use super::sts_session_token::StsSessionToken;

/// A login with keys of a Secret.
fn login() -> Value {
    let key = |key: &str| json!({ "name": "creds", "key": key });
    json!({ "region": "eu-central-1", "auth": { "secretRef": {
        "accessKeyIDSecretRef": key("id"), "secretAccessKeySecretRef": key("key") } } })
}

fn with_keys(subject: Exchange) -> Exchange {
    let subject = subject.secret("creds", "id", "AKIA");
    subject.secret("creds", "key", CANARY)
}

/// Code that AWS answers with a status.
fn code(status: u16) -> &'static str {
    match status {
        401 => "UnrecognizedClientException",
        403 => "AccessDeniedException",
        404 => "ResourceNotFoundException",
        429 => "ThrottlingException",
        503 => "ServiceUnavailable",
        _ => "InternalFailure",
    }
}

#[test]
fn tokens_of_registries_keep_the_contract() {
    let subject = Exchange::new(
        GeneratorEntry::of::<EcrAuthorizationToken>(),
        login(),
        |_, number| {
            let token = format!("AWS:{CANARY}{number}");
            let token = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, token);
            let data = json!({ "authorizationToken": token, "expiresAt": 2_000_000_000.0,
                "proxyEndpoint": "https://1.dkr.ecr.eu-central-1.amazonaws.com" });
            response(200, json!({ "authorizationData": [data] }).to_string())
        },
    );
    let refusal = |status| -> Response<Bytes> {
        let body = json!({ "__type": code(status), "message": "refused" });
        response(status, body.to_string())
    };
    assert_conforms(&with_keys(subject).refusing(refusal));
}

#[test]
fn session_tokens_keep_the_contract() {
    let subject = Exchange::new(
        GeneratorEntry::of::<StsSessionToken>(),
        login(),
        |_, number| {
            let keys = format!(
                "<AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>{CANARY}{number}</SecretAccessKey>\
                 <SessionToken>{CANARY}</SessionToken><Expiration>2033-05-18T03:33:20Z</Expiration>"
            );
            let result = format!("<Credentials>{keys}</Credentials>");
            response(
                200,
                format!(
                    "<GetSessionTokenResponse><GetSessionTokenResult>{result}\
                     </GetSessionTokenResult></GetSessionTokenResponse>"
                ),
            )
        },
    );
    let refusal = |status| -> Response<Bytes> {
        let code = code(status);
        let error = format!("<Code>{code}</Code><Message>refused</Message>");
        let body = format!("<ErrorResponse><Error>{error}</Error></ErrorResponse>");
        response(status, body)
    };
    assert_conforms(&with_keys(subject).refusing(refusal));
}
