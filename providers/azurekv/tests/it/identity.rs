//! Every way to sign in, how often it happens, and what a refusal says.

use std::collections::BTreeMap;

use lockstep_provider_api::conformance::NAMESPACE;
use lockstep_provider_api::{Check, Error, ErrorKind, Health, RemoteRef, Scope};
use lockstep_testkit::azure::{CERTIFICATE, CLIENT, HEADER, PFX, STRANGER, TENANT};
use serde_json::{Value, json};

use crate::bench::{Bench, HOST, spec};

/// Reads a secret through a store of a spec.
async fn read(bench: &Bench, spec: Value) -> Result<(), Error> {
    bench.put("plain", &json!({ "value": "hello" }));
    let store = bench.connect(spec).await?;
    let value = store.get(&RemoteRef::key("plain")).await?;
    assert_eq!(value, "hello".into());
    Ok(())
}

fn certificate_spec() -> Value {
    let mut spec = spec();
    spec["authSecretRef"] = json!({
        "clientId": { "name": "creds", "key": "id" },
        "clientCertificate": { "name": "creds", "key": "certificate" },
    });
    spec
}

fn managed_spec(identity: Option<&str>) -> Value {
    json!({
        "vaultUrl": format!("https://{HOST}"), "authType": "ManagedIdentity", "identityId": identity,
    })
}

fn workload_spec() -> Value {
    json!({
        "vaultUrl": format!("https://{HOST}"), "authType": "WorkloadIdentity",
        "serviceAccountRef": { "name": "sa" },
    })
}

fn annotate(bench: &Bench, annotations: &[(&str, &str)]) {
    let named = annotations.iter().map(|(name, value)| {
        (
            format!("azure.workload.identity/{name}"),
            (*value).to_owned(),
        )
    });
    let annotations: BTreeMap<_, _> = named.collect();
    bench
        .objects
        .put_service_account(NAMESPACE, "sa", annotations);
}

#[tokio::test]
async fn many_stores_of_one_identity_sign_in_once() {
    let bench = Bench::new();
    for _ in 0..20 {
        read(&bench, spec()).await.unwrap();
    }

    assert_eq!(bench.count("/oauth2/"), 1);
    bench
        .objects
        .put_secret(NAMESPACE, "creds", "secret", "another");
    read(&bench, spec()).await.unwrap_err();
    assert_eq!(bench.count("/oauth2/"), 2);
}

#[tokio::test]
async fn a_store_is_valid_without_a_request_to_azure() {
    let bench = Bench::new();

    let checked = bench.store().await.check().await;

    assert!(matches!(checked, Check::Healthy(Health::Ready)));
    assert!(bench.azure.seen().is_empty());
}

#[tokio::test]
async fn a_certificate_signs_in_as_pem_and_as_pkcs12() {
    for certificate in [CERTIFICATE.as_bytes(), PFX] {
        let bench = Bench::new();
        let value = certificate.to_vec();
        bench
            .objects
            .put_secret(NAMESPACE, "creds", "certificate", value);

        read(&bench, certificate_spec()).await.unwrap();
    }
}

#[tokio::test]
async fn a_certificate_that_entra_does_not_know_fails_the_read_not_the_store() {
    let bench = Bench::new();
    bench
        .objects
        .put_secret(NAMESPACE, "creds", "certificate", STRANGER);

    let store = bench.connect(certificate_spec()).await.unwrap();
    let error = store.get(&RemoteRef::key("plain")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unauthenticated);
    assert!(
        error.to_string().contains("upload its public part there"),
        "{error}"
    );
}

#[tokio::test]
async fn a_certificate_that_cannot_be_used_fails_the_store_in_known_words() {
    let no_key = &CERTIFICATE[..CERTIFICATE.find("-----BEGIN PRIVATE").unwrap()];
    let key_only = &CERTIFICATE[CERTIFICATE.find("-----BEGIN PRIVATE").unwrap()..];
    let texts = [
        ("no PEM at all", "no certificate found in PEM file"),
        (no_key, "no private key found in PEM file"),
        (key_only, "no certificate found in PEM file"),
    ];
    for (value, reason) in texts {
        let bench = Bench::new();
        bench
            .objects
            .put_secret(NAMESPACE, "creds", "certificate", value);

        let error = bench.connect(certificate_spec()).await.err().unwrap();

        let head = "failed to get oauth token from certificate auth: failed to decode certificate";
        assert_eq!(error.to_string(), format!("{head}: {reason}"));
    }
}

#[tokio::test]
async fn refusals_of_entra_say_what_to_do_and_repeat_no_ids() {
    let bench = Bench::new();
    bench
        .objects
        .put_secret(NAMESPACE, "creds", "secret", "wrong");
    let wrong = read(&bench, spec()).await.unwrap_err();
    assert_eq!(wrong.kind(), &ErrorKind::Unauthenticated);
    assert!(wrong.to_string().contains("AADSTS7000215"), "{wrong}");
    assert!(
        wrong.to_string().contains("the secret's value, not its id"),
        "{wrong}"
    );
    assert!(!wrong.to_string().contains("Trace ID"), "{wrong}");
    assert!(!wrong.to_string().contains("wrong\""), "{wrong}");

    let bench = Bench::new();
    bench.azure.directory(|directory| directory.expired = true);
    let expired = read(&bench, spec()).await.unwrap_err();
    assert!(
        expired.to_string().contains("has expired: make a new one"),
        "{expired}"
    );

    let mut elsewhere = spec();
    elsewhere["tenantId"] = json!("00000000-0000-0000-0000-000000000009");
    let tenant = read(&Bench::new(), elsewhere).await.unwrap_err();
    assert!(tenant.to_string().contains("correct tenantId"), "{tenant}");
}

#[tokio::test]
async fn a_vault_of_another_tenant_names_the_one_it_trusts() {
    let bench = Bench::new();
    let store = bench.store().await;
    bench.put("plain", &json!({ "value": "hello" }));
    store.get(&RemoteRef::key("plain")).await.unwrap();
    bench
        .azure
        .directory(|directory| directory.tenant = "other".to_owned());

    let error = store.get(&RemoteRef::key("plain")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unauthenticated);
    assert!(error.to_string().contains("tenant"), "{error}");
}

#[tokio::test]
async fn a_token_that_was_revoked_is_replaced_once() {
    let bench = Bench::new();
    read(&bench, spec()).await.unwrap();
    bench.azure.inject(lockstep_testkit::azure::Fault {
        text: "/secrets/plain".to_owned(),
        status: 401,
        body: json!({ "error": { "code": "Unauthorized", "message": "revoked" } }),
        headers: Vec::new(),
        times: 1,
    });

    read(&bench, spec()).await.unwrap();

    assert_eq!(bench.count("/oauth2/"), 2);
}

#[tokio::test]
async fn a_machine_signs_in_as_itself_and_as_an_assigned_identity() {
    let bench = Bench::new();

    read(&bench, managed_spec(None)).await.unwrap();
    read(&bench, managed_spec(Some(CLIENT))).await.unwrap();

    let asked = bench
        .azure
        .seen()
        .into_iter()
        .filter(|one| one.text.contains("/metadata/"));
    let ids: Vec<_> = asked
        .map(|one| one.fields.get("client_id").cloned())
        .collect();
    assert_eq!(ids, [None, Some(CLIENT.to_owned())]);
    assert_eq!(
        bench.count("169.254.169.254/metadata/identity/oauth2/token"),
        2
    );
}

#[tokio::test]
async fn an_identity_that_the_machine_lacks_is_named() {
    let error = read(&Bench::new(), managed_spec(Some("nobody")))
        .await
        .unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unauthenticated);
    let text = error.to_string();
    assert!(text.contains("Identity not found"), "{text}");
    assert!(
        text.contains("assign the identity nobody to the machine"),
        "{text}"
    );
}

#[tokio::test]
async fn a_metadata_service_that_is_not_ready_is_asked_again() {
    let bench = Bench::new();
    bench.azure.inject(lockstep_testkit::azure::Fault {
        text: "/metadata/".to_owned(),
        status: 410,
        body: json!({}),
        headers: Vec::new(),
        times: 1,
    });

    read(&bench, managed_spec(None)).await.unwrap();

    assert_eq!(bench.count("/metadata/"), 2);
}

#[tokio::test]
async fn app_service_is_asked_with_its_header() {
    let endpoint = [
        ("IDENTITY_ENDPOINT", "http://127.0.0.1/msi/token"),
        ("IDENTITY_HEADER", HEADER),
    ];
    let bench = Bench::with(&endpoint);

    read(&bench, managed_spec(None)).await.unwrap();

    assert_eq!(bench.count("/msi/token"), 1);
}

#[tokio::test]
async fn client_and_tenant_of_a_workload_come_from_one_place_each() {
    let client = ("client-id", CLIENT);
    let tenant = ("tenant-id", TENANT);
    let keys = json!({ "clientId": { "name": "creds", "key": "id" } });
    let refused = async |annotations: &[(&str, &str)], change: &[(&str, Value)]| {
        let bench = Bench::new();
        annotate(&bench, annotations);
        let mut spec = workload_spec();
        for (name, value) in change {
            spec[*name] = value.clone();
        }
        bench.connect(spec).await.err().unwrap().to_string()
    };

    let none = refused(&[], &[]).await;
    assert!(
        none.starts_with("missing clientID: either serviceAccountRef"),
        "{none}"
    );
    let two = refused(&[client, tenant], &[("authSecretRef", keys)]).await;
    assert_eq!(
        two,
        "multiple clientID found. Check secretRef and serviceAccountRef"
    );
    let two = refused(&[client, tenant], &[("tenantId", json!(TENANT))]).await;
    assert!(two.starts_with("multiple tenantID found."), "{two}");
    let none = refused(&[client], &[]).await;
    assert_eq!(none, "missing tenantID in store config");
}

#[tokio::test]
async fn a_workload_that_entra_does_not_trust_fails_the_store_and_on_the_newer_way_the_read() {
    let bench = Bench::new();
    annotate(&bench, &[("client-id", CLIENT), ("tenant-id", TENANT)]);
    let mut sdk = workload_spec();
    sdk["useAzureSDK"] = json!(true);

    let old = bench.connect(workload_spec()).await.err().unwrap();
    let store = bench.connect(sdk).await.unwrap();
    let new = store.get(&RemoteRef::key("plain")).await.unwrap_err();

    for error in [old, new] {
        assert_eq!(error.kind(), &ErrorKind::Unauthenticated, "{error}");
        assert!(
            error.to_string().contains("ServiceAccount conformance/sa"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_workload_without_a_service_account_wants_the_three_variables() {
    let bench = Bench::new();
    let mut spec = workload_spec();
    spec.as_object_mut().unwrap().remove("serviceAccountRef");
    let old = bench.connect(spec.clone()).await.err().unwrap();
    spec["useAzureSDK"] = json!(true);
    let new = bench.connect(spec).await.err().unwrap();

    assert!(
        old.to_string()
            .starts_with("missing environment variables. AZURE_CLIENT_ID")
    );
    assert!(new.to_string().starts_with("no client ID specified."));
}

#[tokio::test]
async fn a_cluster_store_without_namespaces_is_opened_for_each_caller() {
    let bench = Bench::new();
    let store = bench
        .connect_in(spec(), Scope::Cluster { caller: None })
        .await
        .unwrap();

    assert!(matches!(
        store.check().await,
        Check::Healthy(Health::Unknown)
    ));
    assert!(store.get(&RemoteRef::key("plain")).await.is_err());

    let caller = Scope::Cluster {
        caller: Some(NAMESPACE.to_owned()),
    };
    bench.put("plain", &json!({ "value": "hello" }));
    let store = bench.connect_in(spec(), caller).await.unwrap();
    assert!(store.get(&RemoteRef::key("plain")).await.is_ok());
}

#[tokio::test]
async fn a_cloud_of_ones_own_is_asked_for_its_audience_once() {
    let bench = Bench::new();
    let mut spec = spec();
    spec["useAzureSDK"] = json!(true);
    spec["environmentType"] = json!("AzureStackCloud");
    spec["customCloudConfig"] = json!({ "activeDirectoryEndpoint": "https://login.example/" });

    bench.put("plain", &json!({ "value": "hello" }));
    let store = bench.connect(spec).await.unwrap();
    for _ in 0..3 {
        store.get(&RemoteRef::key("plain")).await.unwrap();
    }

    assert_eq!(bench.count("POST login.example/"), 1);
    assert_eq!(bench.count("/secrets/plain"), 1 + 3);
}
