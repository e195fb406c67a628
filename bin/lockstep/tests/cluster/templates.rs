//! Texts of templates that change while the operator runs.

use lockstep_testkit::controlplane::Cluster;
use serde_json::{Value, json};

use crate::process::{Room, operator, until};

/// An ExternalSecret whose template comes from ConfigMap `texts` and Secret `texts`.
fn object(policy: &str) -> Value {
    let items = json!({"name": "texts", "items": [{"key": "t"}]});
    let other = json!({"name": "texts", "items": [{"key": "u"}]});
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": "es"},
        "spec": {
            "refreshPolicy": policy,
            "refreshInterval": "24h",
            "secretStoreRef": {"name": "store"},
            "target": {"template": {"templateFrom": [{"configMap": items}, {"secret": other}]}},
            "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
        },
    })
}

fn texts(room: &Room, map: &str, secret: &str) {
    room.apply(&json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "texts"}, "data": {"t": map},
    }));
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "texts"},
        "stringData": {"u": secret},
    }));
}

fn until_rendered(room: &Room, what: &str, data: &Value) {
    until(what, || {
        let secret = room.secret("es");
        let is_rendered = secret
            .as_ref()
            .is_some_and(|secret| secret["data"] == *data);
        if is_rendered { Ok(secret) } else { Err(secret) }
    });
}

#[test]
fn a_changed_text_is_rendered_without_waiting_for_the_interval() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let _operator = operator(cluster, &[&room.flag()]);
    room.fill();
    room.apply(&object("Periodic"));
    until("a complaint about the missing text", || {
        let object = room.external_secret("es");
        let ready = &object["status"]["conditions"][0];
        let message = ready["message"].as_str().unwrap_or_default();
        let is_told = message.contains("configmaps \"texts\" not found");
        if is_told { Ok(object) } else { Err(object) }
    });

    texts(&room, "1-{{ .a }}", "2-{{ .a }}");
    let first = json!({"t": "MS12", "u": "Mi12"});
    until_rendered(&room, "the first rendering", &first);
    texts(&room, "3-{{ .a }}", "2-{{ .a }}");
    let second = json!({"t": "My12", "u": "Mi12"});
    until_rendered(&room, "the changed ConfigMap", &second);
    texts(&room, "3-{{ .a }}", "4-{{ .a }}");
    let third = json!({"t": "My12", "u": "NC12"});
    until_rendered(&room, "the changed Secret", &third);
}
