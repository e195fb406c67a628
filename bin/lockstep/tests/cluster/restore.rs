//! An etcd that is restored from a backup: resource versions go down, and everything works on without a
//! restart of the operator.

use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use serde_json::json;

use crate::process::{Room, operator, put_store, until};

fn delivered(room: &Room, wanted: &str) {
    until(&format!("the value {wanted}"), || {
        let secret = room
            .api
            .find(&format!("/api/v1/namespaces/{}/secrets/es", room.namespace));
        // The API server may be away for a moment.
        let value = secret
            .ok()
            .flatten()
            .map(|found| found["data"]["a"].clone());
        if value == Some(json!(wanted)) {
            Ok(value)
        } else {
            Err(value)
        }
    });
}

#[test]
fn after_a_restore_of_etcd_changes_are_followed_without_a_restart() {
    let mut plane = ControlPlane::start_bare().unwrap();
    plane.install_crds().unwrap();
    let cluster: &Cluster = &plane;
    let room = Room::new(cluster);
    let mut operator = operator(cluster, &[&room.flag()]);
    room.fill();
    delivered(&room, "dg==");
    plane.back_up().unwrap();
    put_store(&room, &[("k", "later")]);
    delivered(&room, "bGF0ZXI=");
    // Far more writes than the API server makes by itself after its start. The last one is seen by the
    // operator, which has looked at the version long before.
    for number in 0_u32..500 {
        room.apply(&json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "busy"},
            "data": {"number": number.to_string()},
        }));
    }
    put_store(&room, &[("k", "last")]);
    delivered(&room, "bGFzdA==");

    plane.restore().unwrap();
    put_store(&room, &[("k", "restored")]);

    delivered(&room, "cmVzdG9yZWQ=");
    operator.check().unwrap();
}
