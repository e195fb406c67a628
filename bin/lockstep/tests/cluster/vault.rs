//! The operator with Vault behind it: the examples of the documentation, one login for many objects
//! that is revoked at the end, and probes of versions. Logins with tokens that the API server reviews
//! are among the recorded cases.

use std::path::Path;

use lockstep_testkit::bao::{Bao, ROOT};
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::operator::Operator;
use lockstep_testkit::{manifest, place};
use serde_json::{Value, json};

use crate::process::{Room, log, operator, until};

fn store(room: &Room, bao: &Bao, auth: &Value) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": { "name": "store" },
        "spec": { "controller": room.namespace, "provider": { "vault": {
            "server": bao.url(), "path": "kv", "auth": auth,
        } } },
    })
}

fn external_secret(name: &str, interval: &str) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": { "name": name },
        "spec": {
            "refreshInterval": interval, "secretStoreRef": { "name": "store" },
            "data": [{ "secretKey": "a", "remoteRef": { "key": "x", "property": "a" } }],
        },
    })
}

fn started(cluster: &Cluster, room: &Room, more: &[&str]) -> Operator {
    let (flag, class) = (
        room.flag(),
        format!("--controller-class={}", room.namespace),
    );
    let mut flags = vec![&*flag, &*class];
    flags.extend(more);
    operator(cluster, &flags)
}

#[test]
fn many_objects_of_an_application_log_in_once_and_their_token_is_revoked_at_the_end() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let bao = Bao::start().unwrap();
    bao.put("x", &json!({ "a": "1" })).unwrap();
    bao.policy("reader", &[("kv/*", "read")]).unwrap();
    bao.enable("approle").unwrap();
    let role = json!({ "token_policies": ["reader"] });
    bao.call("POST", "auth/approle/role/r", &role).unwrap();
    let id = json!({ "role_id": "role" });
    bao.call("POST", "auth/approle/role/r/role-id", &id)
        .unwrap();
    let secret = json!({ "secret_id": "sid" });
    bao.call("POST", "auth/approle/role/r/custom-secret-id", &secret)
        .unwrap();
    let mut operator = started(cluster, &room, &[]);
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "creds" },
        "stringData": { "sid": "sid" },
    }));
    room.apply(&store(
        &room,
        &bao,
        &json!({ "appRole": {
        "path": "approle", "roleId": "role", "secretRef": { "name": "creds", "key": "sid" },
    } }),
    ));
    for number in 0..10 {
        room.apply(&external_secret(&format!("es-{number}"), "1h"));
    }
    room.all_ready(10);

    operator.terminate().unwrap();

    let seen = bao.take_seen();
    let count = |call: &str| seen.iter().filter(|seen| *seen == call).count();
    assert_eq!(count("PUT auth/approle/login"), 1, "{seen:?}");
    assert_eq!(count("PUT auth/token/revoke-self"), 1, "{seen:?}");
}

#[test]
fn an_unchanged_secret_costs_no_read_of_its_value_where_versions_are_probed() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let bao = Bao::start().unwrap();
    bao.put("x", &json!({ "a": "first" })).unwrap();
    let _operator = started(cluster, &room, &["--probe-versions=true"]);
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "creds" },
        "stringData": { "token": ROOT },
    }));
    let token = json!({ "tokenSecretRef": { "name": "creds", "key": "token" } });
    room.apply(&store(&room, &bao, &token));
    room.apply(&external_secret("es", "1s"));
    room.synced();
    let mut seen = Vec::new();

    until("four refreshes without a read", || {
        seen.extend(bao.take_seen());
        let last = &seen[seen.len().saturating_sub(4)..];
        if last == ["GET kv/metadata/x"; 4] {
            Ok(())
        } else {
            Err(())
        }
    });
    bao.put("x", &json!({ "a": "second" })).unwrap();

    until("the second value", || {
        let secret = room.secret("es").unwrap_or_default();
        if secret["data"]["a"] == "c2Vjb25k" {
            Ok(secret)
        } else {
            Err(secret)
        }
    });
}

#[test]
fn the_examples_of_the_documentation_work() {
    let plane = ControlPlane::start_bare().unwrap();
    plane.install_crds().unwrap();
    let room = Room::new(&plane);
    let bao = Bao::start().unwrap();
    let database = json!({ "data": { "user": "app", "password": "secret" } });
    bao.call("PUT", "secret/data/example/database", &database)
        .unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_lockstep"));
    let class = format!("--controller-class={}", room.namespace);
    let kubeconfig = plane.operator_kubeconfig();
    let _operator = Operator::start_in(program, &kubeconfig, &[&class], &[], &log()).unwrap();
    let files = [
        "vault/credentials",
        "vault/store",
        "vault/kubernetes",
        "vault/external-secret",
        "vault/push-secret",
        "openbao/credentials",
        "openbao/store",
        "openbao/external-secret",
    ];
    for file in files {
        let path = place::workspace().join(format!("examples/{file}.yaml"));
        let text = std::fs::read_to_string(path).unwrap();
        let own = format!("namespace: {}", room.namespace);
        let text = text.replace("namespace: default", &own);
        let text = text.replace("https://vault.example.com:8200", &bao.url());
        let text = text.replace("https://bao.example.com:8200", &bao.url());
        for mut object in manifest::parse(&text).unwrap() {
            if object["spec"]["provider"].is_object() {
                object["spec"]["controller"] = room.namespace.clone().into();
            }
            if object["stringData"].is_object() {
                object["stringData"]["token"] = ROOT.into();
            }
            room.api.apply(&object).unwrap();
        }
    }

    for name in ["database", "database-from-openbao"] {
        let secret = until("the example's Secret", || {
            room.secret(name).ok_or(None).map(Some)
        });
        let data = &secret.unwrap()["data"];
        assert_eq!(data["user"], "YXBw", "{name}");
        assert_eq!(data["password"], "c2VjcmV0", "{name}");
    }
    until("the example's push", || {
        let pushed = bao.call("GET", "secret/data/example/copy", &Value::Null);
        pushed.map_err(|error| json!(error.to_string()))
    });
}
