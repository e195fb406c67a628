//! Manifests with faults: each is named with its place, object, field and remedy, and the others
//! go on.

use crate::folder::{Folder, OBJECT, STORE, assert_no_values};

/// Runs over a sound folder with one more file, and returns what failed.
fn failures(text: &str) -> String {
    let folder = Folder::sound();
    folder.write("manifests/zz.yaml", text);
    let ran = folder.run(&[]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.out.contains("SecretSynced "),
        "the sound object must go on: {}",
        ran.out
    );
    assert_no_values(&ran.out);
    assert_no_values(&ran.err);
    ran.err
}

fn assert_says(err: &str, text: &str) {
    assert!(err.contains(text), "wanted {text:?} in:\n{err}");
}

#[test]
fn yaml_that_cannot_be_parsed_is_named_with_its_line() {
    let err = failures("kind: ExternalSecret\nmetadata:\n  name: \"canary-x\n  other: [\n");

    assert_says(&err, "zz.yaml:");
    assert_says(&err, "(document 1): not valid YAML");
}

#[test]
fn a_broken_document_leaves_the_others_of_its_file() {
    let other = OBJECT.replace("name: database", "name: second");
    let folder = Folder::with(&[
        ("manifests/store.yaml", STORE),
        (
            "manifests/a.yaml",
            &format!("{OBJECT}---\nkind: [\n---\n{other}"),
        ),
    ]);

    let ran = folder.run(&[]);

    assert_eq!(ran.code, 1);
    assert_says(&ran.err, "a.yaml:");
    assert_says(&ran.err, "(document 2): not valid YAML");
    assert_eq!(ran.out.matches("SecretSynced ").count(), 2, "{}", ran.out);
}

#[test]
fn unknown_fields_get_the_word_that_was_meant() {
    let text = OBJECT
        .replace("name: database", "name: x")
        .replace("refreshInterval", "refreshIntervall");

    let err = failures(&text);

    assert_says(
        &err,
        "zz.yaml:6 (document 1): ExternalSecret default/x: spec.refreshIntervall: unknown field; \
         did you mean \"refreshInterval\"?",
    );
}

#[test]
fn a_value_of_the_wrong_type_is_not_shown() {
    let text = STORE
        .replace("name: demo", "name: x")
        .replace("value: canary-bob", "value: [canary]");

    assert_says(
        &failures(&text),
        "spec.provider.fake.data[0].value: must be a string, but is a list",
    );
}

#[test]
fn an_unknown_provider_is_named() {
    let text = STORE
        .replace("name: demo", "name: x")
        .replace("fake:", "fakee:");

    assert_says(
        &failures(&text),
        "spec.provider.fakee: unknown field; did you mean \"fake\"?",
    );
}

#[test]
fn a_provider_outside_this_build_says_so() {
    let text = "
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: x}
spec: {provider: {onepasswordSDK: {vault: v}}}
";

    let err = failures(text);

    assert_says(&err, "SecretStore default/x");
    assert_says(&err, "provider \"onepasswordSDK\" is not in this build");
    assert_says(&err, "hint: providers of this build: ");
}

#[test]
fn two_providers_in_a_store_are_refused() {
    let text = STORE.replace("name: demo", "name: x").replace(
        "    fake:",
        "    aws: {region: eu-west-1, service: SecretsManager}\n    fake:",
    );

    assert_says(
        &failures(&text),
        "spec.provider: names 2 providers (aws, fake); keep exactly one",
    );
}

#[test]
fn the_same_object_twice_names_both_places() {
    assert_says(
        &failures(OBJECT),
        "zz.yaml:4 (document 1): ExternalSecret default/database: metadata.name: the same object \
         is also in database.yaml:1 (document 1)",
    );
}

#[test]
fn a_reference_to_no_store_gets_a_hint() {
    let text = OBJECT
        .replace("name: database", "name: x")
        .replace("name: demo", "name: dmeo");

    let err = failures(&text);

    assert_says(&err, "SecretStore.external-secrets.io \"dmeo\" not found");
    assert_says(&err, "hint: did you mean \"demo\"?");
}

#[test]
fn a_reference_to_a_store_with_a_fault_points_at_the_fault() {
    let store = STORE
        .replace("name: demo", "name: x")
        .replace("fake:", "fakee:");
    let object = OBJECT
        .replace("name: database", "name: user")
        .replace("name: demo", "name: x");

    assert_says(
        &failures(&format!("{store}---\n{object}")),
        "hint: the manifest of SecretStore \"x\" has a fault; fix it first",
    );
}

#[test]
fn a_secret_that_is_not_base64_shows_no_value() {
    let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {password: canary!}\n";

    assert_says(
        &failures(text),
        "data.password: is not base64; encode it, or put plain text under stringData",
    );
}

#[test]
fn names_that_would_leave_the_folder_are_refused() {
    let text = OBJECT.replace("name: database", "name: ../../etc");

    assert_says(
        &failures(&text),
        "metadata.name: is not a valid object name",
    );
}

#[test]
fn a_target_that_would_leave_the_folder_is_refused() {
    let folder = Folder::sound();
    let text = OBJECT
        .replace("name: database", "name: x")
        .replace("spec:", "spec:\n  target: {name: ../../x}");
    folder.write("manifests/zz.yaml", &text);

    let ran = folder.run(&["--out", "out"]);

    assert_eq!(ran.code, 1);
    assert_says(&ran.err, "metadata.name: not a valid object name");
}
