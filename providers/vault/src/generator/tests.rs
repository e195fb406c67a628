//! Requests and answers of the generator against a script; a real server is in `tests/bao`.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::Request;
use lockstep_provider_api::conformance::{
    NAMESPACE, TestServices, block_on, response, scripted, services,
};
use serde_json::{Value, json};

use super::*;

pub(super) struct NoRandom;

impl Random for NoRandom {
    fn fill(&mut self, _: &mut [u8]) {}
}

struct Bench {
    services: TestServices,
    seen: Arc<Mutex<Vec<String>>>,
}

/// A server that answers logins, and everything else with one status and body.
fn bench(status: u16, body: &Value) -> Bench {
    let (body, seen) = (body.to_string(), Arc::<Mutex<Vec<String>>>::default());
    let log = Arc::clone(&seen);
    let transport = scripted(move |request: Request<Bytes>| {
        let uri = request.uri().to_string();
        let path = uri.strip_prefix("https://vault/v1/").unwrap().to_owned();
        let sent = String::from_utf8_lossy(request.body());
        let line = format!("{} {path} {sent}", request.method());
        log.lock().unwrap().push(line.trim_end().to_owned());
        match &*path {
            "auth/userpass/login/u" => {
                let auth = json!({ "client_token": "own", "lease_duration": 600 });
                response(200, json!({ "auth": auth }).to_string())
            }
            "auth/token/revoke-self" => response(204, ""),
            _ => response(status, body.clone()),
        }
    });
    let services = services().plugged(transport);
    let objects = &services.objects;
    objects.put_secret(NAMESPACE, "creds", "token", "t");
    Bench { services, seen }
}

impl Bench {
    fn generate(&self, spec: &Value) -> Result<Generated> {
        let spec = serde_json::from_value(spec.clone()).unwrap();
        let ctx = self.services.ctx("dyn");
        block_on(VaultDynamicSecret::generate(spec, &ctx, &mut NoRandom))
    }

    fn cleanup(&self, state: Value) -> Result<()> {
        let spec = serde_json::from_value(spec(json!({}))).unwrap();
        let ctx = self.services.ctx("dyn");
        block_on(VaultDynamicSecret::cleanup(spec, state, &ctx))
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

/// A manifest with a token, and with these members.
fn spec(more: Value) -> Value {
    let token = json!({ "name": "creds", "key": "token" });
    let mut spec = json!({
        "path": "/engine/creds/r",
        "provider": { "server": "https://vault", "auth": { "tokenSecretRef": token } },
        "retrySettings": { "maxRetries": 0 },
    });
    for (name, value) in more.as_object().unwrap() {
        spec[name] = value.clone();
    }
    spec
}

fn as_user(mut spec: Value) -> Value {
    let secret = json!({ "name": "creds", "key": "token" });
    spec["provider"]["auth"] =
        json!({ "userPass": { "path": "userpass", "username": "u", "secretRef": secret } });
    spec
}

fn texts(made: &Generated) -> Vec<(String, String)> {
    let text = |value: &SecretValue| value.expose_utf8().unwrap().to_owned();
    let values = made.values.iter();
    values
        .map(|(key, value)| (key.to_owned(), text(value)))
        .collect()
}

fn leased() -> Value {
    json!({
        "request_id": "q", "lease_id": "engine/creds/r/1", "lease_duration": 3600,
        "renewable": true, "data": { "user": "u", "n": 7, "l": ["a"], "z": null },
    })
}

#[test]
fn each_method_makes_its_request() {
    let table = [
        (json!({}), "GET engine/creds/r"),
        (
            json!({ "method": "GET", "getParameters": { "b": ["x y", "2"], "a": ["1"] } }),
            "GET engine/creds/r?a=1&b=x%20y&b=2",
        ),
        (json!({ "method": "LIST" }), "GET engine/creds/r?list=true"),
        (json!({ "method": "DELETE" }), "DELETE engine/creds/r"),
        (json!({ "method": "POST" }), "PUT engine/creds/r {}"),
        (
            json!({ "method": "PUT", "parameters": { "ttl": "1h" } }),
            r#"PUT engine/creds/r {"ttl":"1h"}"#,
        ),
    ];

    for (more, line) in table {
        let bench = bench(200, &leased());
        bench.generate(&spec(more)).unwrap();
        assert_eq!(bench.seen(), [line]);
    }
}

#[test]
fn members_of_data_become_values_and_the_lease_the_state() {
    let bench = bench(200, &leased());
    let now = bench.services.ctx("dyn").now();

    let made = bench.generate(&spec(json!({}))).unwrap();

    let expected = [("l", r#"["a"]"#), ("n", "7"), ("user", "u"), ("z", "")];
    assert_eq!(
        texts(&made),
        expected.map(|(k, v)| (k.to_owned(), v.to_owned()))
    );
    let end = now + SignedDuration::from_hours(1);
    assert_eq!(made.expires, Some(end));
    let state = json!({ "leaseId": "engine/creds/r/1", "expires": end.to_string() });
    assert_eq!(made.state, Some(state));
}

#[test]
fn a_raw_result_has_the_members_that_the_vendors_client_knows() {
    let made = bench(200, &leased()).generate(&spec(json!({ "resultType": "Raw" })));

    let made = texts(&made.unwrap());
    let names: Vec<&str> = made.iter().map(|(name, _)| &**name).collect();
    let known = [
        "data",
        "lease_duration",
        "lease_id",
        "mount_type",
        "renewable",
    ];
    assert_eq!(names, [&known[..], &["request_id", "warnings"]].concat());
    assert_eq!(made[0].1, r#"{"l":["a"],"n":7,"user":"u","z":null}"#);
    assert_eq!(made[1].1, "3600");
}

#[test]
fn an_auth_result_is_the_token_and_its_accessor_the_state() {
    let auth = json!({ "client_token": "s.x", "accessor": "acc", "policies": ["p"],
        "lease_duration": 60, "renewable": true, "token_type": "service" });
    let bench = bench(200, &json!({ "data": null, "auth": auth }));

    let made = bench
        .generate(&spec(json!({ "resultType": "Auth" })))
        .unwrap();

    let values = texts(&made);
    assert!(values.contains(&("client_token".to_owned(), "s.x".to_owned())));
    assert!(values.contains(&("policies".to_owned(), r#"["p"]"#.to_owned())));
    assert!(values.contains(&("orphan".to_owned(), "false".to_owned())));
    assert!(values.iter().all(|(name, _)| name != "token_type"));
    let state = made.state.unwrap();
    assert_eq!(state["accessor"], "acc");
    assert!(!state.to_string().contains("s.x"));
}

#[test]
fn an_empty_answer_fails_unless_it_is_allowed() {
    for (status, body) in [(204, json!("")), (404, json!({ "errors": [] }))] {
        let refused = bench(status, &body).generate(&spec(json!({})));
        let allowed = bench(status, &body).generate(&spec(json!({ "allowEmptyResponse": true })));

        assert_eq!(
            refused.unwrap_err().to_string(),
            "unable to get dynamic secret: empty response from Vault"
        );
        assert!(allowed.unwrap().values.is_empty());
    }
}

#[test]
fn an_answer_without_the_wanted_part_is_named_and_its_lease_revoked() {
    let bench = bench(200, &leased());

    let error = bench.generate(&spec(json!({ "resultType": "Auth" })));

    let text = error.unwrap_err().to_string();
    assert!(text.contains("has no auth; set resultType"), "{text}");
    let revoked = r#"PUT sys/leases/revoke {"lease_id":"engine/creds/r/1","sync":true}"#;
    assert_eq!(bench.seen()[1..], [revoked]);
}

#[test]
fn a_lease_has_a_login_of_its_own_and_ends_with_its_token() {
    let bench = bench(200, &leased());
    let now = bench.services.ctx("dyn").now();

    let made = bench.generate(&as_user(spec(json!({})))).unwrap();
    bench.generate(&as_user(spec(json!({})))).unwrap();

    assert_eq!(made.expires, Some(now + SignedDuration::from_mins(10)));
    let login = r#"PUT auth/userpass/login/u {"password":"t"}"#;
    let one = [login, "GET engine/creds/r"];
    assert_eq!(bench.seen(), [one, one].concat());
}

#[test]
fn a_token_that_no_lease_hangs_on_is_revoked_at_once() {
    let without = json!({ "data": { "certificate": "c", "expiration": 1_900_000_000 } });
    for (status, body) in [
        (200, without),
        (403, json!({ "errors": ["1 error occurred:"] })),
    ] {
        let bench = bench(status, &body);

        let made = bench.generate(&as_user(spec(json!({}))));

        let end = made.ok().and_then(|made| made.expires);
        assert_eq!(end.is_some(), status == 200);
        assert_eq!(bench.seen().last().unwrap(), "PUT auth/token/revoke-self");
    }
}

#[test]
fn clean_up_revokes_leases_and_tokens_and_takes_gone_ones_for_revoked() {
    let gone = json!({ "errors": ["invalid accessor"] });
    let (lease, token) = (bench(204, &json!("")), bench(400, &gone));

    lease.cleanup(json!({ "leaseId": "x/1" })).unwrap();
    token.cleanup(json!({ "accessor": "acc" })).unwrap();

    let revoke = r#"PUT sys/leases/revoke {"lease_id":"x/1","sync":true}"#;
    assert_eq!(lease.seen(), [revoke]);
    let revoke = r#"PUT auth/token/revoke-accessor {"accessor":"acc"}"#;
    assert_eq!(token.seen(), [revoke]);
}

#[test]
fn a_refused_clean_up_names_the_policy_until_the_credential_has_ended() {
    let denied = json!({ "errors": ["1 error occurred:\n\t* permission denied\n\n"] });
    let bench = bench(403, &denied);
    let now = bench.services.ctx("dyn").now();
    let ending = |end: Timestamp| json!({ "leaseId": "x/1", "expires": end.to_string() });

    let alive = bench.cleanup(ending(now + SignedDuration::from_secs(1)));
    let ended = bench.cleanup(ending(now - SignedDuration::from_secs(1)));

    let text = alive.unwrap_err().to_string();
    assert!(text.contains(r#"path "sys/leases/revoke""#), "{text}");
    assert!(ended.is_ok());
}

#[test]
fn manifests_that_cannot_work_are_refused() {
    let table = [
        (
            json!({ "provider": null }),
            "no Vault provider config in spec",
        ),
        (json!({ "path": "/" }), "spec.path is empty"),
        (
            json!({ "method": "POST", "parameters": [1] }),
            "spec.parameters is not an object",
        ),
    ];

    for (more, text) in table {
        let error = bench(200, &leased()).generate(&spec(more)).unwrap_err();
        assert_eq!(error.to_string(), text);
        assert_eq!(*error.kind(), ErrorKind::InvalidSpec);
    }
}
