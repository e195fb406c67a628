//! `lockstep get` and `lockstep run` with the ExternalSecrets of a real API server.

use lockstep_testkit::controlplane::Cluster;
use serde_json::json;

use crate::command::{Ran, run};
use crate::process::{Room, operator, put_store, until};

fn deliver(cluster: &Cluster, room: &Room, words: &[&str]) -> Ran {
    let kubeconfig = cluster.admin_kubeconfig();
    let path = kubeconfig.to_str().unwrap();
    let (command, rest) = words.split_first().unwrap();
    let mut all = vec![*command, "--namespace", &room.namespace];
    all.extend(["--kubeconfig", path].iter().filter(|_| *command == "run"));
    all.extend(rest);
    run(&kubeconfig, &all, "")
}

#[test]
fn secrets_of_a_cluster_reach_a_script_and_a_process() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let _operator = operator(cluster, &[&room.flag()]);
    put_store(&room, &[("k", "canary-41aa")]);
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": "app"},
        "spec": {
            "secretStoreRef": {"name": "store"}, "target": {"name": "written"},
            "data": [{"secretKey": "password", "remoteRef": {"key": "k"}}],
        },
    }));
    until("a synced object", || {
        let object = room.external_secret("app");
        if object["status"]["conditions"][0]["status"] == "True" {
            Ok(object)
        } else {
            Err(object)
        }
    });

    let keys = deliver(cluster, &room, &["get", "app"]);
    let value = deliver(cluster, &room, &["get", "app", "password"]);
    let script = "echo \"got $password\"; exit 5";
    let ran = deliver(cluster, &room, &["run", "app", "--", "sh", "-c", script]);
    let unknown = deliver(cluster, &room, &["get", "ap"]);

    assert_eq!(keys.out, "KEY        SIZE\npassword   11 B\n", "{keys:?}");
    assert_eq!(value.out, "canary-41aa", "{value:?}");
    assert_eq!((ran.code, &*ran.out), (5, "got canary-41aa\n"), "{ran:?}");
    assert_eq!(unknown.code, 3);
    assert!(unknown.err.contains("did you mean app?"), "{unknown:?}");
}
