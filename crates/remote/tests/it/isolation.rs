//! A connection opened for one namespace must never serve another.

use std::sync::Arc;

use lockstep_api::ClusterSecretStore;
use lockstep_provider_api::conformance::{block_on, services};
use lockstep_remote::{Connections, StoreRecord};

fn cluster_store() -> StoreRecord {
    let yaml = "
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: shared, uid: u1, generation: 1}
spec:
  provider:
    fake:
      data: [{key: k, value: v}]
";
    serde_saphyr::from_str::<ClusterSecretStore>(yaml)
        .unwrap()
        .into()
}

#[test]
fn a_store_that_is_the_same_for_everyone_is_opened_once() {
    let connections = Connections::new(services().shared());
    let store = cluster_store();

    let first = block_on(connections.open(&store, Some("team-a"))).unwrap();
    let second = block_on(connections.open(&store, Some("team-b"))).unwrap();

    assert!(Arc::ptr_eq(&first.store, &second.store));
}

#[test]
fn a_new_generation_is_a_new_connection() {
    let connections = Connections::new(services().shared());
    let store = cluster_store();
    let first = block_on(connections.open(&store, None)).unwrap();
    let mut metadata = store.metadata.clone();
    metadata.generation = Some(2);
    let edited = ClusterSecretStore {
        metadata,
        spec: store.spec.clone(),
        status: None,
    };

    let second = block_on(connections.open(&edited.into(), None)).unwrap();

    assert!(!Arc::ptr_eq(&first.store, &second.store));
}

#[test]
fn a_dropped_store_is_opened_anew() {
    let connections = Connections::new(services().shared());
    let store = cluster_store();
    let first = block_on(connections.open(&store, None)).unwrap();

    connections.drop_store(&store.key);
    let second = block_on(connections.open(&store, None)).unwrap();

    assert!(!Arc::ptr_eq(&first.store, &second.store));
}
