//! The examples of the page on 1Password Connect, on a real API server and a Connect server.

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::onepassword::{Connect, TOKEN};
use lockstep_testkit::{manifest, place};
use serde_json::json;

use crate::process::{Room, operator, until};

#[test]
fn the_examples_of_the_documentation_work() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let connect = Connect::start().unwrap();
    let (team, shared) = (connect.vault("team"), connect.vault("shared"));
    let fields = [("username", "app"), ("password", "secret")];
    connect.item(&team, "example-database", "LOGIN", &fields);
    let document = connect.item(&shared, "example-certificate", "DOCUMENT", &[]);
    connect.file(&document, "ca.pem", b"PEM");
    let class = format!("--controller-class={}", room.namespace);
    let _operator = operator(cluster, &[&room.flag(), &class]);
    for file in ["credentials", "store", "external-secret", "push-secret"] {
        let path = place::workspace().join(format!("examples/onepassword/{file}.yaml"));
        for mut object in manifest::read(&path).unwrap() {
            if object["kind"] == "SecretStore" {
                object["spec"]["controller"] = room.namespace.clone().into();
                object["spec"]["provider"]["onepassword"]["connectHost"] = connect.url().into();
            }
            if object["stringData"].is_object() {
                object["stringData"]["token"] = TOKEN.into();
            }
            room.apply(&object);
        }
    }

    let secret = until("the example's Secret", || {
        room.secret("database").ok_or(None).map(Some)
    });
    let pushed = until("the example's push", || {
        connect.stored("example-copy").ok_or(None).map(Some)
    });

    let data = json!({ "password": "c2VjcmV0", "user": "YXBw", "ca.pem": "UEVN" });
    assert_eq!(secret.unwrap()["data"], data);
    let pushed = pushed.unwrap();
    assert_eq!(pushed["fields"][0]["value"], "secret");
    assert_eq!(pushed["tags"], json!(["from-kubernetes"]));
    assert_eq!(pushed["vault"]["id"], shared);
}
