//! What the commands print, as a whole: each output is compared with a file in `snapshots`. To accept a
//! change, run the test with `INSTA_UPDATE=always` and review the diff.

use std::process::Command;

use crate::folder::{Folder, OBJECT, STORE};

/// Runs a command in a folder and returns its exit code and both outputs.
fn printed(folder: &Folder, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .current_dir(folder.path("."))
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .env_remove("KUBECONFIG")
        .args(arguments)
        .output()
        .unwrap();
    format!(
        "$ lockstep {}\nexit code {}\n--- stdout\n{}--- stderr\n{}",
        arguments.join(" "),
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    )
}

#[test]
fn local_lists_what_it_wrote() {
    let folder = Folder::sound();

    insta::assert_snapshot!(printed(&folder, &["local", "manifests"]));
}

#[test]
fn local_names_the_place_of_a_fault_and_goes_on() {
    let folder = Folder::sound();
    let misspelt = OBJECT
        .replace("name: database", "name: second")
        .replace("secretStoreRef", "secretStoreRefs");
    let missing = OBJECT
        .replace("name: database", "name: third")
        .replace("key: user", "key: usr");
    folder.write("manifests/second.yaml", &misspelt);
    folder.write("manifests/third.yaml", &missing);

    insta::assert_snapshot!(printed(&folder, &["local", "manifests"]));
}

/// Renders an object whose remote secret is `canary-bob`.
fn rendered(object: &str) -> String {
    let folder = Folder::with(&[("es.yaml", object), ("remote.yaml", "user: canary-bob\n")]);
    let text = printed(
        &folder,
        &["render", "-f", "es.yaml", "--remote", "remote.yaml"],
    );
    assert!(!text.contains("canary"));
    text
}

#[test]
fn render_masks_values() {
    insta::assert_snapshot!(rendered(OBJECT));
}

#[test]
fn render_points_at_a_misspelt_function() {
    let template = OBJECT.replace(
        "  data:\n",
        "  target:\n    template:\n      data:\n        dsn: '{{ .user | uper }}'\n  data:\n",
    );

    insta::assert_snapshot!(rendered(&template));
}

#[test]
fn check_counts_kinds_and_providers() {
    let folder = Folder::with(&[("all.yaml", &format!("{STORE}---\n{OBJECT}"))]);

    insta::assert_snapshot!(printed(&folder, &["check", "all.yaml"]));
}

#[test]
fn check_prints_json() {
    let folder = Folder::with(&[("all.yaml", &format!("{STORE}---\n{OBJECT}"))]);

    insta::assert_snapshot!(printed(&folder, &["check", "all.yaml", "--output", "json"]));
}

#[test]
fn help_of_each_command_teaches() {
    let folder = Folder::with(&[]);

    for command in ["local", "render", "check", "crds"] {
        let name = format!("help_{command}");
        insta::assert_snapshot!(name, printed(&folder, &[command, "--help"]));
    }
}
