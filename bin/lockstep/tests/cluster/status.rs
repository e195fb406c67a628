//! Conditions and events as an engineer on call reads them: the cause of an outage, credentials that
//! are refused, specs that cannot work, and stores that are being deleted.

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::stub::Answer;
use serde_json::{Value, json};

use crate::process::{Room, operator, until};
use crate::server::Server;

const GROUP: &str = "/apis/external-secrets.io/v1";

fn condition<'a>(object: &'a Value, type_: &str) -> Option<&'a Value> {
    let conditions = object["status"]["conditions"].as_array()?;
    conditions
        .iter()
        .find(|condition| condition["type"] == type_)
}

/// Waits until the condition of the only store has this reason; returns its message.
fn store_says(room: &Room, type_: &str, reason: &str) -> String {
    until(reason, || {
        let stores = room.list(GROUP, "secretstores");
        let told = stores.first().and_then(|store| condition(store, type_));
        match told.filter(|told| told["reason"] == reason) {
            Some(told) => Ok(told["message"].as_str().unwrap().to_owned()),
            None => Err(format!("{told:?}")),
        }
    })
}

/// Waits for a Warning about an object of this kind; returns its texts.
fn warnings(room: &Room, kind: &str, reason: &str) -> Vec<String> {
    until("a warning", || {
        let events = room.list("/api/v1", "events");
        let ours = events.iter().filter(|event| {
            event["type"] == "Warning"
                && event["reason"] == reason
                && event["involvedObject"]["kind"] == kind
        });
        let texts: Vec<String> = ours
            .map(|event| event["message"].as_str().unwrap().to_owned())
            .collect();
        if texts.is_empty() {
            Err(texts)
        } else {
            Ok(texts)
        }
    })
}

#[test]
fn an_outage_is_told_with_address_and_cause_by_objects_and_store() {
    let cluster = Cluster::shared().unwrap();
    let (room, server) = (Room::new(cluster), Server::start("one"));
    let mut operator = operator(cluster, &[&room.flag()]);
    let url = server.url();
    let address = url.trim_start_matches("http://").to_owned();
    room.store_over(&server, "2s");
    room.readers(3, "1s");
    room.all_ready(3);
    let refreshed = room.external_secret("es-0")["status"]["refreshTime"].clone();

    drop(server);

    let told = format!("cannot reach {address}: ");
    for number in 0..3 {
        let message = room.failed(&format!("es-{number}"), "Unreachable");
        assert!(message.contains(&told), "{message}");
        assert!(message.contains("refused"), "{message}");
    }
    // Whichever is first tells: the reads of the objects, or the store's own check.
    let message = until("the cause on the store", || {
        let stores = room.list(GROUP, "secretstores");
        let ready = stores.first().and_then(|store| condition(store, "Ready"));
        let message = ready.filter(|ready| ready["status"] == "False");
        let message = message.and_then(|ready| ready["message"].as_str());
        message.map(str::to_owned).ok_or(format!("{ready:?}"))
    });
    assert!(message.contains(&told), "{message}");
    let warned = until("a warning on the store", || {
        let events = room.list("/api/v1", "events");
        let texts = events.iter().filter(|event| {
            event["type"] == "Warning" && event["involvedObject"]["kind"] == "SecretStore"
        });
        let texts: Vec<String> = texts.map(|event| event["message"].to_string()).collect();
        let cause = texts.iter().find(|text| text.contains(&told)).cloned();
        cause.ok_or_else(|| texts.join("; "))
    });
    assert!(warned.contains("refused"), "{warned}");
    let shown = &room.external_secret("es-0")["status"]["refreshTime"];
    assert!(shown.as_str() >= refreshed.as_str());
    operator.check().unwrap();
}

#[test]
fn refused_credentials_show_on_the_store_until_they_are_taken_again() {
    let cluster = Cluster::shared().unwrap();
    let (room, server) = (Room::new(cluster), Server::start("one"));
    let mut operator = operator(cluster, &[&room.flag()]);
    room.store_over(&server, "2s");
    room.readers(2, "1s");
    room.all_ready(2);

    server.does(|_| Answer::text(401, "the token was revoked"));
    let message = store_says(&room, "Ready", "CredentialsRefused");
    server.says("two");
    store_says(&room, "Ready", "Valid");
    room.all_ready(2);

    assert!(message.contains("Unauthenticated"), "{message}");
    operator.check().unwrap();
}

#[test]
fn what_admission_would_refuse_is_never_ready() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let mut operator = operator(cluster, &[&room.flag()]);
    let object = |name: &str, spec: Value| {
        json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {"name": name}, "spec": spec,
        })
    };
    let store = json!({"name": "s"});
    let both = json!([{"extract": {"key": "k"}, "find": {"name": {"regexp": "x"}}}]);

    room.apply(&object("none", json!({"secretStoreRef": store})));
    room.apply(&object(
        "both",
        json!({"secretStoreRef": store, "dataFrom": both}),
    ));

    let none = room.failed("none", "InvalidSpec");
    let both = room.failed("both", "InvalidSpec");
    assert_eq!(
        none,
        "either data or dataFrom should be specified (InvalidSpec)"
    );
    assert_eq!(
        both,
        "extract, find, or generatorRef cannot be set at the same time (InvalidSpec)"
    );
    operator.check().unwrap();
}

#[test]
fn a_store_that_is_being_deleted_and_its_push_secret_say_so() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let mut operator = operator(cluster, &[&room.flag()]);
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": {"name": "s"}, "spec": {"provider": {"fake": {"data": []}}},
    }));
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "src"},
        "stringData": {"a": "1"},
    }));
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret",
        "metadata": {"name": "ps"},
        "spec": {
            "deletionPolicy": "Delete", "secretStoreRefs": [{"name": "s"}],
            "selector": {"secret": {"name": "src"}},
            "data": [{"match": {"secretKey": "a", "remoteRef": {"remoteKey": "r"}}}],
        },
    }));
    until("the finalizer of the store", || {
        let stores = room.list(GROUP, "secretstores");
        let finalizers = stores[0]["metadata"]["finalizers"].clone();
        if finalizers.is_array() {
            Ok(finalizers)
        } else {
            Err(finalizers)
        }
    });

    let path = format!("{GROUP}/namespaces/{}/secretstores/s", room.namespace);
    room.api.delete(&path).unwrap();

    let message = store_says(&room, "Stalled", "NeededByPushSecret");
    assert!(
        message.contains(&format!("PushSecret {}/ps,", room.namespace)),
        "{message}"
    );
    let told = warnings(&room, "PushSecret", "Errored");
    assert!(told[0].contains("is being deleted"), "{told:?}");
    operator.check().unwrap();
}
