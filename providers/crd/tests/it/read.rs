//! Reading objects, and what the whitelist refuses.

use lockstep_provider_api::conformance::{NAMESPACE, block_on};
use lockstep_provider_api::{ErrorKind, PushTarget, Read, RemoteRef};
use serde_json::json;

use crate::bench::{cluster, connect, namespaced, planets, spec};
use crate::server::Server;

#[test]
fn a_cluster_store_reads_the_namespace_that_the_key_names() {
    let server = Server::default();
    server.put("other", "conf", "k", "v");
    let store = block_on(connect(&server, spec(&json!([])), cluster())).unwrap();

    let value = block_on(store.get(&RemoteRef::key("other/conf").property("data.k")));
    let bare = block_on(store.get(&RemoteRef::key("conf")));

    assert_eq!(value.unwrap(), "v".into());
    assert_eq!(
        bare.unwrap_err().to_string(),
        "crd: namespaced resource kind \"ConfigMap\" requires remoteRef.key in the form \
         namespace/objectName when using ClusterSecretStore"
    );
}

#[test]
fn objects_of_the_whole_cluster_have_no_namespace_in_their_key() {
    let server = Server::default();
    server.put_cluster_wide("mars");
    let store = block_on(connect(&server, planets(), cluster())).unwrap();

    let value = block_on(store.get(&RemoteRef::key("mars").property("spec.n")));
    let slash = block_on(store.get(&RemoteRef::key("a/mars")));

    assert_eq!(value.unwrap(), "5".into());
    assert!(
        slash
            .unwrap_err()
            .to_string()
            .contains("does not allow '/'")
    );
}

#[test]
fn a_missing_object_is_absent_and_a_missing_kind_is_not() {
    let server = Server::default();
    let store = block_on(connect(&server, spec(&json!([])), namespaced())).unwrap();

    let missing = block_on(store.get(&RemoteRef::key("nope"))).unwrap_err();

    assert_eq!(missing.kind(), &ErrorKind::NotFound);
    assert_eq!(missing.to_string(), "Secret does not exist");
    let target = PushTarget::key("nope");
    assert!(!block_on(store.exists(&target)).unwrap());
}

#[test]
fn what_the_whitelist_refuses_is_never_asked_for() {
    let server = Server::default();
    server.put(NAMESPACE, "conf", "k", "v");
    let rules = json!([{ "name": "^conf$", "properties": [r"^data\.k$"] }]);
    let store = block_on(connect(&server, spec(&rules), namespaced())).unwrap();
    let before = server.seen().len();

    let whole = RemoteRef::key("conf");
    let refused = [
        block_on(store.get(&whole)).unwrap_err(),
        block_on(store.get(&RemoteRef::key("other").property("data.k"))).unwrap_err(),
        block_on(store.exists(&PushTarget::key("conf"))).unwrap_err(),
    ];

    assert_eq!(server.seen().len(), before);
    for error in refused {
        assert_eq!(error.kind(), &ErrorKind::Denied);
        assert!(error.to_string().ends_with("denied by whitelist rules"));
    }
    assert!(store.containing_read(&Read::Value(whole)).is_none());
    let allowed = RemoteRef::key("conf").property("data.k");
    assert_eq!(block_on(store.get(&allowed)).unwrap(), "v".into());
}

#[test]
fn a_rule_about_namespaces_holds_for_the_store_of_one() {
    let server = Server::default();
    server.put(NAMESPACE, "conf", "k", "v");
    let connect = |pattern: &str| {
        let rules = json!([{ "namespace": pattern }]);
        let scope = namespaced().used();
        block_on(connect(&server, spec(&rules), scope)).unwrap()
    };
    let own = format!("^{NAMESPACE}$");

    assert!(block_on(connect(&own).get(&RemoteRef::key("conf"))).is_ok());
    assert!(block_on(connect("^other$").get(&RemoteRef::key("conf"))).is_err());
}

#[test]
fn properties_of_one_object_are_parts_of_one_read() {
    let server = Server::default();
    let store = block_on(connect(&server, spec(&json!([])), namespaced())).unwrap();
    let read = |property: &str| Read::Value(RemoteRef::key("conf").property(property));

    let whole = store.containing_read(&read("data.k")).unwrap();

    assert_eq!(store.containing_read(&read("data.l")), Some(whole.clone()));
    assert_eq!(store.containing_read(&whole), Some(whole));
}
