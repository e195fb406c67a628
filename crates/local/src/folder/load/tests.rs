use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use lockstep_api::ExternalSecretStatus;

use super::*;
use crate::documents;

const STORE: &str = "
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: demo}
spec: {provider: {fake: {data: [{key: k, value: v}]}}}
---
";

const OBJECT: &str = "
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: a}
spec:
  secretStoreRef: {name: demo}
  data: [{secretKey: k, remoteRef: {key: k}}]
---
";

const CREDENTIALS: &str = "
apiVersion: v1
kind: Secret
metadata: {name: creds}
stringData: {token: t}
---
";

fn manifests(text: &str) -> Manifests {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.yaml"), text).unwrap();
    Manifests::of(documents::read(folder.path(), None).unwrap(), "default")
}

fn now() -> Timestamp {
    Timestamp::from_second(1_000).unwrap()
}

fn load(folder: &Folder, parts: &[&str]) -> Changes {
    folder.load(&manifests(&parts.concat()), now())
}

fn name(name: &str) -> Name {
    Name::new("default", name)
}

/// A folder whose object was synced.
fn synced(parts: &[&str]) -> Folder {
    let folder = Folder::default();
    load(&folder, parts);
    for tracked in folder.state().external_secrets.values_mut() {
        tracked.object.status = Some(ExternalSecretStatus {
            refresh_time: Some(time(now())),
            ..ExternalSecretStatus::default()
        });
    }
    folder
}

fn is_forced(folder: &Folder) -> bool {
    let state = folder.state();
    let status = state.external_secrets[&name("a")].object.status.clone();
    status.unwrap().refresh_time.is_none()
}

#[test]
fn the_same_manifests_again_change_nothing() {
    let folder = synced(&[STORE, OBJECT, CREDENTIALS]);

    let changes = load(&folder, &[STORE, OBJECT, CREDENTIALS]);

    assert_eq!(changes, Changes::default());
    assert!(!is_forced(&folder));
}

#[test]
fn an_edited_object_keeps_its_identity_and_status() {
    let folder = synced(&[STORE, OBJECT]);
    let before = folder.state().external_secrets[&name("a")].object.clone();

    let changes = load(
        &folder,
        &[STORE, &OBJECT.replace("secretKey: k", "secretKey: x")],
    );

    assert_eq!(changes.objects, [name("a")].into());
    let after = folder.state().external_secrets[&name("a")].object.clone();
    assert_eq!(after.metadata.uid, before.metadata.uid);
    assert_eq!(after.status, before.status);
    assert_eq!(after.metadata.generation, Some(2));
}

#[test]
fn an_edited_store_is_checked_and_its_users_refreshed() {
    let folder = synced(&[STORE, OBJECT]);

    let changes = load(&folder, &[&STORE.replace("value: v", "value: w"), OBJECT]);

    assert_eq!(changes.stores.len(), 1);
    assert_eq!(changes.objects, [name("a")].into());
    assert!(is_forced(&folder));
}

#[test]
fn edited_credentials_refresh_what_reads_a_store() {
    let folder = synced(&[STORE, OBJECT, CREDENTIALS]);

    let edited = CREDENTIALS.replace("token: t", "token: u");
    let changes = load(&folder, &[STORE, OBJECT, &edited]);

    assert_eq!(changes.stores.len(), 1);
    assert!(is_forced(&folder));
}

#[test]
fn an_object_that_asked_to_be_left_alone_is_not_refreshed_by_its_store() {
    let once = OBJECT.replace("spec:", "spec:\n  refreshPolicy: CreatedOnce");
    let folder = synced(&[STORE, &once]);

    load(&folder, &[&STORE.replace("value: v", "value: w"), &once]);

    assert!(!is_forced(&folder));
}

#[test]
fn what_an_object_owned_goes_with_it() {
    let folder = synced(&[STORE, OBJECT]);
    let uid = folder.state().external_secrets[&name("a")]
        .object
        .metadata
        .uid
        .clone();
    let mut owned = k8s_openapi::api::core::v1::Secret::default();
    owned.metadata.owner_references = Some(vec![OwnerReference::default()]);
    owned.metadata.owner_references.as_mut().unwrap()[0].uid = uid.unwrap();
    folder.state().secrets.insert(name("a"), owned);

    let changes = load(&folder, &[STORE]);

    assert_eq!(changes.gone, [name("a")].into());
    assert!(folder.state().secrets.is_empty());
}

#[test]
fn nothing_counts_as_gone_while_a_manifest_has_a_fault() {
    let folder = synced(&[STORE, OBJECT, CREDENTIALS]);

    let changes = load(&folder, &["kind: ["]);

    assert_eq!(changes, Changes::default());
    let state = folder.state();
    assert_eq!(
        (
            state.stores.len(),
            state.external_secrets.len(),
            state.secrets.len()
        ),
        (1, 1, 1)
    );
}
