//! Stores, references and answers that cannot work: each is told apart from a missing secret, so
//! nothing in the cluster is deleted because of it.

use lockstep_provider_api::conformance::NAMESPACE;
use lockstep_provider_api::{ErrorKind, RemoteRef};
use lockstep_testkit::gcp::{Fault, Refusal};
use serde_json::{Value, json};

use crate::bench::{Bench, READER, spec};

async fn refused(bench: &Bench, spec: Value) -> String {
    let error = bench.refused(spec).await;
    assert!(!error.consequence().absent, "{error}");
    error.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_google_does_not_know_fails_the_store_and_names_the_account() {
    let bench = Bench::new();
    let key = bench.google.unknown_key(READER);
    bench.objects.put_secret(NAMESPACE, "creds", "key", key);

    let error = bench.refused(spec()).await;

    assert_eq!(error.kind(), &ErrorKind::Unauthenticated);
    let text = error.to_string();
    let start = "unable to get credentials: oauth2: \"invalid_grant\" \"Invalid JWT Signature.\"";
    assert!(text.starts_with(start), "{text}");
    assert!(text.contains(READER), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_missing_or_garbled_is_told_with_upstreams_texts() {
    let bench = Bench::new();
    let prefix = "failed to create GCP secretmanager client: ";
    let table = [
        (
            "no json",
            "failed to process the provided JSON credentials: invalid character",
        ),
        (
            r#"{"type": "authorized_user"}"#,
            "failed to process the provided JSON credentials: google: read JWT from JSON \
             credentials: 'type' field is \"authorized_user\"",
        ),
        (
            r#"{"type": "service_account", "client_email": "a", "private_key": "x"}"#,
            "failed to process the provided JSON credentials: private_key: there is no private key",
        ),
    ];

    for (key, text) in table {
        bench.objects.put_secret(NAMESPACE, "creds", "key", key);
        let told = refused(&bench, spec()).await;
        assert!(told.starts_with(&format!("{prefix}{text}")), "{told}");
    }
    let mut other = spec();
    other["auth"]["secretRef"]["secretAccessKeySecretRef"]["key"] = "none".into();
    let told = refused(&bench, other).await;
    let missing = format!("{prefix}cannot find secret data for key: \"none\" in Secret ");
    assert!(told.starts_with(&missing), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_without_a_project_is_refused() {
    let bench = Bench::new();
    let mut spec = spec();
    spec["projectID"] = Value::Null;

    assert_eq!(
        refused(&bench, spec).await,
        "unable to find ProjectID in storeSpec"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_service_account_is_named() {
    let bench = Bench::new();
    let spec = json!({ "projectID": "p", "auth": { "workloadIdentity": {
        "serviceAccountRef": { "name": "nobody" },
    } } });

    let text = refused(&bench, spec).await;

    assert!(text.contains("\"nobody\" not found"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_malformed_version_is_a_fault_of_the_manifest() {
    let bench = Bench::new();
    bench.seed("a", &["one"]);
    let reference = RemoteRef {
        version: Some("../1".to_owned()),
        ..RemoteRef::key("a")
    };

    let error = bench.store().await.get(&reference).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    assert!(error.to_string().contains("../1"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_no_names_never_leave_their_place() {
    let bench = Bench::new();
    let store = bench.store().await;

    bench.google.take_seen();

    for key in ["", ".", "..", "a/versions/1", "a?b", "a:access"] {
        let error = store.get(&RemoteRef::key(key)).await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec, "{key:?}");
    }

    assert!(bench.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payload_with_a_wrong_checksum_is_never_used() {
    let bench = Bench::new();
    bench.seed("a", &["one"]);
    let store = bench.store().await;
    let wrong = |times| Fault {
        call: "AccessSecretVersion",
        about: String::new(),
        refusal: Refusal::damaged(),
        times,
    };

    bench.google.inject(wrong(1));
    let corrected = store.get(&RemoteRef::key("a")).await;
    bench.google.inject(wrong(2));
    let damaged = store.get(&RemoteRef::key("a")).await.unwrap_err();

    assert_eq!(corrected.unwrap(), "one".into());
    assert_eq!(damaged.kind(), &ErrorKind::InvalidData);
    assert!(damaged.to_string().contains("CRC-32C"), "{damaged}");
}

#[tokio::test(flavor = "multi_thread")]
async fn federation_that_is_half_described_is_refused_with_upstreams_texts() {
    let bench = Bench::new();
    let federation =
        |value: Value| json!({ "projectID": "p", "auth": { "workloadIdentityFederation": value } });
    let prefix = "failed to create GCP secretmanager client: ";
    let account = json!({ "name": "sa" });
    let aws = json!({ "region": "r", "awsCredentialsSecretRef": { "name": "aws" } });
    bench.objects.put_config_map(NAMESPACE, "cfg", "empty", "");
    let table = [
        (
            json!({}),
            "invalid workloadIdentityFederation config: exactly one of credConfig",
        ),
        (
            json!({ "serviceAccountRef": account, "awsSecurityCredentials": aws }),
            "invalid workloadIdentityFederation config: exactly one of credConfig",
        ),
        (
            json!({ "serviceAccountRef": account }),
            "invalid workloadIdentityFederation config: audience must be provided",
        ),
        (
            json!({ "credConfig": { "name": "none", "key": "k" } }),
            "failed to fetch external acccount credentials configmap \"conformance/none\"",
        ),
        (
            json!({ "credConfig": { "name": "cfg", "key": "k" } }),
            "missing key \"k\" in configmap \"cfg\"",
        ),
        (
            json!({ "credConfig": { "name": "cfg", "key": "empty" } }),
            "key \"empty\" in configmap \"cfg\" has empty value",
        ),
        (
            json!({ "audience": "a", "awsSecurityCredentials": aws }),
            "failed to fetch AwsSecurityCredentials secret \"conformance/aws\"",
        ),
    ];

    for (spec, text) in table {
        let told = refused(&bench, federation(spec)).await;
        assert!(told.starts_with(&format!("{prefix}{text}")), "{told}");
    }
}
