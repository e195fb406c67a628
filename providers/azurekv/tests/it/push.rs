//! Writing: what is compared, what is written, and what is somebody else's.

use lockstep_provider_api::{ErrorKind, PushItem, PushTarget, Pushed};
use lockstep_testkit::azure::{CERTIFICATE, PFX, STRANGER};
use serde_json::{Value, json};

use crate::bench::{Bench, HOST, metadata, push};

const EC: &str = "-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIOpcC9JSLgnRw51RLpRra9V7QdBaYLYKI/PL7B4lmFqyoAoGCCqGSM49
AwEHoUQDQgAE/V2k2+L29NuWpN50/+Ae7D/m86vw7zLW8ofxAtDMLuNSRtyG1+wZ
nOQqGopdjXwb/4TwVLn3viCmGoYOPAjxcA==
-----END EC PRIVATE KEY-----
";

/// The private key of the test application alone.
fn rsa() -> String {
    let start = CERTIFICATE.find("-----BEGIN PRIVATE").unwrap();
    CERTIFICATE[start..].to_owned()
}

#[tokio::test]
async fn an_equal_value_is_not_written_again() {
    let bench = Bench::new();
    let store = bench.store().await;

    assert_eq!(
        store.push(&push("p", "one")).await.unwrap(),
        Pushed::Created
    );
    assert_eq!(
        store.push(&push("p", "one")).await.unwrap(),
        Pushed::Unchanged
    );
    assert_eq!(
        store.push(&push("p", "two")).await.unwrap(),
        Pushed::Updated
    );

    assert_eq!(bench.count("PUT "), 2);
    let stored = bench.ask("GET", "/secrets/p");
    assert_eq!(stored["value"], "two");
    assert_eq!(stored["tags"], json!({ "managed-by": "external-secrets" }));
}

#[tokio::test]
async fn expiry_content_type_and_tags_come_from_the_metadata() {
    let bench = Bench::new();
    let spec = json!({
        "expirationDate": "2099-12-31T20:00:00Z", "contentType": "text/x", "tags": { "team": "blue" },
    });
    let item = PushItem {
        metadata: metadata(spec),
        ..push("p", "v")
    };

    bench.store().await.push(&item).await.unwrap();
    let again = bench.store().await.push(&item).await.unwrap();

    let stored = bench.ask("GET", "/secrets/p");
    assert_eq!(again, Pushed::Unchanged);
    assert_eq!(stored["attributes"]["exp"], 4_102_430_400_i64);
    assert_eq!(stored["contentType"], "text/x");
    assert_eq!(stored["tags"]["team"], "blue");
}

#[tokio::test]
async fn bad_metadata_is_told_with_the_field() {
    let bench = Bench::new();
    let store = bench.store().await;
    let refused = async |spec: Value| {
        let item = PushItem {
            metadata: metadata(spec),
            ..push("p", "v")
        };
        store.push(&item).await.unwrap_err().to_string()
    };

    let date = refused(json!({ "expirationDate": "tomorrow" })).await;
    assert!(
        date.starts_with("error parsing expiration date in metadata: "),
        "{date}"
    );
    let mark = refused(json!({ "tags": { "managed-by": "me" } })).await;
    assert_eq!(
        mark,
        "error parsing tags in metadata: Cannot specify a 'managed-by' tag"
    );
    let field = refused(json!({ "nope": 1 })).await;
    assert!(
        field.starts_with("failed to parse push secret metadata: "),
        "{field}"
    );
    assert!(bench.azure.seen().is_empty());
}

#[tokio::test]
async fn somebody_elses_secret_is_neither_changed_nor_deleted() {
    let bench = Bench::new();
    bench.put("p", &json!({ "value": "theirs" }));
    let (old, sdk) = (bench.store().await, bench.sdk_store().await);
    let target = PushTarget::key("p");

    let error = old.push(&push("p", "ours")).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Conflict);
    assert_eq!(
        error.to_string(),
        "cannot get secret p: not managed by external-secrets"
    );
    let error = sdk.push(&push("p", "ours")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "secret p not managed by external-secrets"
    );
    let error = old.delete(&target).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "error getting secret p: not managed by external-secrets"
    );
    sdk.delete(&target).await.unwrap();

    assert_eq!(bench.ask("GET", "/secrets/p")["value"], "theirs");
    assert!(old.exists(&target).await.unwrap());
}

#[tokio::test]
async fn a_value_that_is_no_text_is_refused_and_nothing_is_written() {
    let bench = Bench::new();

    let error = bench
        .store()
        .await
        .push(&push("p", vec![0xff, 0xfe]))
        .await
        .unwrap_err();

    assert!(error.to_string().contains("push it as base64"), "{error}");
    assert_eq!(bench.count("PUT "), 0);
}

#[tokio::test]
async fn rsa_and_elliptic_curve_keys_are_imported_once_on_both_ways() {
    for (name, pem) in [("rsa", rsa()), ("ec", EC.to_owned())] {
        let bench = Bench::new();
        let item = push(&format!("key/{name}"), pem.as_str());

        for store in [bench.store().await, bench.sdk_store().await] {
            store.push(&item).await.unwrap();
        }

        assert_eq!(bench.count("PUT "), 1, "{name}");
        let stored = bench.ask("GET", &format!("/keys/{name}"));
        assert_eq!(stored["tags"]["managed-by"], "external-secrets");
        assert_eq!(stored["key"]["d"], Value::Null);
    }
}

#[tokio::test]
async fn a_key_that_cannot_be_read_is_refused() {
    let bench = Bench::new();
    let store = bench.store().await;
    let public = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n";

    let error = store.push(&push("key/k", public)).await.unwrap_err();
    assert_eq!(error.to_string(), "key type PUBLIC KEY is not supported");
    let octets = store.push(&push("key/k", "just octets")).await.unwrap_err();
    assert!(
        octets
            .to_string()
            .starts_with("could not import key k: 400 BadParameter"),
        "{octets}"
    );
}

#[tokio::test]
async fn a_certificate_is_imported_once_from_pem_and_from_pkcs12() {
    let bench = Bench::new();
    let store = bench.store().await;

    assert_eq!(
        store.push(&push("cert/c", CERTIFICATE)).await.unwrap(),
        Pushed::Created
    );
    assert_eq!(
        store.push(&push("cert/c", CERTIFICATE)).await.unwrap(),
        Pushed::Unchanged
    );
    assert_eq!(
        store.push(&push("cert/c", PFX.to_vec())).await.unwrap(),
        Pushed::Unchanged
    );
    assert_eq!(
        store.push(&push("cert/c", STRANGER)).await.unwrap(),
        Pushed::Updated
    );

    assert_eq!(
        bench.count("POST tests.vault.azure.net/certificates/c/import"),
        2
    );
    let error = store
        .push(&push("cert/c", "no certificate"))
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("value from secret is not a valid certificate: ")
    );
}

#[tokio::test]
async fn what_was_pushed_is_deleted_and_deleting_again_succeeds() {
    let bench = Bench::new();
    let store = bench.store().await;
    for key in ["p", "key/p", "cert/c"] {
        let value = if key == "cert/c" {
            CERTIFICATE.to_owned()
        } else {
            rsa()
        };
        store.push(&push(key, value)).await.unwrap();

        store.delete(&PushTarget::key(key)).await.unwrap();
        store.delete(&PushTarget::key(key)).await.unwrap();

        assert!(!store.exists(&PushTarget::key(key)).await.unwrap(), "{key}");
    }
    assert_eq!(
        bench
            .azure
            .vault("GET", HOST, "/deletedsecrets/p", &Value::Null)
            .unwrap()["tags"]["managed-by"],
        "external-secrets"
    );
}
