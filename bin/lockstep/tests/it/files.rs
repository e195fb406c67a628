//! Secrets as files.

use crate::folder::{Folder, OBJECT, assert_no_values, mode};

const WHOLE: &str = "\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: settings
spec:
  secretStoreRef:
    name: demo
  dataFrom:
    - extract:
        key: config
";

#[test]
fn manifests_are_written_without_what_only_a_cluster_knows() {
    let folder = Folder::sound();

    let ran = folder.run(&["--out", "out"]);

    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("wrote out/default/database.yaml"),
        "{}",
        ran.out
    );
    let text = folder.read("out/default/database.yaml").unwrap();
    let secret: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
    assert_eq!(secret["data"]["user"], "Y2FuYXJ5LWJvYg==");
    assert_eq!(secret["type"], "Opaque");
    for field in ["ownerReferences", "uid", "resourceVersion", "managedFields"] {
        assert!(secret["metadata"].get(field).is_none(), "{field}");
    }
    assert_eq!(mode(&folder.path("out/default/database.yaml")), 0o600);
    assert_eq!(mode(&folder.path("out/default")), 0o700);
    assert_no_values(&ran.out);
}

#[test]
fn env_files_are_what_a_shell_reads() {
    let folder = Folder::sound();
    folder.write("manifests/settings.yaml", WHOLE);

    folder.run(&["--out", "out", "--format", "env"]);

    let sourced = std::process::Command::new("sh")
        .args([
            "-c",
            ". ./out/default/settings.env && printf '%s %s' \"$host\" \"$api_key\"",
        ])
        .current_dir(folder.path("."))
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(sourced.stdout).unwrap(),
        "canary-host canary-key"
    );
}

#[test]
fn one_file_a_key_holds_the_bare_value() {
    let folder = Folder::sound();

    folder.run(&["--out", "out", "--format", "files"]);

    assert_eq!(
        folder.read("out/default/database/user").as_deref(),
        Some("canary-bob")
    );
    assert_eq!(mode(&folder.path("out/default/database/user")), 0o600);
}

#[test]
fn what_is_no_longer_wanted_goes_and_what_is_foreign_stays() {
    let folder = Folder::sound();
    folder.run(&["--out", "out", "--format", "files"]);
    folder.write("out/default/database/theirs", "kept");
    folder.write(
        "manifests/database.yaml",
        &OBJECT.replace("secretKey: user", "secretKey: login"),
    );

    let ran = folder.run(&["--out", "out", "--format", "files"]);

    assert!(
        ran.out.contains("removed out/default/database/user"),
        "{}",
        ran.out
    );
    assert_eq!(folder.read("out/default/database/user"), None);
    assert_eq!(
        folder.read("out/default/database/login").as_deref(),
        Some("canary-bob")
    );
    assert_eq!(
        folder.read("out/default/database/theirs").as_deref(),
        Some("kept")
    );
}

#[test]
fn a_failure_keeps_what_an_earlier_run_wrote() {
    let folder = Folder::sound();
    folder.run(&["--out", "out"]);
    folder.write(
        "manifests/database.yaml",
        &OBJECT.replace("key: user", "key: gone"),
    );
    assert_eq!(folder.run(&["--out", "out"]).code, 1);
    folder.write("manifests/database.yaml", "kind: [");

    assert_eq!(folder.run(&["--out", "out"]).code, 1);

    assert!(folder.read("out/default/database.yaml").is_some());
}

#[test]
fn a_deleted_manifest_takes_its_secret_with_it() {
    let folder = Folder::sound();
    folder.run(&["--out", "out"]);
    std::fs::remove_file(folder.path("manifests/database.yaml")).unwrap();

    folder.run(&["--out", "out"]);

    assert_eq!(folder.read("out/default/database.yaml"), None);
}

#[test]
fn a_foreign_file_in_the_way_is_an_error_and_stays() {
    let folder = Folder::sound();
    folder.write("out/default/database.yaml", "theirs");

    let ran = folder.run(&["--out", "out"]);

    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("was not written by lockstep"),
        "{}",
        ran.err
    );
    assert_eq!(
        folder.read("out/default/database.yaml").as_deref(),
        Some("theirs")
    );
}

#[test]
fn output_below_the_manifests_is_not_read_back() {
    let folder = Folder::sound();
    folder.run(&["--out", "manifests/out"]);

    let ran = folder.run(&["--out", "manifests/out", "-v"]);

    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.out.contains("skipped"), "{}", ran.out);
}
