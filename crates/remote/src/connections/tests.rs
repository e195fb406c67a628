//! What connections take: they end by themselves, and there are never more than the caps allow.

use std::time::Duration;

use lockstep_api::SecretStore;
use lockstep_provider_api::conformance::{TestServices, block_on, services};

use super::store::MOST_CALLERS;
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

    let read = lockstep_provider_api::Read::Value(lockstep_provider_api::RemoteRef::key("k"));
    let value = block_on(lockstep_provider_api::erased::perform(&*used.store, &read));
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
    let some = open(&connections, "s");
    let all = StoreConnections::of(&some.identity);
    let now = services.time.now();
    for number in 0..=MOST_CALLERS {
        all.slot(Some(&format!("ns{number}")))
            .keep(some.clone(), now);
    }

    let kept = (0..=MOST_CALLERS).filter(|number| {
        let caller = format!("ns{number}");
        all.usable(Some(&caller), now).is_some()
    });

    assert_eq!(kept.count(), MOST_CALLERS);
}

mod callers {
    //! A ClusterSecretStore whose credentials are those of the calling namespace.

    use futures_util::FutureExt;
    use lockstep_api::ClusterSecretStore;
    use lockstep_provider_api::conformance::{Fault, Faults, response, scripted};

    use super::*;

    fn tenants_store() -> StoreRecord {
        let yaml = "
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: shared, uid: u1, generation: 1}
spec:
  provider:
    kubernetes:
      remoteNamespace: remote
      server: {url: https://cluster.example}
      auth: {token: {bearerToken: {name: login, key: token, namespace: ''}}}
";
        let store: ClusterSecretStore = serde_saphyr::from_str(yaml).unwrap();
        store.into()
    }

    fn tenants() -> (TestServices, Connections, StoreRecord) {
        let services = services().plugged(scripted(|_| response(200, "{}")));
        for tenant in ["a", "b"] {
            services
                .objects
                .put_secret(tenant, "login", "token", tenant);
        }
        let connections = Connections::new(services.shared());
        (services, connections, tenants_store())
    }

    #[test]
    fn a_refused_credential_drops_the_connection_of_its_caller_alone() {
        let (_services, connections, store) = tenants();
        let a = block_on(connections.open(&store, Some("a"))).unwrap();
        let b = block_on(connections.open(&store, Some("b"))).unwrap();
        assert_eq!(a.caller.as_deref(), Some("a"));

        connections.drop_one(&a);

        assert!(connections.ready(&store, "a").is_none());
        let still = connections.ready(&store, "b").unwrap();
        assert!(Arc::ptr_eq(&still.store, &b.store));
        let again = block_on(connections.open(&store, Some("a"))).unwrap();
        connections.drop_one(&a);
        let kept = connections.ready(&store, "a").unwrap();
        assert!(
            Arc::ptr_eq(&kept.store, &again.store),
            "not the refused one"
        );
    }

    #[test]
    fn an_attempt_that_hangs_holds_up_no_other_namespace() {
        let (services, connections, store) = tenants();
        let all = connections.of(&store);
        // While nobody knows whether one connection would do, others wait for a moment only.
        let hanging = block_on(all.attempt(Some("a"), &*services.shared().time));
        let mut other = Box::pin(connections.open(&store, Some("b")));
        assert!((&mut other).now_or_never().is_none());
        services.time.advance(super::super::store::LEARN);
        assert!(other.now_or_never().expect("connected").is_ok());

        drop(hanging);
        block_on(connections.open(&store, Some("a"))).unwrap();
        let slot = all.slot(Some("a"));
        slot.clear();
        let _hanging = block_on(all.attempt(Some("a"), &*services.shared().time));
        all.slot(Some("b")).clear();
        let other = connections.open(&store, Some("b"));
        assert!(other.now_or_never().expect("does not wait").is_ok());
    }

    #[test]
    fn a_check_of_the_store_leaves_the_connections_of_its_callers() {
        let (services, connections, store) = tenants();
        let a = block_on(connections.open(&store, Some("a"))).unwrap();
        services.wire.fail_after(0, Fault::Drop);

        drop(block_on(connections.reopen(&store)));

        let still = connections.ready(&store, "a").unwrap();
        assert!(Arc::ptr_eq(&still.store, &a.store));
    }
}
