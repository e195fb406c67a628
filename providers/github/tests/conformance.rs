//! Holds the provider to the contract, with a script in place of the server that checks the app's
//! signature and opens the boxes it gets.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use crypto_box::SecretKey;
use http::{Method, Request, Response};
use lockstep_provider_api::SecretValue;
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, Topic, assert_conforms, block_on, response,
    scripted, services,
};
use lockstep_provider_api::http::Transport;
use lockstep_provider_api::prelude::*;
use lockstep_provider_github::{Github, GithubSpec};
use lockstep_provider_kit::base64::{Encoding, decode, encode};
use ring::signature::{KeyPair, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject as _;
use serde_json::{Value, json};

const KEY: &str = include_str!("rsa.pem");
const BOX_KEY: [u8; 32] = [7; 32];

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct GithubSubject {
    secrets: Secrets,
}

fn spec(extra: &[(&str, Value)]) -> Value {
    let mut spec = json!({
        "appID": 1234,
        "installationID": 5678,
        "organization": "org",
        "url": "https://ghe.test/",
        "auth": {"privateKey": {"name": "c", "key": "pem"}},
    });
    for (name, value) in extra {
        spec[*name] = value.clone();
    }
    spec
}

impl Subject for GithubSubject {
    type Provider = Github;

    fn spec(&self) -> Value {
        spec(&[])
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "pem", KEY);
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["ghe.test/api/v3/app/"]
    }

    async fn seed(&self, key: &str, _value: &SecretValue) -> Result<(), &'static str> {
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), String::new());
        Ok(())
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        let body = json!({"message": "no", "value": CANARY});
        response(status, body.to_string())
    }

    fn waives(&self, topic: Topic) -> Option<&'static str> {
        match topic {
            Topic::Writes => Some("GitHub does not show what it holds, so every push writes"),
            _ => None,
        }
    }
}

/// The claims of a token that the app's own key signed.
fn claims(header: &str) -> Value {
    let token = header.strip_prefix("Bearer ").unwrap();
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let signature = decode(Encoding::RawUrl, signature.as_bytes()).unwrap();
    let der = PrivatePkcs8KeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
    let pair = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).unwrap();
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public_key());
    public.verify(signed.as_bytes(), &signature).unwrap();
    let (_, claims) = signed.split_once('.').unwrap();
    serde_json::from_slice(&decode(Encoding::RawUrl, claims.as_bytes()).unwrap()).unwrap()
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let signed = request.headers()["authorization"].to_str().unwrap();
    let path = request.uri().path().strip_prefix("/api/v3").unwrap();
    if path == "/app/installations/5678/access_tokens" {
        let claims = claims(signed);
        assert_eq!(claims["iss"], "1234");
        let life = claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap();
        assert_eq!(life, 120);
        return response(
            201,
            r#"{"token":"ghs-1","expires_at":"2100-01-01T00:00:00Z"}"#,
        );
    }
    assert_eq!(signed, "token ghs-1");
    let own = SecretKey::from(BOX_KEY);
    let Ok(mut secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    if path == "/repos/org/repo" {
        return response(200, r#"{"id":99}"#);
    }
    if let Some(name) = path.strip_suffix("/repositories") {
        assert_eq!(name, "/orgs/org/actions/secrets/PICKED");
        return response(200, r#"{"repositories":[{"id":11},{"id":12}]}"#);
    }
    let (_, name) = path.split_once("/secrets").unwrap();
    let name = name.trim_start_matches('/').to_owned();
    match (request.method(), name.as_str()) {
        (&Method::GET, "") => response(200, r#"{"total_count":0,"secrets":[]}"#),
        (&Method::GET, "public-key") => {
            let key = encode(Encoding::Standard, own.public_key().as_bytes());
            response(200, json!({"key_id": "kid", "key": key}).to_string())
        }
        (&Method::GET, name) if secrets.contains_key(name) => {
            let visibility = if name == "PICKED" {
                "selected"
            } else {
                "private"
            };
            response(
                200,
                json!({"name": name, "visibility": visibility}).to_string(),
            )
        }
        (&Method::PUT, _) => {
            let body: Value = serde_json::from_slice(request.body()).unwrap();
            let closed = body["encrypted_value"].as_str().unwrap();
            let closed = decode(Encoding::Standard, closed.as_bytes()).unwrap();
            let opened = String::from_utf8_lossy(&own.unseal(&closed).unwrap()).into_owned();
            let repositories = &body["selected_repository_ids"];
            let visibility = body["visibility"].as_str().unwrap();
            let at = request.uri().path();
            secrets.insert(name, format!("{at} {opened} {visibility} {repositories}"));
            response(201, "{}")
        }
        (&Method::DELETE, name) if secrets.remove(name).is_some() => response(204, ""),
        _ => response(404, r#"{"message":"Not Found"}"#),
    }
}

#[test]
fn github_keeps_the_contract() {
    assert_conforms(&GithubSubject::default());
}

/// What the server holds after a push of the value `v`.
fn pushed(extra: &[(&str, Value)], key: &str, held: bool) -> (Pushed, String) {
    let secrets = Secrets::default();
    if held {
        secrets
            .lock()
            .unwrap()
            .insert(key.to_owned(), String::new());
    }
    let server = Arc::clone(&secrets);
    let services = services().plugged(scripted(move |request| answer(&request, &server)));
    services.objects.put_secret(NAMESPACE, "c", "pem", KEY);
    let spec: GithubSpec = serde_json::from_value(spec(extra)).unwrap();
    let source = SecretMap::from_iter([("a".to_owned(), SecretValue::from("v"))]);
    let item = PushItem {
        secret_key: Some("a".to_owned()),
        ..PushItem::whole(PushTarget::key(key), source)
    };
    let did = block_on(async {
        let store = Github::connect(spec, services.ctx("s")).await?;
        store.push(&item).await
    });
    let held = secrets.lock().unwrap()[key].clone();
    (did.unwrap(), held)
}

#[test]
fn a_new_secret_of_an_organization_is_for_everybody() {
    let (did, held) = pushed(&[], "NEW", false);

    assert_eq!(did, Pushed::Created);
    assert_eq!(held, "/api/v3/orgs/org/actions/secrets/NEW v all null");
}

#[test]
fn a_secret_that_is_there_keeps_who_may_use_it() {
    let (did, held) = pushed(&[], "OLD", true);
    assert_eq!(did, Pushed::Updated);
    assert!(held.ends_with(" v private null"), "{held}");

    let (_, held) = pushed(&[], "PICKED", true);
    assert!(held.ends_with(" v selected [11,12]"), "{held}");

    let (_, held) = pushed(&[("orgSecretVisibility", json!("all"))], "OLD", true);
    assert!(held.ends_with(" v all null"), "{held}");
}

#[test]
fn an_environment_is_found_by_the_id_of_its_repository() {
    let extra = [
        ("repository", json!("repo")),
        ("environment", json!("prod")),
    ];
    let (_, held) = pushed(&extra, "NEW", false);

    let want = "/api/v3/repositories/99/environments/prod/secrets/NEW v all null";
    assert_eq!(held, want);
}

#[test]
fn a_deletion_tells_a_secret_that_is_gone_from_a_right_that_is() {
    let delete = |list: u16| {
        let services = services().plugged(scripted(move |request| {
            let path = request.uri().path();
            if path.ends_with("/access_tokens") {
                return response(201, r#"{"token":"ghs-1"}"#);
            }
            let status = if path.ends_with("/secrets") {
                list
            } else {
                404
            };
            response(status, r#"{"message":"Not Found"}"#)
        }));
        services.objects.put_secret(NAMESPACE, "c", "pem", KEY);
        let spec: GithubSpec = serde_json::from_value(spec(&[])).unwrap();
        block_on(async {
            let store = Github::connect(spec, services.ctx("s")).await?;
            store.delete(&PushTarget::key("TOK")).await
        })
    };

    assert!(delete(200).is_ok());
    let text = delete(404).unwrap_err().to_string();
    let want = "failed to delete secret: GET https://ghe.test/api/v3/orgs/org/actions/secrets: 404 Not Found []";
    assert_eq!(text, want);
}
