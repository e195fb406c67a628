//! `lockstep explain` on a real API server for PushSecrets and generators of a namespace: healthy ones,
//! and one for each link that can break.

use lockstep_testkit::controlplane::Cluster;
use serde_json::{Value, json};

use crate::explain::{broken, healthy, report};
use crate::process::{self, Room, operator, until};
use crate::push;

const CANARY: &str = "canary-51fe";
const PUSHES: &str = "/apis/external-secrets.io/v1alpha1";
const GENERATORS: &str = "generators.external-secrets.io/v1alpha1";

fn push_secret(name: &str, store: &str, selector: &Value) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret",
        "metadata": {"name": name},
        "spec": {
            "refreshInterval": "1h", "secretStoreRefs": [{"name": store}], "selector": selector,
            "data": [{"match": {"secretKey": "a",
                "remoteRef": {"remoteKey": format!("pushed-{name}"), "property": "x"}}}],
        },
    })
}

fn secret(name: &str) -> Value {
    json!({"secret": {"name": name}})
}

/// Waits until an object of a room says whether it is ready.
fn reported(room: &Room, (group, plural): (&str, &str), name: &str, wanted: &str) {
    let path = format!("{group}/namespaces/{}/{plural}/{name}", room.namespace);
    until(&format!("a report of {name}"), || {
        let object = room.api.get(&path).unwrap();
        let found = object["status"]["conditions"][0]["status"] == wanted;
        if found { Ok(object) } else { Err(object) }
    });
}

fn explained(cluster: &Cluster, room: &Room, words: &[&str]) -> (i32, Value) {
    let all = [words, &["--namespace", &room.namespace]].concat();
    report(&cluster.admin_kubeconfig(), &all, &[], &[CANARY])
}

#[test]
fn a_push_is_followed_from_its_source_to_its_store() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let mut process = operator(cluster, &[&room.flag()]);
    push::put_store(&room, cluster);
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "source"},
        "stringData": {"a": CANARY},
    }));
    room.apply(&push_secret("fine", "store", &secret("source")));
    room.apply(&push_secret("sourceless", "store", &secret("nothing")));
    room.apply(&push_secret("storeless", "stroe", &secret("source")));
    let mut keyless = push_secret("keyless", "store", &secret("source"));
    keyless["spec"]["data"][0]["match"]["secretKey"] = json!("b");
    room.apply(&keyless);
    let kind = (PUSHES, "pushsecrets");
    reported(&room, kind, "fine", "True");
    for name in ["sourceless", "storeless", "keyless"] {
        reported(&room, kind, name, "False");
    }

    let fine = explained(cluster, &room, &["ps", "fine", "--live"]);
    assert_eq!(healthy(&fine, "push"), "1 value at the last push");
    assert!(healthy(&fine, "answer").starts_with("answered just now"));
    let sourceless = explained(cluster, &room, &["pushsecret", "sourceless"]);
    broken(
        &sourceless,
        "source",
        "does not exist",
        "spec.selector.secret.name",
    );
    let storeless = explained(cluster, &room, &["pushsecrets", "storeless"]);
    broken(&storeless, "store", "no such store", "did you mean store?");
    let keyless = explained(cluster, &room, &["ps", "keyless"]);
    broken(&keyless, "source", "has no key \"b\"", "did you mean a?");
    process.check().unwrap();
}

#[test]
fn a_push_that_its_backend_refuses_is_broken_at_the_push() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let mut process = operator(cluster, &[&room.flag()]);
    push::put_store(&room, cluster);
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "source"},
        "stringData": {"a": CANARY},
    }));
    room.apply(&json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "w"},
        "rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"]}],
    }));
    room.apply(&push_secret("refused", "store", &secret("source")));
    reported(&room, (PUSHES, "pushsecrets"), "refused", "False");

    let refused = explained(cluster, &room, &["ps", "refused"]);

    broken(
        &refused,
        "push",
        "Denied: ",
        "allow the store's identity to do this",
    );
    process.check().unwrap();
}

#[test]
fn a_generator_is_judged_by_its_credentials_and_shows_who_uses_it() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let mut process = operator(cluster, &[&room.flag()]);
    process::put_store(&room, &[("k", CANARY)]);
    room.apply(&json!({
        "apiVersion": GENERATORS, "kind": "Password", "metadata": {"name": "made"},
        "spec": {"length": 16},
    }));
    room.apply(&json!({
        "apiVersion": GENERATORS, "kind": "GitlabDeployToken", "metadata": {"name": "deploy"},
        "spec": {
            "url": "http://127.0.0.1:1", "projectID": "1", "name": "n", "scopes": ["read_registry"],
            "auth": {"token": {"secretRef": {"name": "gitlab", "key": "token"}}},
        },
    }));
    for (name, kind, generator) in [
        ("reader", "Password", "made"),
        ("broken", "GitlabDeployToken", "deploy"),
    ] {
        let reference = json!({"apiVersion": GENERATORS, "kind": kind, "name": generator});
        room.apply(&json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {"name": name},
            "spec": {"dataFrom": [{"sourceRef": {"generatorRef": reference}}]},
        }));
    }
    let reference = json!({"apiVersion": GENERATORS, "kind": "Password", "name": "made"});
    let mut push = push_secret("push", "store", &json!({"generatorRef": reference}));
    push["spec"]["data"][0]["match"]["secretKey"] = json!("password");
    room.apply(&push);
    let lost =
        json!({"generatorRef": {"apiVersion": GENERATORS, "kind": "Password", "name": "lost"}});
    room.apply(&push_secret("astray", "store", &lost));
    let reads = ("/apis/external-secrets.io/v1", "externalsecrets");
    reported(&room, reads, "reader", "True");
    reported(&room, reads, "broken", "False");
    reported(&room, (PUSHES, "pushsecrets"), "push", "True");
    reported(&room, (PUSHES, "pushsecrets"), "astray", "False");

    let made = explained(cluster, &room, &["password", "made"]);
    assert_eq!(healthy(&made, "users"), "2 objects");
    let deploy = explained(cluster, &room, &["gitlabdeploytoken", "deploy"]);
    let create = "create secret generic gitlab --from-file=token=FILE";
    broken(&deploy, "Secret", "does not exist", create);
    let push = explained(cluster, &room, &["ps", "push"]);
    assert_eq!(healthy(&push, "source"), "exists");
    let astray = explained(cluster, &room, &["ps", "astray"]);
    broken(
        &astray,
        "source",
        "does not exist",
        "spec.selector.generatorRef",
    );
    process.check().unwrap();
}
