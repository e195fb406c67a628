//! `lockstep top` on a real API server: the table for logs, and a session on a pseudo terminal in which
//! keys ask for a sync and leave.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use lockstep_testkit::controlplane::Cluster;
use serde_json::json;

use crate::command::run;
use crate::process::{Room, operator, put_store, until};

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
    assert_eq!(json["stores"][0]["users"], 2, "{json:#}");
}

#[test]
fn a_key_on_a_terminal_asks_for_a_sync_and_another_leaves() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    fill(&room);
    let line = format!(
        "stty rows 30 cols 140 && exec {} top --namespace {} --kubeconfig {}",
        env!("CARGO_BIN_EXE_lockstep"),
        room.namespace,
        cluster.admin_kubeconfig().display()
    );
    // script(1) of util-linux gives the command a terminal of its own.
    let mut child = Command::new("script")
        .args([
            "--quiet",
            "--return",
            "--flush",
            "--command",
            &line,
            "/dev/null",
        ])
        .env("TERM", "xterm-256color")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut keys = child.stdin.take().unwrap();
    let mut screen = child.stdout.take().unwrap();

    let shown = read_until(&mut screen, "broken");
    keys.write_all(b"s").unwrap();
    until("the annotation", || {
        let object = room.external_secret("broken");
        let annotation = &object["metadata"]["annotations"]["external-secrets.io/force-sync"];
        if annotation.is_string() {
            Ok(object)
        } else {
            Err(object)
        }
    });
    keys.write_all(b"q").unwrap();
    let mut rest = String::new();
    screen.read_to_string(&mut rest).unwrap();

    assert!(child.wait().unwrap().success());
    assert!(!format!("{shown}{rest}").contains(CANARY));
}

/// Reads what is drawn until a word is in it.
fn read_until(screen: &mut impl Read, word: &str) -> String {
    let mut seen = Vec::new();
    let mut some = [0; 4096];
    loop {
        let read = screen.read(&mut some).unwrap();
        seen.extend_from_slice(&some[..read]);
        let text = String::from_utf8_lossy(&seen);
        if text.contains(word) {
            return text.into_owned();
        }
        assert_ne!(read, 0, "the screen ended before {word:?}: {text}");
    }
}
