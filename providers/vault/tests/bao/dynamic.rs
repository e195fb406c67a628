//! Dynamic secrets of real engines: certificates with a lease, one-time passwords, tokens. What was
//! made outlives the process and is gone from the server after clean-up.

use std::sync::Arc;

use lockstep_provider_api::conformance::NAMESPACE;
use lockstep_provider_api::generator::{Maker, RemoteMaker};
use lockstep_provider_api::{
    Ctx, Generated, GeneratorEntry, Provider, Random, Result, Scope, StoreName,
};
use lockstep_provider_vault::Vault;
use serde_json::{Value, json};

use crate::bench::Bench;

struct NoRandom;

impl Random for NoRandom {
    fn fill(&mut self, _: &mut [u8]) {}
}

fn maker() -> &'static RemoteMaker {
    let mut makers = Vault::GENERATORS.iter().map(GeneratorEntry::maker);
    let found = makers.find_map(|maker| match maker {
        Maker::Remote(maker) => Some(maker),
        Maker::Local(_) => None,
    });
    found.unwrap()
}

fn ctx(bench: &Bench) -> Ctx {
    let store = StoreName {
        namespace: Some(NAMESPACE.to_owned()),
        name: "dyn".to_owned(),
    };
    let scope = Scope::Namespaced {
        namespace: NAMESPACE.to_owned(),
    };
    Ctx::new(Arc::clone(&bench.services), store, scope)
}

async fn generate(bench: &Bench, spec: &Value) -> Result<Generated> {
    maker().generate(spec, &ctx(bench), &mut NoRandom).await
}

async fn clean_up(bench: &Bench, spec: &Value, made: &Generated) -> Result<()> {
    let state = made.state.clone().unwrap();
    maker().cleanup(spec, state, &ctx(bench)).await
}

fn post(bench: &Bench, path: &str, body: &Value) {
    bench.bao.call("POST", path, body).unwrap();
}

/// A certificate authority whose certificates have leases.
fn with_pki(bench: &Bench) {
    post(bench, "sys/mounts/pki", &json!({ "type": "pki" }));
    let root = json!({ "common_name": "example.com", "key_type": "ec", "ttl": "768h" });
    post(bench, "pki/root/generate/internal", &root);
    let role =
        json!({ "allow_any_name": true, "key_type": "ec", "generate_lease": true, "ttl": "2h" });
    post(bench, "pki/roles/web", &role);
}

fn certificate(bench: &Bench, auth: Value) -> Value {
    json!({
        "path": "pki/issue/web", "method": "POST",
        "parameters": { "common_name": "web.example.com" },
        "provider": bench.spec_with(auth),
    })
}

fn token() -> Value {
    json!({ "tokenSecretRef": { "name": "creds", "key": "token" } })
}

fn leases(bench: &Bench, prefix: &str) -> usize {
    let listed = bench
        .bao
        .call("LIST", &format!("sys/leases/lookup/{prefix}"), &Value::Null);
    listed.map_or(0, |answer| {
        answer["data"]["keys"].as_array().map_or(0, Vec::len)
    })
}

/// A user with these rights beside those of every token.
fn user(bench: &Bench, rules: &[(&str, &str)]) -> Value {
    bench.bao.policy("maker", rules).unwrap();
    bench.bao.enable("userpass").unwrap();
    let body = json!({ "password": "pw", "token_policies": ["maker"], "token_ttl": "30m" });
    post(bench, "auth/userpass/users/u", &body);
    bench.objects.put_secret(NAMESPACE, "user", "pw", "pw");
    let secret = json!({ "name": "user", "key": "pw" });
    json!({ "userPass": { "path": "userpass", "username": "u", "secretRef": secret } })
}

#[tokio::test]
async fn a_lease_is_kept_and_revoked_by_clean_up() {
    let bench = Bench::new();
    with_pki(&bench);
    let spec = certificate(&bench, token());

    let made = generate(&bench, &spec).await.unwrap();

    let pem = made.values.get("private_key").unwrap().expose_utf8();
    assert!(pem.unwrap().starts_with("-----BEGIN EC PRIVATE KEY-----"));
    let left = made.expires.unwrap().duration_since(ctx(&bench).now());
    assert!((7100..=7200).contains(&left.as_secs()), "{left:?}");
    assert_eq!(leases(&bench, "pki/issue/web"), 1);
    clean_up(&bench, &spec, &made).await.unwrap();
    assert_eq!(leases(&bench, "pki/issue/web"), 0);
    clean_up(&bench, &spec, &made).await.unwrap();
}

#[tokio::test]
async fn a_lease_outlives_the_process_and_ends_with_the_login_that_made_it() {
    let bench = Bench::new();
    with_pki(&bench);
    let rules = [("pki/issue/web", "update"), ("sys/leases/revoke", "update")];
    let spec = certificate(&bench, user(&bench, &rules));

    let made = generate(&bench, &spec).await.unwrap();
    let other = generate(&bench, &spec).await.unwrap();
    clean_up(&bench, &spec, &other).await.unwrap();
    bench.services.shared.end().await;

    let left = made.expires.unwrap().duration_since(ctx(&bench).now());
    assert!((1700..=1800).contains(&left.as_secs()), "{left:?}");
    assert_eq!(leases(&bench, "pki/issue/web"), 1);
}

#[tokio::test]
async fn a_clean_up_without_the_right_names_the_policy() {
    let bench = Bench::new();
    with_pki(&bench);
    let spec = certificate(&bench, user(&bench, &[("pki/issue/web", "update")]));
    let made = generate(&bench, &spec).await.unwrap();

    let refused = clean_up(&bench, &spec, &made).await;

    let text = refused.unwrap_err().to_string();
    assert!(text.contains("user u of auth/userpass"), "{text}");
    assert!(text.contains(r#"path "sys/leases/revoke""#), "{text}");
}

#[tokio::test]
async fn a_token_is_made_and_revoked_by_its_accessor() {
    let bench = Bench::new();
    let spec = json!({
        "path": "auth/token/create", "method": "POST", "resultType": "Auth",
        "parameters": { "policies": ["default"], "ttl": "1h" },
        "provider": bench.spec_with(token()),
    });

    let made = generate(&bench, &spec).await.unwrap();

    let value = made.values.get("client_token").unwrap();
    let body = json!({ "token": value.expose_utf8().unwrap() });
    bench.bao.call("POST", "auth/token/lookup", &body).unwrap();
    clean_up(&bench, &spec, &made).await.unwrap();
    assert!(bench.bao.call("POST", "auth/token/lookup", &body).is_err());
    clean_up(&bench, &spec, &made).await.unwrap();
}

#[tokio::test]
async fn a_one_time_password_has_a_lease_and_a_list_has_none() {
    let bench = Bench::new();
    post(&bench, "sys/mounts/ssh", &json!({ "type": "ssh" }));
    let role = json!({ "key_type": "otp", "default_user": "root", "cidr_list": "10.0.0.0/8" });
    post(&bench, "ssh/roles/otp", &role);
    let provider = bench.spec_with(token());
    let otp = json!({
        "path": "ssh/creds/otp", "method": "PUT", "parameters": { "ip": "10.1.1.1" },
        "provider": provider,
    });
    let roles = json!({ "path": "ssh/roles", "method": "LIST", "provider": provider });

    let made = generate(&bench, &otp).await.unwrap();
    let listed = generate(&bench, &roles).await.unwrap();

    assert_eq!(made.values.get("username").unwrap(), &"root".into());
    assert!(made.state.is_some());
    assert_eq!(listed.values.get("keys").unwrap(), &r#"["otp"]"#.into());
    assert!(listed.state.is_none());
    clean_up(&bench, &otp, &made).await.unwrap();
    assert_eq!(leases(&bench, "ssh/creds/otp"), 0);
}
