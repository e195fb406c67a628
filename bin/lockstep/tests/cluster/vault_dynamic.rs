//! Dynamic secrets of Vault through the operator: the example of the documentation makes a certificate
//! with a lease, the refresh is planned from the lease, and the lease goes with its owner.

use lockstep_testkit::bao::{Bao, ROOT};
use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::{manifest, place};
use serde_json::{Value, json};

use crate::process::{Room, operator, until};

fn with_pki(bao: &Bao, ttl: &str) {
    let post = |path: &str, body: &Value| bao.call("POST", path, body).unwrap();
    post("sys/mounts/pki", &json!({ "type": "pki" }));
    let root = json!({ "common_name": "example.com", "key_type": "ec", "ttl": "768h" });
    post("pki/root/generate/internal", &root);
    let role = json!({
        "allow_any_name": true, "key_type": "ec", "generate_lease": true, "ttl": ttl,
    });
    post("pki/roles/web", &role);
}

fn leases(bao: &Bao) -> usize {
    let path = "sys/leases/lookup/pki/issue/web";
    let listed = bao.call("LIST", path, &Value::Null).unwrap_or_default();
    listed["data"]["keys"].as_array().map_or(0, Vec::len)
}

fn apply_example(room: &Room, bao: &Bao) {
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "vault-credentials" },
        "stringData": { "token": ROOT },
    }));
    let path = place::workspace().join("examples/generators/vault-dynamic-secret.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    let own = format!("namespace: {}", room.namespace);
    let text = text.replace("namespace: default", &own);
    let text = text.replace("https://vault.example.com:8200", &bao.url());
    for object in manifest::parse(&text).unwrap() {
        room.api.apply(&object).unwrap();
    }
}

#[test]
fn a_lease_plans_the_refresh_and_goes_with_the_object_that_used_it() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let bao = Bao::start().unwrap();
    with_pki(&bao, "10h");
    let _operator = operator(cluster, &[&room.flag()]);

    apply_example(&room, &bao);

    until("the certificate", || {
        let secret = room.secret("certificate").unwrap_or_default();
        if secret["data"]["private_key"].is_string() {
            Ok(secret)
        } else {
            Err(secret)
        }
    });
    let object = until("the next refresh", || {
        let object = room.external_secret("certificate");
        if object["status"]["credentialRefreshTime"].is_string() {
            Ok(object)
        } else {
            Err(object)
        }
    });
    let status = &object["status"];
    let time = |name: &str| {
        let text = status[name].as_str().unwrap();
        text.parse::<jiff::Timestamp>().unwrap()
    };
    let life = time("credentialRefreshTime").duration_since(time("refreshTime"));
    assert!((470..=480).contains(&life.as_mins()), "{life:?}");
    assert_eq!(leases(&bao), 1);
    let path = room.api.path_of(&object).unwrap();
    room.api.delete(&path).unwrap();
    until("the lease to be revoked", || match leases(&bao) {
        0 => Ok(0),
        more => Err(more),
    });
}
