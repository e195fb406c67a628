//! Logins of users that a real directory knows.

use lockstep_provider_api::conformance::NAMESPACE;
use lockstep_provider_api::{ErrorKind, RemoteRef};
use lockstep_testkit::progress::say;
use lockstep_testkit::slapd::{ADMIN, ADMIN_PASSWORD, BASE, Slapd};
use serde_json::{Value, json};

use crate::bench::{Bench, read};

/// A server that asks a directory with the user `alice`; `None` where slapd cannot be had.
fn bench() -> Option<(Bench, Slapd)> {
    let Some(slapd) = Slapd::start(&[("alice", "wonder land")]).unwrap() else {
        say("skipped: neither slapd nor Debian's package tools are on this machine");
        return None;
    };
    let bench = Bench::new();
    bench.bao.put("x", &json!({ "a": "1" })).unwrap();
    bench.bao.policy("reader", &[("kv/*", "read")]).unwrap();
    bench.bao.enable("ldap").unwrap();
    let config = json!({
        "url": slapd.url(), "userdn": BASE, "userattr": "uid",
        "binddn": ADMIN, "bindpass": ADMIN_PASSWORD, "groupdn": BASE,
    });
    let post = |path: &str, body: &Value| bench.bao.call("POST", path, body).unwrap();
    post("auth/ldap/config", &config);
    post("auth/ldap/users/alice", &json!({ "policies": "reader" }));
    Some((bench, slapd))
}

fn spec(bench: &Bench, user: &str, password: &str) -> Value {
    bench
        .objects
        .put_secret(NAMESPACE, "ldap", "password", password);
    bench.spec_with(json!({ "ldap": {
        "path": "ldap", "username": user, "secretRef": { "name": "ldap", "key": "password" },
    } }))
}

#[tokio::test]
async fn a_user_of_the_directory_logs_in_once() {
    let Some((bench, _slapd)) = bench() else {
        return;
    };
    let spec = spec(&bench, "alice", "wonder land\n");

    for _ in 0..2 {
        let store = bench.connect(spec.clone()).await.unwrap();
        let value = read(&store, RemoteRef::key("x").property("a")).await;
        assert_eq!(value.unwrap(), "1");
    }

    let calls = bench.calls();
    let logins = calls.iter().filter(|call| call.contains("login"));
    assert_eq!(logins.collect::<Vec<_>>(), ["PUT auth/ldap/login/alice"]);
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_user_are_refused() {
    let Some((bench, _slapd)) = bench() else {
        return;
    };

    for (user, password) in [("alice", "hunter2"), ("bob", "hunter2")] {
        let error = bench.refused(spec(&bench, user, password)).await;

        assert_eq!(*error.kind(), ErrorKind::Unauthenticated);
        let text = error.to_string();
        assert!(text.contains("unable to log in with ldap auth"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}
