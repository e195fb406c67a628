//! Ways to log in that the test server does not have: `aws`, `gcp` and `ldap`. A stub takes the login
//! and checks what was sent; reads go on to it, too.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use lockstep_provider_api::conformance::{MemoryObjects, NAMESPACE};
use lockstep_provider_api::{RemoteRef, SharedStore};
use lockstep_testkit::stub::{Answer, Request, Stub};
use serde_json::{Value, json};

use crate::bench::{connect, read, services};

/// A server that lets everybody in and notes the logins.
struct Server {
    stub: Stub,
    logins: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Server {
    fn start() -> Self {
        let logins: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
        let noted = Arc::clone(&logins);
        let stub = Stub::start(move |request: Request| {
            if request.path.contains("/login") {
                let body = serde_json::from_slice(&request.body).unwrap();
                noted.lock().unwrap().push((request.path.clone(), body));
                let auth =
                    json!({ "client_token": "t", "lease_duration": 3600, "renewable": true });
                return Answer::json(200, &json!({ "auth": auth }));
            }
            if request.header("x-vault-token") != Some("t") {
                return Answer::json(403, &json!({ "errors": ["permission denied"] }));
            }
            let data = json!({ "data": { "a": "1" }, "metadata": { "version": 1 } });
            Answer::json(200, &json!({ "data": data }))
        });
        Self {
            stub: stub.unwrap(),
            logins,
        }
    }

    async fn store(&self, objects: &Arc<MemoryObjects>, auth: Value) -> SharedStore {
        let spec = json!({ "server": self.stub.url(), "path": "kv", "auth": auth });
        connect(&services(objects, &[]), spec).await.unwrap()
    }

    async fn login(&self, objects: &Arc<MemoryObjects>, auth: Value) -> (String, Value) {
        let store = self.store(objects, auth).await;
        let value = read(&store, RemoteRef::key("x").property("a")).await;
        assert_eq!(value.unwrap(), "1");
        self.logins.lock().unwrap().pop().unwrap()
    }
}

#[tokio::test]
async fn a_user_of_a_directory_sends_its_password_in_the_body() {
    let objects: Arc<MemoryObjects> = Arc::default();
    objects.put_secret(NAMESPACE, "bob", "pw", "pw");

    let (path, body) = Server::start()
        .login(
            &objects,
            json!({ "ldap": {
            "path": "ldap", "username": "bob", "secretRef": { "name": "bob", "key": "pw" },
        } }),
        )
        .await;

    assert_eq!(path, "/v1/auth/ldap/login/bob");
    assert_eq!(body, json!({ "password": "pw" }));
}

#[tokio::test]
async fn an_identity_of_aws_sends_a_signed_request() {
    let objects: Arc<MemoryObjects> = Arc::default();
    objects.put_secret(NAMESPACE, "aws", "id", "AKIATEST");
    objects.put_secret(NAMESPACE, "aws", "secret", "hunter2");

    let (path, body) = Server::start()
        .login(
            &objects,
            json!({ "iam": {
            "vaultRole": "r", "vaultAwsIamServerID": "vault.test", "secretRef": {
                "accessKeyIDSecretRef": { "name": "aws", "key": "id" },
                "secretAccessKeySecretRef": { "name": "aws", "key": "secret" },
            },
        } }),
        )
        .await;

    assert_eq!(path, "/v1/auth/aws/login");
    assert_eq!(body["role"], "r");
    assert_eq!(body["iam_http_request_method"], "POST");
    let decoded = |name: &str| {
        let bytes = STANDARD.decode(body[name].as_str().unwrap()).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    assert_eq!(decoded("iam_request_url"), "https://sts.amazonaws.com/");
    assert_eq!(
        decoded("iam_request_body"),
        "Action=GetCallerIdentity&Version=2011-06-15"
    );
    let headers: Value = serde_json::from_str(&decoded("iam_request_headers")).unwrap();
    let signature = headers["Authorization"][0].as_str().unwrap();
    assert!(signature.contains("Credential=AKIATEST/"), "{signature}");
    assert!(
        signature.contains("x-vault-aws-iam-server-id"),
        "{signature}"
    );
    assert_eq!(headers["X-Vault-AWS-IAM-Server-ID"][0], "vault.test");
    assert!(!body.to_string().contains("hunter2"));
}

#[tokio::test]
async fn a_key_of_google_signs_a_token_for_the_role() {
    let objects: Arc<MemoryObjects> = Arc::default();
    let key = json!({
        "type": "service_account", "client_email": "me@p.iam.gserviceaccount.com",
        "private_key_id": "k1", "private_key": include_str!("issuer.pem"),
    });
    objects.put_secret(NAMESPACE, "gcp", "key", key.to_string());

    let (path, body) = Server::start()
        .login(
            &objects,
            json!({ "gcp": { "role": "r", "secretRef": {
            "secretAccessKeySecretRef": { "name": "gcp", "key": "key" },
        } } }),
        )
        .await;

    assert_eq!(path, "/v1/auth/gcp/login");
    let claims = body["jwt"].as_str().unwrap().split('.').nth(1).unwrap();
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
    assert_eq!(claims["aud"], "vault/r");
    assert_eq!(claims["sub"], "me@p.iam.gserviceaccount.com");
}

#[tokio::test]
async fn a_service_account_of_gke_logs_in_as_its_account_of_google() {
    let objects: Arc<MemoryObjects> = Arc::default();
    let email = "app@p.iam.gserviceaccount.com";
    let annotation = (
        "iam.gke.io/gcp-service-account".to_owned(),
        email.to_owned(),
    );
    objects.put_service_account(NAMESPACE, "app", [annotation].into());
    let asked: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
    let noted = Arc::clone(&asked);
    let google = Stub::start(move |request: Request| {
        let body = serde_json::from_slice(&request.body).unwrap();
        noted.lock().unwrap().push((request.path.clone(), body));
        match request.path.rsplit([':', '/']).next() {
            Some("generateAccessToken") => Answer::json(200, &json!({ "accessToken": "own" })),
            Some("signJwt") => Answer::json(200, &json!({ "signedJwt": "signed" })),
            _ => Answer::json(200, &json!({ "access_token": "pool", "expires_in": 60 })),
        }
    });
    let google = google.unwrap();
    let variables = [
        ("ESO_GCP_SECURETOKEN_ENDPOINT", google.url()),
        ("ESO_GCP_IAMCREDENTIALS_ENDPOINT", google.url()),
    ];
    let server = Server::start();
    let workload = json!({ "serviceAccountRef": { "name": "app" },
        "clusterProjectID": "p", "clusterLocation": "l", "clusterName": "c" });
    let auth = json!({ "gcp": { "role": "reader", "workloadIdentity": workload } });
    let spec = json!({ "server": server.stub.url(), "path": "kv", "auth": auth });

    connect(&services(&objects, &variables), spec)
        .await
        .unwrap();

    let (path, body) = server.logins.lock().unwrap().pop().unwrap();
    assert_eq!(path, "/v1/auth/gcp/login");
    assert_eq!(body, json!({ "role": "reader", "jwt": "signed" }));
    let asked = asked.lock().unwrap();
    let (path, body) = &asked[2];
    assert!(path.ends_with(&format!("{email}:signJwt")), "{path}");
    let claims: Value = serde_json::from_str(body["payload"].as_str().unwrap()).unwrap();
    assert_eq!(claims["sub"], email);
    assert_eq!(claims["aud"], "vault/reader");
}

#[tokio::test]
async fn a_service_account_without_an_account_of_google_is_told_what_to_annotate() {
    let objects: Arc<MemoryObjects> = Arc::default();
    objects.put_service_account(NAMESPACE, "app", std::collections::BTreeMap::new());
    let workload = json!({ "serviceAccountRef": { "name": "app" },
        "clusterProjectID": "p", "clusterLocation": "l", "clusterName": "c" });
    let auth = json!({ "gcp": { "role": "reader", "workloadIdentity": workload } });
    let spec = json!({ "server": "http://127.0.0.1:1", "path": "kv", "auth": auth });

    let refused = connect(&services(&objects, &[]), spec).await.err().unwrap();

    let text = refused.to_string();
    assert!(text.contains("iam.gke.io/gcp-service-account"), "{text}");
}

#[tokio::test]
async fn the_state_of_a_write_is_named_by_the_reads_after_it() {
    let objects: Arc<MemoryObjects> = Arc::default();
    objects.put_secret(NAMESPACE, "creds", "token", "t");
    let seen: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    let noted = Arc::clone(&seen);
    let stub = Stub::start(move |request: Request| {
        let header = |name: &str| request.header(name).unwrap_or("-").to_owned();
        let pair = (header("x-vault-index"), header("x-vault-inconsistent"));
        noted.lock().unwrap().push(pair);
        let data = json!({ "data": { "a": "1" }, "metadata": { "version": 1 } });
        let mut answer = Answer::json(200, &json!({ "data": data }));
        answer.headers.push(("X-Vault-Index", "state".to_owned()));
        answer
    });
    let stub = stub.unwrap();
    let spec = json!({
        "server": stub.url(), "path": "kv",
        "readYourWrites": true, "forwardInconsistent": true,
        "auth": { "tokenSecretRef": { "name": "creds", "key": "token" } },
    });
    let store = connect(&services(&objects, &[]), spec).await.unwrap();

    for _ in 0..2 {
        read(&store, RemoteRef::key("x")).await.unwrap();
    }

    let forward = "forward-active-node".to_owned();
    let expected = [
        ("-".to_owned(), forward.clone()),
        ("state".to_owned(), forward),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}
