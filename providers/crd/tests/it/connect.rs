//! What is asked when a store connects.

use lockstep_provider_api::conformance::{NAMESPACE, block_on};
use lockstep_provider_api::{Check, ErrorKind, Health, Scope};
use serde_json::json;

use crate::bench::{cluster, connect, namespaced, planets, spec};
use crate::server::Server;

#[test]
fn a_kind_that_the_cluster_does_not_have_is_named_with_its_group() {
    for (group, full) in [
        ("", "v1"),
        ("sky.io", "sky.io/v1"),
        ("acme.com", "acme.com/v1"),
    ] {
        let mut spec = spec(&json!([]));
        spec["resource"] = json!({ "group": group, "version": "v1", "kind": "Nope" });

        let error = block_on(connect(&Server::default(), spec, namespaced())).err();

        let error = error.unwrap();
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        assert_eq!(
            error.to_string(),
            format!(
                "crd: group {group:?} version \"v1\" kind \"Nope\" is not registered in the \
                 cluster: no matches for kind \"Nope\" in version {full:?}"
            )
        );
    }
}

#[test]
fn the_right_to_get_is_asked_for_where_the_store_reads() {
    let table = [
        (spec(&json!([])), namespaced(), NAMESPACE),
        (spec(&json!([])), cluster(), ""),
        (planets(), namespaced(), ""),
    ];
    for (spec, scope, namespace) in table {
        let server = Server::default();

        let store = block_on(connect(&server, spec, scope)).unwrap();

        let check = block_on(store.check());
        assert!(matches!(check, Check::Healthy(Health::Ready)));
        assert_eq!(server.reviews().len(), 1);
        assert_eq!(server.reviews()[0]["namespace"], namespace);
        assert_eq!(server.reviews()[0]["verb"], "get");
    }
}

#[test]
fn an_identity_without_the_right_makes_no_store() {
    let server = Server::default();
    server.deny("get");

    let error = block_on(connect(&server, spec(&json!([])), namespaced())).err();

    let error = error.unwrap();
    assert_eq!(error.kind(), &ErrorKind::Denied);
    assert_eq!(
        error.to_string(),
        "crd: serviceaccount is not allowed to \"get\" resource \"configmaps\" in apiGroup \"\""
    );
}

#[test]
fn a_store_that_signs_in_as_its_caller_is_not_known_before_there_is_one() {
    let server = Server::default();
    let mut spec = spec(&json!([]));
    spec["auth"] = json!({ "serviceAccount": { "name": "reader" } });
    let alone = Scope::Cluster { caller: None };

    let unknown = block_on(connect(&server, spec.clone(), alone)).unwrap();

    assert!(server.seen().is_empty());
    let check = block_on(unknown.check());
    assert!(matches!(check, Check::Healthy(Health::Unknown)));
    let used = block_on(connect(&server, spec, cluster()));
    assert!(used.is_ok());
}
