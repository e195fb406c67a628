//! Searching.

use std::collections::BTreeMap;

use lockstep_provider_api::conformance::{NAMESPACE, block_on};
use lockstep_provider_api::{ErrorKind, Find};
use serde_json::json;

use crate::bench::{cluster, connect, namespaced, spec};
use crate::server::Server;

fn server() -> Server {
    let server = Server::default();
    server.put(NAMESPACE, "conf-a", "k", "1");
    server.put(NAMESPACE, "conf-b", "k", "2");
    server.put("other", "conf-a", "k", "3");
    server
}

fn by_name(pattern: &str) -> Find {
    Find {
        name: Some(pattern.to_owned()),
        ..Find::default()
    }
}

#[test]
fn a_store_of_a_namespace_finds_names_and_a_cluster_store_namespaces_too() {
    let server = server();
    let own = block_on(connect(&server, spec(&json!([])), namespaced())).unwrap();
    let all = block_on(connect(&server, spec(&json!([])), cluster())).unwrap();

    let found = block_on(own.find(&by_name("-a$"))).unwrap();
    let everywhere = block_on(all.find(&by_name("^other/"))).unwrap();

    assert_eq!(found.keys().collect::<Vec<_>>(), ["conf-a"]);
    assert_eq!(everywhere.keys().collect::<Vec<_>>(), ["other_conf-a"]);
    let verbs = server.reviews();
    let lists = verbs.iter().filter(|review| review["verb"] == "list");
    assert_eq!(lists.count(), 2);
}

#[test]
fn tags_are_labels() {
    let store = block_on(connect(&server(), spec(&json!([])), namespaced())).unwrap();
    let tags = BTreeMap::from([("name".to_owned(), "conf-b".to_owned())]);
    let find = Find {
        tags: Some(tags),
        ..Find::default()
    };

    let found = block_on(store.find(&find)).unwrap();

    assert_eq!(found.keys().collect::<Vec<_>>(), ["conf-b"]);
}

#[test]
fn rules_leave_out_what_they_do_not_let_pass() {
    let find = by_name("conf");
    let named = json!([{ "name": "-b$" }]);
    let properties = json!([{ "properties": ["data"] }]);

    for (rules, keys) in [(named, vec!["conf-b"]), (properties, vec![])] {
        let store = block_on(connect(&server(), spec(&rules), namespaced())).unwrap();
        let found = block_on(store.find(&find)).unwrap();
        assert_eq!(found.keys().collect::<Vec<_>>(), keys);
    }
}

#[test]
fn a_search_without_the_right_to_list_says_so() {
    let server = server();
    server.deny("list");
    let store = block_on(connect(&server, spec(&json!([])), namespaced())).unwrap();

    let error = block_on(store.find(&by_name("a"))).unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Denied);
    assert!(error.to_string().contains("is not allowed to \"list\""));
    let bad = block_on(store.find(&by_name("("))).unwrap_err();
    assert!(
        bad.to_string()
            .starts_with("crd: invalid name pattern \"(\": error parsing")
    );
}
