//! What a user can get wrong in a manifest, and what is said about it before or after Azure is asked.

use lockstep_provider_api::{Entry, ErrorKind, RemoteRef, Scope};
use lockstep_provider_azurekv::Azurekv;
use lockstep_testkit::azure::Fault;
use serde_json::{Value, json};

use crate::bench::{Bench, spec};

fn validate(change: &[(&str, Value)]) -> Result<Vec<String>, String> {
    let mut spec = spec();
    for (name, value) in change {
        spec[*name] = value.clone();
    }
    let scope = Scope::Namespaced {
        namespace: "team".to_owned(),
    };
    let checked = Entry::of::<Azurekv>().validate(&spec, &scope);
    checked.map_err(|error| error.to_string())
}

#[test]
fn an_address_that_is_no_vault_is_refused() {
    for url in [
        "",
        "x.vault.azure.net",
        "ftp://x",
        "https://u:p@x",
        "https://x/path",
        "https://x?q",
    ] {
        let error = validate(&[("vaultUrl", json!(url))]).unwrap_err();
        assert!(
            error.contains("give it as https://NAME.vault.azure.net"),
            "{url}: {error}"
        );
    }
    assert!(
        validate(&[("vaultUrl", json!("https://x.vault.azure.net/"))])
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        validate(&[("vaultUrl", json!("http://x"))]).unwrap().len(),
        1
    );
}

#[test]
fn clouds_are_checked_in_the_words_of_the_original() {
    let custom = (
        "customCloudConfig",
        json!({ "activeDirectoryEndpoint": "https://login.example" }),
    );
    let sdk = ("useAzureSDK", json!(true));
    let kind = |name: &str| ("environmentType", json!(name));

    let legacy = validate(std::slice::from_ref(&custom)).unwrap_err();
    assert!(legacy.starts_with("CustomCloudConfig requires UseAzureSDK to be set to true"));
    let missing = validate(&[kind("AzureStackCloud"), sdk.clone()]).unwrap_err();
    assert!(
        missing.ends_with("CustomCloudConfig is required when EnvironmentType is AzureStackCloud")
    );
    let german = validate(&[kind("GermanCloud"), sdk.clone()]).unwrap_err();
    assert!(german.contains("was discontinued on October 29, 2021"));
    let empty = (
        "customCloudConfig",
        json!({ "activeDirectoryEndpoint": "" }),
    );
    let empty = validate(&[kind("AzureStackCloud"), sdk.clone(), empty]).unwrap_err();
    assert!(empty.ends_with("activeDirectoryEndpoint is required in CustomCloudConfig"));
    assert!(validate(&[kind("AzureStackCloud"), sdk, custom]).is_ok());
    assert!(validate(&[kind("GermanCloud")]).is_ok());
}

#[test]
fn a_selector_of_another_namespace_is_named() {
    let keys = json!({ "clientId": { "name": "c", "key": "k", "namespace": "other" } });
    let error = validate(&[("authSecretRef", keys)]).unwrap_err();
    assert!(error.starts_with("invalid AuthSecretRef.ClientID: namespace should either"));

    let account = json!({ "name": "sa", "namespace": "other" });
    let error = validate(&[("serviceAccountRef", account)]).unwrap_err();
    assert!(error.starts_with("invalid ServiceAccountRef: namespace should either"));
}

#[test]
fn an_unknown_way_to_sign_in_names_the_field() {
    let error = validate(&[("authType", json!("Magic"))]).unwrap_err();

    assert!(
        error.contains("spec.provider.azurekv") && error.contains("Magic"),
        "{error}"
    );
}

#[tokio::test]
async fn missing_parts_of_a_service_principal_are_told() {
    let id = json!({ "name": "creds", "key": "id" });
    let both = json!({ "clientId": id, "clientSecret": id, "clientCertificate": id });
    let none = json!({ "clientId": id });
    let cases = [
        ("tenantId", Value::Null, "missing tenantID in store config"),
        (
            "authSecretRef",
            Value::Null,
            "missing secretRef in provider config",
        ),
        (
            "authSecretRef",
            none,
            "missing accessKeyID/secretAccessKey in store config",
        ),
        (
            "authSecretRef",
            both,
            "both clientSecret and clientCredentials set",
        ),
    ];
    for (field, value, wanted) in cases {
        let mut spec = spec();
        spec[field] = value;
        let error = Bench::new().connect(spec).await.err().unwrap();

        assert_eq!(error.to_string(), wanted);
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    }
}

#[tokio::test]
async fn an_unknown_object_type_asks_nobody() {
    let bench = Bench::new();

    let error = bench
        .store()
        .await
        .get(&RemoteRef::key("thing/plain"))
        .await
        .unwrap_err();

    assert_eq!(
        error.to_string(),
        "unknown Azure Keyvault object Type for plain"
    );
    assert!(bench.azure.seen().is_empty());
}

#[tokio::test]
async fn an_answer_that_is_no_bundle_is_told_without_its_content() {
    let bench = Bench::new();
    bench.azure.inject(Fault {
        text: "/secrets/a".to_owned(),
        status: 200,
        body: json!(["hunter2"]),
        headers: Vec::new(),
        times: 1,
    });

    let error = bench
        .store()
        .await
        .get(&RemoteRef::key("a"))
        .await
        .unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidData);
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[tokio::test]
async fn a_metadata_service_that_keeps_failing_is_an_outage() {
    let bench = Bench::new();
    bench.azure.inject(Fault {
        text: "/metadata/".to_owned(),
        status: 503,
        body: json!({}),
        headers: Vec::new(),
        times: 100,
    });
    let spec =
        json!({ "vaultUrl": "https://tests.vault.azure.net", "authType": "ManagedIdentity" });

    let store = bench.connect(spec).await.unwrap();
    let error = store.get(&RemoteRef::key("a")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unreachable, "{error}");
    assert_eq!(bench.count("/metadata/"), 3);
}
