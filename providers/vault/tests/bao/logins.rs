//! Ways to log in that the server has; tokens that an API server reviews are among the recorded cases.
//! A login is made once for an identity, renewed, replaced when its token is gone, and revoked at the
//! end.

use lockstep_provider_api::conformance::NAMESPACE;
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::{Check, Health, RemoteRef, SecretValue};
use lockstep_testkit::bao::Bao;
use lockstep_testkit::stub::{Answer, Stub};
use serde_json::{Value, json};

use crate::bench::{Bench, read};

/// A server with a secret and a policy to read it.
fn bench() -> Bench {
    prepared(Bench::new())
}

fn prepared(bench: Bench) -> Bench {
    bench.bao.put("x", &json!({ "a": "1" })).unwrap();
    bench
        .bao
        .policy("reader", &[("kv/*", "read,list")])
        .unwrap();
    bench
}

fn with_app_role(bench: &Bench, role: &Value) -> Value {
    bench.bao.enable("approle").unwrap();
    bench.bao.call("POST", "auth/approle/role/r", role).unwrap();
    let id = json!({ "role_id": "role" });
    bench
        .bao
        .call("POST", "auth/approle/role/r/role-id", &id)
        .unwrap();
    let secret = json!({ "secret_id": "sid" });
    bench
        .bao
        .call("POST", "auth/approle/role/r/custom-secret-id", &secret)
        .unwrap();
    bench.objects.put_secret(NAMESPACE, "role", "sid", "sid\n");
    bench.spec_with(json!({ "appRole": {
        "path": "approle", "roleId": "role", "secretRef": { "name": "role", "key": "sid" },
    } }))
}

async fn reads(bench: &Bench, spec: Value) {
    let store = bench.connect(spec).await.unwrap();
    let value = read(&store, RemoteRef::key("x").property("a")).await;
    assert_eq!(value.unwrap(), "1");
    assert!(matches!(store.check().await, Check::Healthy(Health::Ready)));
}

#[tokio::test]
async fn two_stores_of_an_application_log_in_once() {
    let bench = bench();
    let spec = with_app_role(&bench, &json!({ "token_policies": ["reader"] }));
    bench.calls();

    reads(&bench, spec.clone()).await;
    reads(&bench, spec).await;

    let calls = bench.calls();
    assert_eq!(
        calls,
        ["PUT auth/approle/login", "GET kv/data/x", "GET kv/data/x"]
    );
}

#[tokio::test]
async fn a_wrong_secret_id_is_refused_in_upstreams_words() {
    let bench = bench();
    let spec = with_app_role(&bench, &json!({ "token_policies": ["reader"] }));
    bench
        .objects
        .put_secret(NAMESPACE, "role", "sid", "hunter2");

    let error = bench.refused(spec).await;

    let text = error.to_string();
    let front =
        "unable to log in to auth method: unable to log in with app role auth: Error making";
    assert!(text.starts_with(front), "{text}");
    assert!(text.contains("invalid role or secret ID"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn a_token_that_is_gone_is_replaced_by_one_login() {
    let bench = bench();
    let role = json!({ "token_policies": ["reader"], "token_num_uses": 2 });
    let spec = with_app_role(&bench, &role);
    let store = bench.connect(spec).await.unwrap();
    bench
        .bao
        .call("PUT", "sys/leases/revoke-prefix/auth/approle", &json!({}))
        .unwrap();
    // A refusal right after the login is not blamed on the token.
    bench.clock.advance(6);
    bench.calls();

    let value = read(&store, RemoteRef::key("x").property("a")).await;

    assert_eq!(value.unwrap(), "1");
    let logins = bench.calls();
    let logins = logins.iter().filter(|call| call.ends_with("login"));
    assert_eq!(logins.count(), 1);
}

#[tokio::test]
async fn a_token_is_renewed_before_it_ends_and_replaced_where_that_fails() {
    let bench = bench();
    let role = json!({ "token_policies": ["reader"], "token_ttl": "1h", "token_max_ttl": "24h" });
    let spec = with_app_role(&bench, &role);
    let store = bench.connect(spec).await.unwrap();
    let reference = RemoteRef::key("x").property("a");
    bench.calls();

    bench.clock.advance(55 * 60);
    read(&store, reference.clone()).await.unwrap();
    let renewed = bench.calls();
    bench
        .bao
        .call("PUT", "sys/leases/revoke-prefix/auth/approle", &json!({}))
        .unwrap();
    bench.clock.advance(55 * 60);
    read(&store, reference).await.unwrap();
    let replaced = bench.calls();

    assert_eq!(renewed, ["PUT auth/token/renew-self", "GET kv/data/x"]);
    assert_eq!(
        replaced,
        [
            "PUT auth/token/renew-self",
            "PUT auth/approle/login",
            "GET kv/data/x"
        ]
    );
}

#[tokio::test]
async fn tokens_are_revoked_at_the_end() {
    let bench = bench();
    let spec = with_app_role(&bench, &json!({ "token_policies": ["reader"] }));
    reads(&bench, spec).await;
    bench.calls();

    bench.services.shared.end().await;

    assert_eq!(bench.calls(), ["PUT auth/token/revoke-self"]);
}

#[tokio::test]
async fn a_user_logs_in_in_a_namespace_of_its_own() {
    let bench = bench();
    bench.bao.enable("userpass").unwrap();
    let user = json!({ "password": "pw", "token_policies": ["reader"] });
    bench
        .bao
        .call("POST", "auth/userpass/users/bob", &user)
        .unwrap();
    bench.objects.put_secret(NAMESPACE, "bob", "pw", "pw\n");

    reads(
        &bench,
        bench.spec_with(json!({ "userPass": {
        "path": "userpass", "username": "bob", "secretRef": { "name": "bob", "key": "pw" },
    } })),
    )
    .await;
}

fn token(claims: &Value) -> SecretValue {
    let key = RsaKey::from_pem(&include_str!("issuer.pem").into()).unwrap();
    let keys: Value = serde_json::from_str(include_str!("issuer.jwks.json")).unwrap();
    let header = json!({ "alg": "RS256", "typ": "JWT", "kid": keys["keys"][0]["kid"] });
    key.sign(&header, claims).unwrap()
}

#[tokio::test]
async fn a_signed_token_logs_in() {
    let bench = bench();
    let keys = Stub::start(|_| {
        let keys: Value = serde_json::from_str(include_str!("issuer.jwks.json")).unwrap();
        Answer::json(200, &keys)
    });
    let keys = keys.unwrap();
    bench.bao.enable("jwt").unwrap();
    let config = json!({ "jwks_url": keys.url() });
    bench.bao.call("POST", "auth/jwt/config", &config).unwrap();
    let role = json!({
        "role_type": "jwt", "user_claim": "sub", "bound_audiences": ["vault"],
        "token_policies": ["reader"],
    });
    bench.bao.call("POST", "auth/jwt/role/r", &role).unwrap();
    let claims = json!({ "sub": "me", "aud": "vault", "iss": "i", "exp": 4_000_000_000_i64,
        "iat": 1_700_000_000, "nbf": 1_700_000_000 });
    bench
        .objects
        .put_secret(NAMESPACE, "jwt", "jwt", token(&claims));

    reads(
        &bench,
        bench.spec_with(json!({ "jwt": {
        "path": "jwt", "role": "r", "secretRef": { "name": "jwt", "key": "jwt" },
    } })),
    )
    .await;
}

/// A certificate and its key.
fn certificate() -> (String, String) {
    let made = rcgen::generate_simple_self_signed(vec!["client.test".to_owned()]).unwrap();
    (made.cert.pem(), made.signing_key.serialize_pem())
}

#[tokio::test]
async fn a_client_certificate_logs_in() {
    let bench = prepared(Bench::over(Bao::start_tls().unwrap(), &[]));
    let (certificate, key) = certificate();
    bench.bao.enable("cert").unwrap();
    let role = json!({ "certificate": certificate, "token_policies": ["reader"] });
    bench
        .bao
        .call("POST", "auth/cert/certs/web", &role)
        .unwrap();
    bench
        .objects
        .put_secret(NAMESPACE, "cert", "tls.crt", certificate);
    bench.objects.put_secret(NAMESPACE, "cert", "tls.key", key);
    bench
        .objects
        .put_secret(NAMESPACE, "ca", "ca.crt", bench.bao.ca().unwrap());
    let mut spec = bench.spec_with(json!({ "cert": {
        "path": "cert", "vaultRole": "web",
        "clientCert": { "name": "cert" }, "secretRef": { "name": "cert" },
    } }));
    spec["caProvider"] = json!({ "type": "Secret", "name": "ca", "key": "ca.crt" });

    reads(&bench, spec).await;
}

#[tokio::test]
async fn without_a_method_nobody_can_log_in() {
    let bench = bench();

    let error = bench
        .refused(bench.spec_with(json!({ "namespace": "x" })))
        .await;
    let jwt = bench
        .refused(bench.spec_with(json!({ "jwt": { "path": "jwt" } })))
        .await;

    assert_eq!(
        error.to_string(),
        "cannot initialize Vault client: no valid auth method specified"
    );
    assert!(jwt.to_string().starts_with("neither `secretRef` nor"));
}
