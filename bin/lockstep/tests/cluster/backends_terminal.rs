//! The question of `lockstep backends delete` and `purge` at a terminal: only a whole yes goes on, and
//! whatever else is answered leaves everything as it is. No value is drawn.

use lockstep_testkit::bao::Bao;
use serde_json::Value;

use crate::backends_command::{CANARY, Desk};
use crate::session::{CTRL_C, CTRL_D, Session};

/// A backend with two secrets that hold the value.
fn filled(bao: &Bao) -> Desk {
    let desk = Desk::bao(bao, "vault");
    desk.want(&["app/a", "app/b"]);
    assert_eq!(desk.apply().code, 0);
    desk
}

/// Runs a verb for both secrets at a terminal and answers its question; the exit code and what was
/// drawn.
fn answered(desk: &Desk, verb: &str, answer: &str) -> (i32, String) {
    let words = [
        "backends",
        verb,
        "app/a",
        "app/b",
        "--store-file",
        "store.yaml",
    ];
    let mut session = Session::start(&words, desk.folder.path(), &desk.environment);
    session.read_until(&format!("Type yes to {verb} 2: "));
    session.press(answer);
    let (code, drawn) = session.end();
    assert!(!drawn.contains(CANARY), "{drawn}");
    (code, drawn)
}

fn states(desk: &Desk) -> Vec<Value> {
    let status = desk.run(&["status", "app/a", "app/b"]).json();
    let secrets = status["secrets"].as_array().unwrap();
    secrets.iter().map(|one| one["state"].clone()).collect()
}

#[test]
fn a_yes_at_the_terminal_deletes_and_another_one_purges() {
    let bao = Bao::start().unwrap();
    let desk = filled(&bao);

    let (code, drawn) = answered(&desk, "delete", "yes\n");
    assert_eq!(code, 0, "{drawn}");
    assert!(
        drawn.contains("can be restored until it is purged"),
        "{drawn}"
    );
    assert_eq!(states(&desk), ["PendingDeletion", "PendingDeletion"]);
    let (code, drawn) = answered(&desk, "purge", "yes\n");
    assert_eq!(code, 0, "{drawn}");
    assert!(drawn.contains("UNRECOVERABLE at once"), "{drawn}");
    assert_eq!(states(&desk), ["Missing", "Missing"]);

    let reports = desk.reports();
    let is_complete = |report: &Value| report["complete"] == true;
    assert_eq!(reports.len(), 2);
    assert!(reports.iter().all(is_complete), "{reports:?}");
}

#[test]
fn anything_but_a_yes_leaves_everything_as_it_is() {
    let bao = Bao::start().unwrap();
    let desk = filled(&bao);

    for verb in ["delete", "purge"] {
        for answer in ["no\n", "y\n", "\n", CTRL_D] {
            let (code, drawn) = answered(&desk, verb, answer);
            assert_eq!(code, 4, "{drawn}");
            let text = "nothing was done: the answer was not yes";
            assert!(drawn.contains(text), "{drawn}");
        }
    }

    assert_eq!(states(&desk), ["Available", "Available"]);
    assert!(desk.reports().is_empty());
}

#[test]
fn an_interrupt_at_the_question_ends_the_command() {
    let bao = Bao::start().unwrap();
    let desk = filled(&bao);

    let (code, drawn) = answered(&desk, "purge", CTRL_C);

    assert_eq!(code, 1, "{drawn}");
    assert!(drawn.contains("nothing was done: interrupted"), "{drawn}");
    assert_eq!(states(&desk), ["Available", "Available"]);
}
