//! An API server that goes away in the middle of work, watches that break, and a stop under load.

use std::net::SocketAddr;
use std::time::Duration;

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::kubeconfig::Access;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::proxy::Proxy;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::{Room, fleet, operator, started, until};

/// An operator behind a wire that can be cut.
pub(crate) fn behind_a_wire(cluster: &Cluster, flags: &[&str]) -> (Operator, Proxy, TempDir) {
    let mut access = Access::read(&cluster.operator_kubeconfig()).unwrap();
    let server: SocketAddr = access.server["https://".len()..].parse().unwrap();
    let proxy = Proxy::start(server).unwrap();
    access.server = format!("https://{}", proxy.address());
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("kubeconfig");
    access
        .write(&kubeconfig, "operator", "external-secrets")
        .unwrap();
    (started(&kubeconfig, flags), proxy, folder)
}

fn is_whole(secret: &Value) -> bool {
    secret["data"] == json!({"a": "MQ==", "b": "Mg=="})
        && secret["metadata"]["annotations"]["reconcile.external-secrets.io/data-hash"].is_string()
}

#[test]
fn an_api_server_that_goes_away_mid_sync_costs_time_and_nothing_else() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let (mut operator, proxy, _folder) = behind_a_wire(cluster, &[&room.flag()]);
    fleet(&room, &[("a", "1"), ("b", "2")], 60, "1h");
    until("the first Secrets", || {
        let count = room.secrets().len();
        if count > 0 { Ok(count) } else { Err(count) }
    });

    proxy.cut();
    operator.check().unwrap();
    until("attempts while the API server is away", || {
        let refused = proxy.refused();
        if refused >= 5 {
            Ok(refused)
        } else {
            Err(refused)
        }
    });
    proxy.mend();

    room.all_ready(60);
    operator.check().unwrap();
    assert!(room.secrets().iter().all(is_whole));
    assert_eq!(room.secrets().len(), 60);
}

#[test]
fn an_edit_made_while_the_watches_were_down_is_seen() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let (_operator, proxy, _folder) = behind_a_wire(cluster, &[&room.flag()]);
    room.fill();
    room.synced();
    proxy.cut();
    let path = format!("/api/v1/namespaces/{}/secrets/es", room.namespace);
    room.api
        .merge(&path, &json!({"data": {"a": "ZWRpdGVk"}}))
        .unwrap();
    proxy.mend();

    until("repair", || {
        let value = room.secret("es").unwrap()["data"]["a"].clone();
        if value == "dg==" {
            Ok(value)
        } else {
            Err(value)
        }
    });
}

#[test]
fn a_stop_under_a_full_queue_is_quick_and_leaves_nothing_half_written() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    fleet(&room, &[("a", "1"), ("b", "2")], 150, "1h");
    let mut first = operator(cluster, &[&room.flag()]);
    until("the first Secrets", || {
        let count = room.secrets().len();
        if count > 3 { Ok(count) } else { Err(count) }
    });

    let (took, status) = first.terminate().unwrap();

    // Two seconds on a machine of one's own; the queue alone would take longer than this.
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(status.success(), "{status}");
    let secrets = room.secrets();
    assert!(secrets.iter().all(is_whole));
    for object in room.with_ready("True") {
        let name = object["metadata"]["name"].as_str().unwrap();
        let written = secrets
            .iter()
            .any(|secret| secret["metadata"]["name"] == name);
        assert!(written, "{name} is called ready without a Secret");
    }
}
