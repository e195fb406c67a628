//! Single runs: tables, exit codes, JSON, credentials.

use crate::folder::{Folder, OBJECT, STORE, assert_no_values};

/// Cells of the line that begins with these words.
fn line<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
    let line = text.lines().find(|line| {
        line.split_whitespace()
            .take(start.split(' ').count())
            .eq(start.split(' '))
    });
    line.unwrap_or_else(|| panic!("no line {start:?} in {text}"))
        .split_whitespace()
        .collect()
}

#[test]
fn a_sound_folder_prints_the_tables_of_kubectl_and_no_values() {
    let ran = Folder::sound().run(&["--once"]);

    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let heading = "NAMESPACE   NAME       STORETYPE     STORE   REFRESH INTERVAL   STATUS         \
                   READY   LAST SYNC";
    assert!(ran.out.contains(heading), "{}", ran.out);
    assert_eq!(
        line(&ran.out, "default database SecretStore")[..7],
        [
            "default",
            "database",
            "SecretStore",
            "demo",
            "15m",
            "SecretSynced",
            "True"
        ]
    );
    let store = line(&ran.out, "default demo");
    assert_eq!(store[3..], ["Valid", "ReadWrite", "True"]);
    assert!(ran.out.contains("user (10 B)"), "{}", ran.out);
    assert_no_values(&ran.out);
}

#[test]
fn nothing_is_written_unless_asked_for() {
    let folder = Folder::sound();

    folder.run(&[]);

    let entries: Vec<_> = std::fs::read_dir(folder.path(".")).unwrap().collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
}

#[test]
fn values_are_printed_only_when_revealed() {
    let ran = Folder::sound().run(&["--reveal"]);

    assert!(
        ran.out.contains("default/database user: canary-bob"),
        "{}",
        ran.out
    );
}

#[test]
fn quiet_prints_nothing_when_all_is_well() {
    let ran = Folder::sound().run(&["-q"]);

    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
}

#[test]
fn a_missing_remote_secret_fails_one_object_and_not_the_other() {
    let folder = Folder::sound();
    let broken = OBJECT
        .replace("name: database", "name: broken")
        .replace("key: user", "key: gone");
    folder.write("manifests/broken.yaml", &broken);

    let ran = folder.run(&[]);

    assert_eq!(ran.code, 1);
    assert_eq!(line(&ran.out, "default database SecretStore")[6], "True");
    assert_eq!(
        line(&ran.out, "default broken SecretStore")[5..],
        ["SecretSyncedError", "False"]
    );
    assert!(
        ran.err
            .contains("ExternalSecret default/broken   could not get secret data from provider"),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("Secret does not exist; create it, or correct the reference"),
        "{}",
        ran.err
    );
}

#[test]
fn json_holds_conditions_and_keys_and_no_values() {
    let folder = Folder::sound();
    folder.write(
        "manifests/other.yaml",
        "apiVersion: apps/v1\nkind: Deployment\n",
    );

    let ran = folder.run(&["--output", "json"]);

    let result: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(result["ready"], true);
    assert_eq!(result["stores"][0]["capabilities"], "ReadWrite");
    assert_eq!(
        result["externalSecrets"][0]["conditions"][0]["reason"],
        "SecretSynced"
    );
    assert_eq!(
        result["secrets"][0]["keys"][0],
        serde_json::json!({"key": "user", "bytes": 10})
    );
    assert_eq!(result["skipped"][0]["kind"], "Deployment");
    assert_no_values(&ran.out);
}

#[test]
fn a_folder_that_is_not_there_is_wrong_usage() {
    let ran = Folder::with(&[]).run(&[]);

    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.err,
        "error: manifests does not exist; name a folder of manifests\n"
    );
}

#[test]
fn a_folder_without_manifests_is_wrong_usage() {
    let ran = Folder::with(&[("manifests/readme.txt", "x")]).run(&[]);

    assert_eq!(ran.code, 2);
    assert!(
        ran.err
            .contains("no *.yaml, *.yml or *.json file below manifests"),
        "{}",
        ran.err
    );
}

#[test]
fn flags_that_exclude_each_other_are_wrong_usage() {
    assert_eq!(Folder::sound().run(&["--once", "--watch"]).code, 2);
    assert_eq!(Folder::sound().run(&["--format", "env"]).code, 2);
}

#[test]
fn help_teaches_with_examples_and_exit_codes() {
    let ran = Folder::sound().run(&["--help"]);

    assert_eq!(ran.code, 0);
    for text in [
        "Examples:",
        "LOCKSTEP_SECRET_<NAMESPACE>_<NAME>_<KEY>",
        "Exit codes:",
    ] {
        assert!(ran.out.contains(text), "{}", ran.out);
    }
}

#[test]
fn cluster_stores_admit_by_the_labels_of_namespaces() {
    let store = STORE
        .replace("kind: SecretStore", "kind: ClusterSecretStore")
        .replace(
            "spec:",
            "spec:\n  conditions: [{namespaceSelector: {matchLabels: {team: red}}}]",
        );
    let object = OBJECT.replace("name: demo", "name: demo\n    kind: ClusterSecretStore");
    let inside = object.replace("name: database", "name: database\n  namespace: red");
    let outside = object.replace("name: database", "name: database\n  namespace: blue");
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: red, labels: {team: red}}\n";
    let folder = Folder::with(&[
        ("manifests/store.yaml", &store),
        ("manifests/objects.yaml", &format!("{inside}---\n{outside}")),
        ("manifests/namespace.yaml", namespace),
    ]);

    let ran = folder.run(&[]);

    assert_eq!(line(&ran.out, "red database ClusterSecretStore")[6], "True");
    assert_eq!(
        line(&ran.out, "blue database ClusterSecretStore")[6],
        "False"
    );
    assert!(
        ran.err.contains("is not allowed from namespace"),
        "{}",
        ran.err
    );
}

#[test]
fn a_secret_of_the_folder_is_merged_into_and_not_taken_over() {
    let folder = Folder::sound();
    let merging = OBJECT.replace("spec:", "spec:\n  target: {creationPolicy: Merge}");
    folder.write("manifests/database.yaml", &merging);
    folder.write(
        "manifests/existing.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: database}\nstringData: {own: canary-own}\n",
    );

    let ran = folder.run(&[]);

    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("own (10 B), user (10 B)"), "{}", ran.out);
    assert_no_values(&ran.out);
}

#[test]
fn two_objects_with_one_target_fail_the_second_owner() {
    let folder = Folder::sound();
    let second = OBJECT
        .replace("name: database", "name: other")
        .replace("spec:", "spec:\n  target: {name: database}");
    folder.write("manifests/other.yaml", &second);

    let ran = folder.run(&[]);

    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("owned by another ExternalSecret"),
        "{}",
        ran.err
    );
}

#[test]
fn a_store_of_another_class_is_left_alone() {
    let folder = Folder::sound();
    folder.write(
        "manifests/store.yaml",
        &STORE.replace("spec:", "spec:\n  controller: blue"),
    );

    let left = folder.run(&[]);
    let taken = folder.run(&["--controller-class", "blue"]);

    assert_eq!(left.code, 0, "{}", left.err);
    assert!(
        left.out
            .contains("left alone: ExternalSecret default/database"),
        "{}",
        left.out
    );
    assert_eq!(line(&taken.out, "default database SecretStore")[6], "True");
}

#[test]
fn generators_of_the_folder_make_values() {
    let generator = "\
apiVersion: generators.external-secrets.io/v1alpha1
kind: Password
metadata: {name: strong}
spec: {length: 24, digits: 5, symbols: 2, noUpper: false, allowRepeat: true}
";
    let object = "\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: made}
spec:
  dataFrom:
    - sourceRef:
        generatorRef:
          apiVersion: generators.external-secrets.io/v1alpha1
          kind: Password
          name: strong
";
    let folder = Folder::with(&[("manifests/a.yaml", &format!("{generator}---\n{object}"))]);

    let ran = folder.run(&[]);

    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("password (24 B)"), "{}", ran.out);
}

#[test]
fn a_generator_that_is_not_there_is_named() {
    let object = "\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: made}
spec:
  dataFrom:
    - sourceRef: {generatorRef: {kind: UUID, name: gone}}
";
    let folder = Folder::with(&[("manifests/a.yaml", object)]);

    let ran = folder.run(&[]);

    assert_eq!(ran.code, 1);
    assert!(
        ran.err
            .contains("UUID \"gone\" not found; add its manifest"),
        "{}",
        ran.err
    );
}
