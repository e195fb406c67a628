//! States of objects told apart: missing, deleted, disabled, expired, denied, throttled.

use lockstep_provider_api::{ErrorKind, RemoteRef};
use lockstep_testkit::azure::Fault;
use serde_json::{Value, json};

use crate::bench::{Bench, HOST, push};

async fn refused(bench: &Bench, key: &str) -> lockstep_provider_api::Error {
    let store = bench.store().await;
    store.get(&RemoteRef::key(key)).await.unwrap_err()
}

fn fault(text: &str, status: u16, inner: &str) -> Fault {
    Fault {
        text: text.to_owned(),
        status,
        body: json!({ "error": { "code": "Forbidden", "message": "no", "innererror": { "code": inner } } }),
        headers: Vec::new(),
        times: 100,
    }
}

#[tokio::test]
async fn an_object_that_never_was_is_missing_whatever_its_kind() {
    let bench = Bench::new();

    for key in ["none", "cert/none", "key/none"] {
        let error = refused(&bench, key).await;
        assert_eq!(error.kind(), &ErrorKind::NotFound, "{key}");
        assert_eq!(error.to_string(), "Secret does not exist");
    }
}

#[tokio::test]
async fn a_deleted_secret_is_absent_and_says_until_when_it_can_be_recovered() {
    let bench = Bench::new();
    bench.put("a", &json!({ "value": "v" }));
    bench.ask("DELETE", "/secrets/a");

    let error = refused(&bench, "a").await;

    let ErrorKind::Tombstoned(tombstone) = error.kind() else {
        panic!("{error:?}");
    };
    assert_eq!(tombstone.state, "soft-deleted");
    assert!(tombstone.until.is_some() && tombstone.counts_as_absent);
    let text = error.to_string();
    assert!(text.starts_with("Secret does not exist: secret \"a\" of vault tests was deleted"));
    assert!(
        text.contains("az keyvault secret recover --vault-name tests --name a"),
        "{text}"
    );
}

#[tokio::test]
async fn purge_protection_is_told() {
    let bench = Bench::new();
    bench.azure.protect(true);
    bench.put("a", &json!({ "value": "v" }));
    bench.ask("DELETE", "/secrets/a");

    assert!(
        refused(&bench, "a")
            .await
            .to_string()
            .contains("purge protection is on")
    );
}

#[tokio::test]
async fn without_the_right_to_see_deleted_secrets_one_is_missing() {
    let bench = Bench::new();
    bench.put("a", &json!({ "value": "v" }));
    bench.ask("DELETE", "/secrets/a");
    bench
        .azure
        .inject(fault("/deletedsecrets/", 403, "ForbiddenByRbac"));

    assert_eq!(refused(&bench, "a").await.kind(), &ErrorKind::NotFound);
}

#[tokio::test]
async fn a_recovered_secret_is_read_again() {
    let bench = Bench::new();
    bench.put("a", &json!({ "value": "v" }));
    bench.ask("DELETE", "/secrets/a");
    refused(&bench, "a").await;
    bench
        .azure
        .vault("POST", HOST, "/deletedsecrets/a/recover", &Value::Null)
        .unwrap();

    let value = bench.store().await.get(&RemoteRef::key("a")).await;

    assert_eq!(value.unwrap(), "v".into());
}

#[tokio::test]
async fn a_disabled_secret_is_neither_absent_nor_denied() {
    let bench = Bench::new();
    bench.put(
        "d",
        &json!({ "value": "v", "attributes": { "enabled": false } }),
    );

    let error = refused(&bench, "d").await;

    let ErrorKind::Tombstoned(tombstone) = error.kind() else {
        panic!("{error:?}");
    };
    assert_eq!(
        (&*tombstone.state, tombstone.counts_as_absent),
        ("disabled", false)
    );
    assert!(error.to_string().contains("enable the secret"), "{error}");
}

#[tokio::test]
async fn expired_and_not_yet_valid_objects_are_told_apart() {
    for (code, state) in [
        ("SecretExpired", "expired"),
        ("SecretNotYetValid", "not yet valid"),
    ] {
        let bench = Bench::new();
        bench
            .azure
            .inject(fault("GET tests.vault.azure.net/secrets/", 403, code));

        let error = refused(&bench, "x").await;

        let ErrorKind::Tombstoned(tombstone) = error.kind() else {
            panic!("{error:?}");
        };
        assert_eq!(
            (&*tombstone.state, tombstone.counts_as_absent),
            (state, false)
        );
    }
}

#[tokio::test]
async fn a_denial_names_the_identity_and_the_missing_role() {
    let bench = Bench::new();
    bench.put("a", &json!({ "value": "v" }));
    bench.azure.deny(Some("ForbiddenByRbac"));

    let error = refused(&bench, "a").await;

    assert_eq!(error.kind(), &ErrorKind::Denied);
    let text = error.to_string();
    assert!(
        text.contains("as application 22222222-2222-2222-2222-222222222222"),
        "{text}"
    );
    assert!(
        text.contains("assign the role \"Key Vault Secrets User\""),
        "{text}"
    );
    assert!(!text.contains("appid="), "{text}");
}

#[tokio::test]
async fn a_firewall_and_a_missing_policy_have_their_own_advice() {
    let advice = [
        ("ForbiddenByFirewall", "firewall of the vault"),
        ("ForbiddenByConnection", "private endpoint"),
        ("AccessDenied", "access policy secrets: get, list"),
    ];
    for (code, words) in advice {
        let bench = Bench::new();
        bench.azure.deny(Some(code));

        let error = refused(&bench, "a").await;

        assert_eq!(error.kind(), &ErrorKind::Denied);
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test]
async fn a_throttle_says_when_to_come_back() {
    let bench = Bench::new();
    bench.azure.inject(Fault {
        headers: vec![("Retry-After", "17".to_owned())],
        ..fault("GET tests.vault.azure.net/secrets/", 429, "Throttled")
    });

    let error = refused(&bench, "a").await;

    assert_eq!(error.kind(), &ErrorKind::Throttled);
    assert_eq!(error.retry_after().unwrap().as_secs(), 17);
    assert_eq!(bench.count("GET tests"), 1);
}

#[tokio::test]
async fn an_outage_of_a_moment_is_not_noticed() {
    let bench = Bench::new();
    bench.put("a", &json!({ "value": "v" }));
    bench.azure.inject(Fault {
        times: 1,
        ..fault("/secrets/a", 503, "ServiceUnavailable")
    });

    let value = bench.store().await.get(&RemoteRef::key("a")).await;

    assert_eq!(value.unwrap(), "v".into());
}

#[tokio::test]
async fn a_page_of_a_proxy_is_no_missing_secret() {
    let bench = Bench::new();
    bench.azure.inject(Fault {
        body: json!("not found"),
        ..fault("/secrets/a", 404, "")
    });

    assert!(!refused(&bench, "a").await.consequence().absent);
}

#[tokio::test]
async fn a_push_to_a_deleted_name_says_how_to_recover_it() {
    let bench = Bench::new();
    bench.put("p", &json!({ "value": "old" }));
    bench.ask("DELETE", "/secrets/p");

    let error = bench
        .store()
        .await
        .push(&push("p", "new"))
        .await
        .unwrap_err();

    let text = error.to_string();
    assert!(
        text.starts_with("could not set secret p: 409 Conflict"),
        "{text}"
    );
    assert!(text.contains("az keyvault secret recover"), "{text}");
    assert!(!error.consequence().absent);
}
