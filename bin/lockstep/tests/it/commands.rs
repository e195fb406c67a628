//! The command line as a whole: versions, help, exit codes, and output that ends early.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::folder::{Folder, OBJECT, STORE};

fn lockstep(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(words)
        .env("KUBECONFIG", "/no/such/file")
        .env_remove("KUBERNETES_SERVICE_HOST")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_version_names_commit_and_providers() {
    let short = text(&lockstep(&["-V"]).stdout);
    let long = text(&lockstep(&["--version"]).stdout);

    assert!(
        short.starts_with(concat!("lockstep ", env!("CARGO_PKG_VERSION"), " (")),
        "{short}"
    );
    for line in ["commit:", "features:", "providers:", "generators:"] {
        assert!(long.contains(line), "{long}");
    }
    assert!(long.contains("fake"), "{long}");
}

#[test]
fn wrong_flags_of_every_command_end_with_the_same_code() {
    for words in [
        &["--no-such-flag"][..],
        &["local", "--no-such-flag"],
        &["crds", "--kind", "Nothing"],
        &["check"],
        #[cfg(feature = "cluster")]
        &["--loglevel=loud"],
        #[cfg(feature = "cluster")]
        &["--metrics-auth"],
        #[cfg(feature = "cluster")]
        &["webhook", "--loglevel=loud"],
    ] {
        assert_eq!(lockstep(words).status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn a_reader_of_crds_that_has_seen_enough_is_no_failure() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    let mut child = command
        .arg("crds")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());

    let output = child.wait_with_output().unwrap();

    assert!(output.status.success());
    assert_eq!(text(&output.stderr), "");
}

#[cfg(feature = "cluster")]
#[test]
fn flags_without_effect_stand_in_a_section_of_their_own() {
    let help = text(&lockstep(&["--help"]).stdout);
    let short = text(&lockstep(&["-h"]).stdout);
    let heading = "Accepted for existing Deployments, without effect:";

    let (before, after) = help.split_once(heading).unwrap();
    assert!(!before.contains("--enable-http2") && after.contains("--enable-http2"));
    assert!(before.contains("--concurrent") || after.contains("--concurrent"));
    assert!(!before.contains("No effect:"), "{before}");
    assert!(!short.contains("--enable-http2"), "{short}");
}

#[cfg(feature = "cluster")]
#[test]
fn without_a_cluster_one_sentence_says_what_to_do() {
    let output = lockstep(&[]);
    let told = text(&output.stderr);
    let error = told
        .lines()
        .find(|line| line.starts_with("error: "))
        .unwrap();

    assert!(error.contains("no cluster to connect to"), "{told}");
    assert!(error.contains("/no/such/file"), "{told}");
    assert!(
        error.ends_with("or run `lockstep local DIR`, which needs no cluster"),
        "{told}"
    );
    assert_eq!(error.matches("No such file").count(), 1, "{told}");
}

#[test]
fn json_faults_say_json_with_their_line() {
    let folder = Folder::sound();
    folder.write(
        "manifests/zz.json",
        "{\"apiVersion\": \"v1\",\n \"kind\": \"Secret\"\n \"metadata\": {}\n}\n",
    );

    let ran = folder.run(&[]);

    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("zz.json:3 (document 1): not valid JSON: "),
        "{}",
        ran.err
    );
}

#[test]
fn kustomizations_values_and_chart_templates_are_skipped() {
    let folder = Folder::sound();
    folder.write("manifests/kustomization.yaml", "resources: [store.yaml]\n");
    folder.write(
        "manifests/chart/Chart.yaml",
        "apiVersion: v2\nname: c\nversion: 1.0.0\n",
    );
    folder.write("manifests/chart/values.yaml", "image: {tag: x}\n");
    folder.write(
        "manifests/chart/templates/a.yaml",
        "{{ if .Values.x }}\na: b\n{{ end }}\n",
    );

    let ran = folder.run(&[]);

    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.err, "");
    assert!(!ran.out.contains("skipped"), "{}", ran.out);
}

#[test]
fn a_check_reads_standard_input_and_ends_with_its_verdict() {
    let check = |input: &str, words: &[&str]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .arg("check")
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        child.wait_with_output().unwrap()
    };
    let good = format!("{STORE}---\n{OBJECT}");
    let bad = good.replace("    fake:", "    onepasswordSDK:");

    let passed = check(&good, &["-"]);
    let refused = check(&bad, &["-", "--output", "json"]);
    let nothing = check("kind: Pod\napiVersion: v1\n", &["-"]);

    assert_eq!(passed.status.code(), Some(0), "{}", text(&passed.stdout));
    assert!(text(&passed.stdout).contains("this build can take over"));
    assert_eq!(refused.status.code(), Some(1));
    let document: serde_json::Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(document["served"], false);
    assert!(!text(&refused.stdout).contains("canary"));
    assert_eq!(nothing.status.code(), Some(2));
    assert!(text(&nothing.stderr).contains("nothing to check"));
}

#[test]
fn a_check_of_a_folder_counts_what_is_below_it() {
    let folder = Folder::sound();

    let output = lockstep(&["check", folder.path("manifests").to_str().unwrap()]);

    assert_eq!(output.status.code(), Some(0));
    let table = text(&output.stdout);
    assert!(
        table.contains("provider   fake") && table.contains("kind       ExternalSecret"),
        "{table}"
    );
}
