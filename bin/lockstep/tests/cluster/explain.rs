//! `lockstep explain` on a real API server: what it finds, what it never shows, and how it ends.

use std::path::Path;

use lockstep_testkit::controlplane::Cluster;
use serde_json::{Value, json};

use crate::command::{Ran, run, run_in};
use crate::process::{Room, operator, put_store, until};

const CANARY: &str = "canary-77d0";

fn object(name: &str, store: &str, key: &str) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {
            "secretStoreRef": {"name": store},
            "data": [{"secretKey": "password", "remoteRef": {"key": key}}],
        },
    })
}

fn explain(cluster: &Cluster, room: &Room, words: &[&str]) -> Ran {
    let mut all = vec!["explain"];
    all.extend(words);
    all.extend(["--namespace", &room.namespace]);
    let ran = run(&cluster.admin_kubeconfig(), &all, "");
    ran.shows_no(CANARY);
    ran
}

/// The report about one object for programs, and how the command ended. The text for people must end
/// the same way, and neither shows one of the values.
pub(crate) fn report(
    kubeconfig: &Path,
    words: &[&str],
    environment: &[(String, String)],
    values: &[&str],
) -> (i32, Value) {
    let run = |more: &[&str]| {
        let all = [&["explain"], words, more].concat();
        let ran = run_in(kubeconfig, &all, "", environment);
        for value in values {
            ran.shows_no(value);
        }
        ran
    };
    let (text, json) = (run(&[]), run(&["--output", "json"]));
    assert_eq!(text.code, json.code, "{text:?}");
    let report = json.json();
    let broken = &report["firstBroken"];
    assert_eq!(broken.is_null(), json.code == 0, "{report:#}");
    assert_eq!(text.out.contains("◀ first broken link"), json.code == 1);
    if let Some(remedy) = broken["remedy"].as_str() {
        assert!(text.out.contains(&format!("→ {remedy}")), "{}", text.out);
    }
    (json.code, report)
}

/// Checks that a report names this link as the first broken one, with these words in its text and in
/// its advice.
#[track_caller]
pub(crate) fn broken((code, report): &(i32, Value), link: &str, text: &str, remedy: &str) {
    let first = &report["firstBroken"];
    assert_eq!((*code, &first["link"]), (1, &json!(link)), "{report:#}");
    assert!(words(&first["text"]).contains(text), "{report:#}");
    // Some texts of providers end with the advice.
    let advice = format!("{} {}", words(&first["text"]), words(&first["remedy"]));
    assert!(advice.contains(remedy), "{report:#}");
}

/// Checks that a report finds nothing wrong; returns the text of a link.
#[track_caller]
pub(crate) fn healthy((code, report): &(i32, Value), link: &str) -> String {
    assert_eq!((*code, &report["healthy"]), (0, &json!(true)), "{report:#}");
    let links = report["links"].as_array().unwrap();
    let found = links.iter().find(|found| found["name"] == link).unwrap();
    words(&found["text"]).to_owned()
}

fn words(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Waits until an object says whether it is ready.
fn reported(room: &Room, name: &str, wanted: &str) {
    until("a report", || {
        let object = room.external_secret(name);
        let status = &object["status"]["conditions"][0]["status"];
        if status == wanted {
            Ok(object)
        } else {
            Err(object)
        }
    });
}

fn pod() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
        "spec": {"automountServiceAccountToken": false, "containers": [{
            "name": "web", "image": "web",
            "env": [{"name": "P", "valueFrom": {"secretKeyRef": {"name": "app", "key": "password"}}}],
        }]},
    })
}

#[test]
fn a_healthy_chain_goes_from_the_object_to_the_pod() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let mut process = operator(cluster, &[&room.flag()]);
    put_store(&room, &[("k", CANARY)]);
    room.apply(
        &json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}),
    );
    room.apply(&object("app", "store", "k"));
    reported(&room, "app", "True");
    room.apply(&pod());

    let text = explain(cluster, &room, &["es", "app"]);
    let live = explain(
        cluster,
        &room,
        &["externalsecrets", "app", "--live", "-o", "json"],
    );
    let store = explain(cluster, &room, &["secretstore", "store", "--live"]);

    assert_eq!((text.code, &*text.err), (0, ""), "{text:?}");
    assert!(
        text.out
            .contains("✓ target    Secret app  1 key (password)"),
        "{}",
        text.out
    );
    assert!(text.out.contains("✓ pod web  environment"), "{}", text.out);
    assert!(text.out.contains("next sync  in "), "{}", text.out);
    assert!(!text.out.contains('\u{1b}'), "{}", text.out);
    let live = live.json();
    assert_eq!(live["healthy"], true, "{live:#}");
    let answer = live["links"].as_array().unwrap();
    let answer = answer.iter().find(|link| link["name"] == "answer").unwrap();
    let bytes = format!("answered with {} bytes", CANARY.len());
    assert!(
        answer["parts"][0]["text"]
            .as_str()
            .unwrap()
            .ends_with(&bytes),
        "{answer}"
    );
    assert_eq!(store.code, 0, "{store:?}");
    assert!(store.out.contains("users     1 object"), "{}", store.out);
    process.check().unwrap();
}

#[test]
fn the_first_broken_link_is_named_with_a_remedy() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let mut process = operator(cluster, &[&room.flag()]);
    put_store(&room, &[("k", CANARY)]);
    room.apply(&object("astray", "stroe", "k"));
    room.apply(&object("empty", "store", "nothing"));
    reported(&room, "astray", "False");
    reported(&room, "empty", "False");

    let astray = explain(cluster, &room, &["es", "astray", "-o", "json"]);
    let empty = explain(cluster, &room, &["es", "empty"]);
    let live = explain(cluster, &room, &["es", "empty", "--live", "-o", "json"]);

    assert_eq!(astray.code, 1, "{astray:?}");
    let astray = astray.json();
    assert_eq!(astray["firstBroken"]["link"], "store", "{astray:#}");
    assert!(
        astray.to_string().contains("did you mean store?"),
        "{astray:#}"
    );
    assert_eq!(empty.code, 1, "{empty:?}");
    let marked = empty.out.lines().find(|line| line.contains("◀")).unwrap();
    assert!(marked.contains("✗ answer    NotFound: "), "{}", empty.out);
    assert_eq!(live.json()["firstBroken"]["link"], "entry", "{live:?}");
    process.check().unwrap();
}

#[test]
fn an_unknown_object_gets_a_near_name_and_its_own_exit_code() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    room.apply(&object("database", "store", "k"));

    let object = explain(cluster, &room, &["es", "databse"]);
    let kind = explain(cluster, &room, &["externalsecre", "database"]);

    assert_eq!(object.code, 3, "{object:?}");
    assert!(
        object.err.contains("did you mean database?"),
        "{}",
        object.err
    );
    assert_eq!(kind.code, 2, "{kind:?}");
    assert!(
        kind.err.contains("did you mean externalsecret?"),
        "{}",
        kind.err
    );
}

#[test]
fn a_missing_right_is_told_as_the_rule_to_add() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    room.apply(&object("database", "store", "k"));

    // The operator may read every Secret and no pod.
    let words = ["explain", "es", "database", "--namespace", &room.namespace];
    let ran = run(&cluster.operator_kubeconfig(), &words, "");

    assert!(ran.out.contains("resources: [\"pods\"]"), "{ran:?}");
    assert!(
        ran.out
            .contains(&format!("a Role in namespace {}", room.namespace)),
        "{ran:?}"
    );
}
