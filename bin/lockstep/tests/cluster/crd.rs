//! The example of the page on custom resources, on a real API server: rights, whitelist and all.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::kubeconfig::Access;
use lockstep_testkit::{manifest, place};
use serde_json::json;

use crate::process::{Room, operator, until};

#[test]
fn the_example_of_the_documentation_works() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let class = format!("--controller-class={}", room.namespace);
    let _operator = operator(cluster, &[&room.flag(), &class]);
    for file in ["source", "rights", "store", "external-secret"] {
        let path = place::workspace().join(format!("examples/crd/{file}.yaml"));
        for mut object in manifest::read(&path).unwrap() {
            if object["kind"] == "SecretStore" {
                object["spec"]["controller"] = room.namespace.clone().into();
                // The address inside a cluster leads nowhere here, and nobody publishes its authority.
                let access = Access::read(&cluster.admin_kubeconfig()).unwrap();
                let bundle = STANDARD.encode(access.ca);
                object["spec"]["provider"]["crd"]["server"] =
                    json!({ "url": access.server, "caBundle": bundle });
            }
            if object["kind"] == "RoleBinding" {
                object["subjects"][0]["namespace"] = room.namespace.clone().into();
            }
            room.apply(&object);
        }
    }

    let secret = until("the example's Secret", || {
        room.secret("database").ok_or(None).map(Some)
    });

    let url = "cG9zdGdyZXM6Ly9kYi5leGFtcGxlLmNvbTo1NDMyL21haW4=";
    assert_eq!(secret.unwrap()["data"], json!({ "url": url }));
}
