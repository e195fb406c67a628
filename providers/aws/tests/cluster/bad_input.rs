//! References and stores that cannot work: each is told apart from a missing secret, so nothing in
//! the cluster is deleted because of it. More of them are beside the reads and writes they are about.

use base64::Engine as _;
use lockstep_provider_api::retry::RetrySettings;
use lockstep_provider_api::{ErrorKind, MetadataPolicy, RemoteRef, Variables};
use serde_json::json;

use crate::bench::{Bench, moto, push, spec, word};

fn create_binary(name: &str, bytes: &[u8]) {
    let binary = base64::engine::general_purpose::STANDARD.encode(bytes);
    let secret = json!({ "Name": name, "SecretBinary": binary });
    moto().call("secretsmanager.CreateSecret", &secret).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_property_of_a_binary_is_looked_for_in_its_bytes_and_is_no_absence() {
    let id = word("binary");
    create_binary(&id, b"\xff\xfek7canary0f");
    let json_id = word("binary-json");
    create_binary(&json_id, br#"{"a":"inside"}"#);
    let store = Bench::plain(&id, "SecretsManager").await;

    let missing = store.get(&RemoteRef::key(&id).property("a")).await;
    let members = store.get_map(&RemoteRef::key(&id)).await.unwrap_err();
    let inside = store.get(&RemoteRef::key(&json_id).property("a")).await;

    let missing = missing.unwrap_err();
    assert_eq!(
        missing.to_string(),
        format!("key a does not exist in secret {id}")
    );
    assert!(!missing.consequence().absent && !members.consequence().absent);
    assert!(!format!("{missing:?} {members:?}").contains("k7canary0f"));
    assert_eq!(inside.unwrap().expose(), b"inside");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_region_that_does_not_exist_is_unreachable_and_named() {
    let bench = Bench::new(moto(), "region", "any");
    // Without an address of its own, so that the SDK makes it from the region.
    let bench = Bench::over(
        std::sync::Arc::clone(&bench.objects),
        std::sync::Arc::clone(&bench.objects) as _,
        Variables::default(),
        false,
    )
    .with_retry(RetrySettings {
        max_retries: Some(1),
        interval: None,
    });
    let mut spec = spec("SecretsManager");
    spec["region"] = "nowhere-1.invalid".into();
    let store = bench.connect(spec).await.unwrap();

    let error = store.get(&RemoteRef::key("k")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unreachable, "{error}");
    assert!(error.to_string().contains("nowhere-1.invalid"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_malformed_arn_of_a_parameter_or_a_certificate_is_told_without_asking() {
    for (service, key) in [
        ("ParameterStore", "arn:aws:ssm:us-east-1"),
        (
            "ParameterStore",
            "arn:aws:ssm:eu-west-1:123456789012:parameter/p",
        ),
        ("CertificateManager", "arn:aws:acm:us-east-1:123456789012:"),
        ("CertificateManager", "no-arn"),
    ] {
        let store = Bench::plain("arn", service).await;
        let error = store.get(&RemoteRef::key(key)).await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec, "{key}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_property_of_tags_that_is_not_there_is_no_absence() {
    let id = word("tagless");
    create_binary(&id, b"x");
    let store = Bench::plain(&id, "SecretsManager").await;
    let reference = RemoteRef {
        metadata: MetadataPolicy::Fetch,
        ..RemoteRef::key(&id).property("team")
    };

    let error = store.get(&reference).await.unwrap_err();

    assert_eq!(
        error.to_string(),
        format!("key team does not exist in secret {id}")
    );
    assert!(!error.consequence().absent);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parameter_that_is_too_large_is_refused_before_it_is_sent() {
    let id = format!("/{}", word("large"));
    let store = Bench::plain(&id[1..], "ParameterStore").await;

    let error = store.push(&push(&id, vec![b'x'; 8193])).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    assert!(error.to_string().contains("8193 bytes"), "{error}");
    let seen = crate::bench::seen(&id);
    assert!(!seen.contains(&"PutParameter".to_owned()), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn white_space_around_keys_is_dropped_and_keys_that_cannot_be_sent_are_refused() {
    let id = word("keys");
    create_binary(&id, b"x");
    let read = async |key: &str| {
        let bench = Bench::new(moto(), key, "any\n");
        let store = bench.connect(spec("SecretsManager")).await?;
        store.get(&RemoteRef::key(&id)).await
    };

    let padded = read(&format!(" {id}\n")).await;
    let broken = read("k7canary0f\n\u{e9}").await.unwrap_err();
    let empty = read("\n").await.unwrap_err();

    assert_eq!(padded.unwrap().expose(), b"x");
    assert_eq!(broken.kind(), &ErrorKind::InvalidData);
    assert!(!broken.to_string().contains("k7canary0f"), "{broken}");
    let text = empty.to_string();
    assert!(text.contains("static credentials are empty"), "{text}");
}

#[tokio::test]
async fn a_store_that_names_another_namespace_reads_its_own() {
    let bench = Bench::new(moto(), "own-namespace", "any");
    let mut spec = spec("SecretsManager");
    spec["auth"]["secretRef"]["accessKeyIDSecretRef"]["namespace"] = json!("elsewhere");

    assert!(bench.connect(spec).await.is_ok());
}
