//! Runs that go on: edits are followed, changes told, nothing else printed.

use crate::folder::{Folder, OBJECT, STORE, assert_no_values};

#[test]
fn an_edit_of_a_store_reaches_the_files() {
    let folder = Folder::sound();
    let mut watching = folder.watch(&["--out", "out", "--format", "files"]);
    watching.until("watching manifests");
    assert_eq!(
        folder.read("out/default/database/user").as_deref(),
        Some("canary-bob")
    );

    folder.write(
        "manifests/store.yaml",
        &STORE.replace("canary-bob", "canary-alice"),
    );

    watching.until("Secret default/database: changed: user (12 B)");
    assert_eq!(
        folder.read("out/default/database/user").as_deref(),
        Some("canary-alice")
    );
    assert_no_values(&watching.seen());
    assert_eq!(watching.stop(), 0);
}

#[test]
fn a_new_object_is_run_and_a_deleted_one_takes_its_files() {
    let folder = Folder::sound();
    let mut watching = folder.watch(&["--out", "out"]);
    watching.until("watching manifests");

    folder.write(
        "manifests/sub/new.yaml",
        &OBJECT.replace("name: database", "name: new"),
    );
    watching.until("Secret default/new: created");
    std::fs::remove_file(folder.path("manifests/database.yaml")).unwrap();
    watching.until("ExternalSecret default/database: gone");

    assert!(folder.read("out/default/new.yaml").is_some());
    assert_eq!(folder.read("out/default/database.yaml"), None);
}

#[test]
fn a_fault_takes_nothing_away_and_is_reported_as_fixed() {
    let folder = Folder::sound();
    let mut watching = folder.watch(&["--out", "out"]);
    watching.until("watching manifests");

    folder.write("manifests/database.yaml", "kind: [");
    watching.until("fault: database.yaml:");
    assert!(folder.read("out/default/database.yaml").is_some());
    folder.write("manifests/database.yaml", OBJECT);

    watching.until("fixed: database.yaml:");
}

#[test]
fn a_store_that_comes_later_is_picked_up() {
    let folder = Folder::with(&[("manifests/database.yaml", OBJECT)]);
    let mut watching = folder.watch(&[]);
    watching.until("watching manifests");

    folder.write("manifests/store.yaml", STORE);

    watching.until("ExternalSecret default/database: SecretSynced");
}

#[test]
fn json_is_one_document_a_line_at_every_change() {
    let folder = Folder::sound();
    let mut watching = folder.watch(&["--output", "json"]);
    watching.until("{");
    folder.write(
        "manifests/store.yaml",
        &STORE.replace("canary-bob", "canary-alice"),
    );

    watching.until("\"bytes\":12");

    for line in watching.seen().lines() {
        let document: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(document["ready"], true);
    }
    assert_no_values(&watching.seen());
    assert_eq!(watching.stop(), 0);
}

#[test]
fn quiet_watching_tells_failures_only() {
    let folder = Folder::sound();
    let mut watching = folder.watch(&["-q", "--out", "out"]);
    folder.until_there("out/default/database.yaml");

    folder.write(
        "manifests/store.yaml",
        &STORE.replace("canary-bob", "canary-alice"),
    );
    folder.write(
        "manifests/database.yaml",
        &OBJECT.replace("key: user", "key: gone"),
    );

    watching.until("ExternalSecret default/database: SecretSyncedError");
    assert_eq!(watching.seen().lines().count(), 1, "{}", watching.seen());
}
