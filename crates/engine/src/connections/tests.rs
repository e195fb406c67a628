//! What connections take: they end by themselves, and there are never more than the caps allow.

use std::time::Duration;

use lockstep_api::SecretStore;
use lockstep_provider::conformance::{TestServices, block_on, services};

use super::slot::MOST_CALLERS;
use super::*;

fn store(name: &str) -> StoreRecord {
    let yaml = format!(
        "
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {{name: {name}, namespace: ns, uid: u-{name}, generation: 1}}
spec: {{provider: {{fake: {{data: [{{key: k, value: v}}]}}}}}}
"
    );
    let store: SecretStore = serde_saphyr::from_str(&yaml).unwrap();
    store.into()
}

fn connections() -> (TestServices, Connections) {
    let services = services();
    let connections = Connections::new(services.shared());
    (services, connections)
}

fn open(connections: &Connections, name: &str) -> Connected {
    block_on(connections.open(&store(name), Some("ns"))).unwrap()
}

#[test]
fn a_connection_nobody_asks_for_goes_a_while_after_its_end() {
    let (services, connections) = connections();
    open(&connections, "early");
    services.time.advance(Duration::from_secs(40));
    open(&connections, "late");

    services.time.advance(Duration::from_secs(15));
    connections.sweep();
    assert_eq!(connections.len(), 2, "both last");
    services.time.advance(Duration::from_secs(100));
    connections.sweep();
    assert_eq!(connections.len(), 1, "one ended a moment ago");
    services.time.advance(Duration::from_mins(1));
    connections.sweep();

    assert!(connections.is_empty());
}

#[test]
fn a_connection_in_use_outlives_its_place() {
    let (services, connections) = connections();
    let used = open(&connections, "s");

    services.time.advance(Duration::from_mins(5));
    connections.sweep();
    assert!(connections.is_empty());

    let read = lockstep_provider::Read::Value(lockstep_provider::RemoteRef::key("k"));
    let value = block_on(lockstep_provider::erased::perform(&*used.store, &read));
    assert!(value.is_ok());
}

#[test]
fn the_store_whose_connection_ends_first_makes_room() {
    let (services, connections) = connections();
    // Not the first by name: who goes is decided by time.
    open(&connections, "zz-first");
    services.time.advance(Duration::from_secs(1));
    for number in 1..CAPACITY {
        open(&connections, &format!("s{number}"));
    }
    assert_eq!(connections.len(), CAPACITY);

    open(&connections, "one-more");

    assert_eq!(connections.len(), CAPACITY);
    assert!(connections.ready(&store("zz-first"), "ns").is_none());
    assert!(connections.ready(&store("s1"), "ns").is_some());
}

#[test]
fn one_store_keeps_connections_for_so_many_namespaces_only() {
    let (services, connections) = connections();
    let record = store("s");
    let mut slot = Slot::of(&Identity::of(&record));
    let some = open(&connections, "s").store;
    let now = services.time.now();
    for number in 0..=MOST_CALLERS {
        let opened = slot.opened(Arc::clone(&some), Some(&format!("ns{number}")), now);
        slot.keep(opened);
    }

    let kept = (0..=MOST_CALLERS).filter(|number| {
        let caller = format!("ns{number}");
        slot.usable(Some(&caller), now).is_some()
    });

    assert_eq!(kept.count(), MOST_CALLERS);
}
