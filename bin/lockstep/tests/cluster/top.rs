//! `lockstep top` on a real API server: the table for logs, and a session on a pseudo terminal in which
//! keys ask for a sync and leave.

use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use serde_json::json;

use crate::command::run;
use crate::process::{Room, operator, put_store, until};
use crate::session::Session;

const CANARY: &str = "canary-18ac";

fn fill(room: &Room) {
    put_store(room, &[("k", CANARY)]);
    for (name, key) in [("es", "k"), ("broken", "nothing")] {
        room.apply(&json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {"name": name},
            "spec": {
                "secretStoreRef": {"name": "store"},
                "data": [{"secretKey": "a", "remoteRef": {"key": key}}],
            },
        }));
    }
}

fn failed(room: &Room) {
    until("a failure", || {
        let object = room.external_secret("broken");
        if object["status"]["conditions"][0]["status"] == "False" {
            Ok(object)
        } else {
            Err(object)
        }
    });
}

#[test]
fn one_table_shows_the_worst_first_and_ends_with_a_finding() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let _process = operator(cluster, &[&room.flag()]);
    fill(&room);
    room.synced();
    failed(&room);

    let words = ["top", "--namespace", &room.namespace];
    let table = run(&cluster.admin_kubeconfig(), &words, "");
    let words = ["top", "--namespace", &room.namespace, "-o", "json"];
    let json = run(&cluster.admin_kubeconfig(), &words, "");

    table.shows_no(CANARY);
    assert_eq!(table.code, 1, "{table:?}");
    let objects = table.out.split("OBJECT ").nth(1).unwrap();
    let first = objects.lines().nth(1).unwrap();
    assert!(first.starts_with("failing"), "{}", table.out);
    assert!(first.contains(" broken "), "{}", table.out);
    let json = json.json();
    assert_eq!(json["healthy"], false);
    assert_eq!(json["objects"].as_array().unwrap().len(), 2);
    // Cluster-scoped stores of other tests may stand beside it.
    let mut stores = json["stores"].as_array().unwrap().iter();
    let own = stores.find(|store| store["namespace"] == room.namespace.as_str());
    assert_eq!(own.unwrap()["users"], 2, "{json:#}");
}

#[test]
fn a_key_on_a_terminal_asks_for_a_sync_and_another_leaves() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    fill(&room);
    let kubeconfig = cluster.admin_kubeconfig();
    let kubeconfig = kubeconfig.display().to_string();
    let words = [
        "top",
        "--namespace",
        &room.namespace,
        "--kubeconfig",
        &kubeconfig,
    ];
    let mut session = Session::start(&words, &std::env::temp_dir(), &[]);

    session.read_until("broken");
    session.press("s");
    until("the annotation", || {
        let object = room.external_secret("broken");
        let annotation = &object["metadata"]["annotations"]["external-secrets.io/force-sync"];
        if annotation.is_string() {
            Ok(object)
        } else {
            Err(object)
        }
    });
    session.press("q");
    let (code, drawn) = session.end();

    assert_eq!(code, 0, "{drawn}");
    assert!(!drawn.contains(CANARY));
}

/// How often the API server was asked for a list of what top shows.
fn lists(api: &Api) -> u64 {
    let kinds = [
        "externalsecrets",
        "pushsecrets",
        "secretstores",
        "clustersecretstores",
    ];
    let metrics = api.text("/metrics").unwrap();
    let lines = metrics.lines().filter(|line| {
        let is_shown = |kind| line.contains(&format!("resource=\"{kind}\""));
        line.starts_with("apiserver_request_total{")
            && line.contains("verb=\"LIST\"")
            && kinds.into_iter().any(is_shown)
    });
    let counts = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
    counts.sum()
}

#[test]
fn a_change_is_shown_without_a_new_list_and_a_lost_connection_is_told() {
    let mut plane = ControlPlane::start_bare().unwrap();
    plane.install_crds().unwrap();
    let room = Room::new(&plane);
    fill(&room);
    let kubeconfig = plane.admin_kubeconfig().display().to_string();
    let words = [
        "top",
        "--namespace",
        &room.namespace,
        "--kubeconfig",
        &kubeconfig,
    ];
    let mut session = Session::start(&words, &std::env::temp_dir(), &[]);
    session.read_until("broken");
    // Once this one is shown, the watches have begun.
    put_object(&room, "first-new");
    session.read_until("first-new");
    let before = lists(&room.api);

    put_object(&room, "second-new");
    session.read_until("second-new");
    assert_eq!(lists(&room.api), before, "a change needs no list");

    plane.kill_api_server().unwrap();
    session.read_until("connection lost");
    plane.start_api_server().unwrap();
    session.read_until("connected again");
    put_object(&room, "third-new");
    session.read_until("third-new");
    session.press("q");
    let (code, drawn) = session.end();

    assert_eq!(code, 0, "{drawn}");
    assert!(!drawn.contains(CANARY));
}

fn put_object(room: &Room, name: &str) {
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {
            "secretStoreRef": {"name": "store"},
            "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
        },
    }));
}
