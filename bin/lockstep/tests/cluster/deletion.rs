//! Many secrets that vanish at once take no Secret with them, unless someone says that it is meant.

use lockstep_testkit::controlplane::Cluster;
use serde_json::json;

use crate::process::{Room, fleet, metric, operator, put_store, until};

#[test]
fn a_store_that_loses_everything_deletes_nothing_until_it_is_said_to_be_meant() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let operator = operator(cluster, &[&room.flag()]);
    fleet(&room, &[("a", "1")], 12, "1h");
    room.all_ready(12);

    put_store(&room, &[("other", "1")]);
    let failed = until("a word on every object", || {
        let failed = room.with_ready("False");
        if failed.len() == 12 {
            Ok(failed)
        } else {
            Err(failed)
        }
    });

    for object in &failed {
        let message = object["status"]["conditions"][0]["message"]
            .as_str()
            .unwrap();
        assert!(message.contains("DeletionHeld"), "{message}");
        assert!(message.contains("allow-mass-deletion"), "{message}");
    }
    assert_eq!(room.secrets().len(), 12);
    assert!(metric(&operator, "lockstep_held_deletions", "") >= 10);
    let events = room.list("/api/v1", "events");
    assert!(events.iter().any(|event| event["reason"] == "DeletionHeld"));

    let group = "/apis/external-secrets.io/v1";
    let path = format!("{group}/namespaces/{}/secretstores/store", room.namespace);
    let key = "reconcile.external-secrets.io/allow-mass-deletion";
    let release = json!({"metadata": {"annotations": {key: "true"}}});
    room.api.merge(&path, &release).unwrap();
    until("deletion of all", || {
        let left = room.secrets().len();
        if left == 0 { Ok(left) } else { Err(left) }
    });
}
