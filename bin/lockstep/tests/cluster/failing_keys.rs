//! One object whose keys fail, beside many that are served by the same store.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::stub::Answer;
use serde_json::json;

use crate::process::{Room, operator, until};
use crate::server::{Server, asked_again};

const GOOD: usize = 100;

/// Since when each of the good objects has the Ready condition it has.
fn ready_since(room: &Room) -> BTreeMap<String, String> {
    let ready = room.with_ready("True").into_iter();
    ready
        .map(|object| {
            let since = &object["status"]["conditions"][0]["lastTransitionTime"];
            (object["metadata"]["name"].to_string(), since.to_string())
        })
        .collect()
}

#[test]
fn three_failing_keys_of_one_object_leave_a_hundred_others_ready() {
    let cluster = Cluster::shared().unwrap();
    let (room, server) = (Room::new(cluster), Server::start("one"));
    let mut operator = operator(cluster, &[&room.flag()]);
    room.store_over(&server, "2s");
    room.readers(GOOD, "1s");
    room.all_ready(GOOD);
    let before = ready_since(&room);
    let bad = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&bad);
    server.does(move |request| {
        if request.path.contains("bad") {
            count.fetch_add(1, Ordering::Relaxed);
            return Answer::text(500, "broken");
        }
        Answer::text(200, "one")
    });

    let entry = |key: &str| json!({"secretKey": key, "remoteRef": {"key": key}});
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": "bad"},
        "spec": {
            "refreshInterval": "1s", "secretStoreRef": {"name": "remote"},
            "data": [entry("bad-1"), entry("bad-2"), entry("bad-3")],
        },
    }));
    room.failed("bad", "Unreachable");
    // Long enough for the keys to be tried again, and for every good object to be refreshed.
    until("further tries of the bad keys", || {
        match bad.load(Ordering::Relaxed) {
            count if count >= 15 => Ok(count),
            count => Err(count),
        }
    });
    asked_again(&server, server.requests().len(), GOOD);

    assert_eq!(ready_since(&room), before, "nobody was ever not ready");
    let group = "/apis/external-secrets.io/v1";
    let path = format!("{group}/namespaces/{}/externalsecrets/bad", room.namespace);
    room.api.delete(&path).unwrap();
    asked_again(&server, server.requests().len(), GOOD);
    let count = bad.load(Ordering::Relaxed);
    for _ in 0..3 {
        asked_again(&server, server.requests().len(), GOOD);
    }
    assert_eq!(
        bad.load(Ordering::Relaxed),
        count,
        "nobody asks for them any more"
    );
    operator.check().unwrap();
}
