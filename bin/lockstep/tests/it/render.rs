//! `lockstep render`: the Secret that is printed, masks, forms, and faults with their place.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::folder::{Folder, Ran, assert_no_values};

const OBJECT: &str = "\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: database
spec:
  secretStoreRef: {name: vault}
  target:
    template:
      metadata:
        annotations: {fixed: text, made: '{{ .user }}'}
      data:
        dsn: '{{ .user }}:{{ .password }}'
        conf: |
          [db]
          user = {{ .user }}
  data:
    - secretKey: user
      remoteRef: {key: config, property: user}
    - secretKey: password
      remoteRef:
        key: password
";

const REMOTE: &str = "\
password: canary-pass
config: {user: canary-bob}
";

fn files() -> Folder {
    Folder::with(&[("es.yaml", OBJECT), ("remote.yaml", REMOTE)])
}

fn with(object: &str) -> Folder {
    Folder::with(&[("es.yaml", object), ("remote.yaml", REMOTE)])
}

fn render(folder: &Folder, arguments: &[&str]) -> Ran {
    let base = ["-f", "es.yaml", "--remote", "remote.yaml"];
    run(folder, &[base.as_slice(), arguments].concat(), "")
}

fn run(folder: &Folder, arguments: &[&str], input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .current_dir(folder.path("."))
        .arg("render")
        .args(arguments)
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
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn the_secret_is_printed_with_masked_values() {
    let ran = render(&files(), &[]);

    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("name: 'database'"), "{}", ran.out);
    assert!(ran.out.contains("  'dsn': '*** (22 B)'"), "{}", ran.out);
    assert!(ran.out.contains("    fixed: 'text'"), "{}", ran.out);
    assert!(ran.out.contains("    made: '***'"), "{}", ran.out);
    assert_no_values(&ran.out);
}

#[test]
fn values_are_shown_when_revealed() {
    let ran = render(&files(), &["--reveal", "-o", "json"]);

    let secret: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(secret["kind"], "Secret");
    assert_eq!(secret["data"]["dsn"], "Y2FuYXJ5LWJvYjpjYW5hcnktcGFzcw==");
    assert_eq!(secret["metadata"]["annotations"]["made"], "canary-bob");
    let yaml = render(&files(), &["--reveal"]).out;
    assert!(yaml.contains("'Y2FuYXJ5LWJvYjpjYW5hcnktcGFzcw==' # \"canary-bob:canary-pass\""));
}

#[test]
fn variables_are_masked_too() {
    let masked = render(&files(), &["--output", "env"]);
    let revealed = render(&files(), &["--output", "env", "--reveal"]);

    assert_eq!(masked.out, "conf='***'\ndsn='***'\n");
    assert!(
        revealed.out.ends_with("dsn=canary-bob:canary-pass\n"),
        "{}",
        revealed.out
    );
}

#[test]
fn standard_input_may_be_either_file() {
    let folder = files();

    let object = run(&folder, &["-f", "-", "--remote", "remote.yaml"], OBJECT);
    let remote = run(&folder, &["-f", "es.yaml", "--remote", "-"], REMOTE);
    let both = run(&folder, &["-f", "-", "--remote", "-"], REMOTE);

    assert_eq!((object.code, remote.code, both.code), (0, 0, 2));
    assert_eq!(object.out, remote.out);
    assert!(both.err.contains("one file only"), "{}", both.err);
}

#[test]
fn a_missing_key_in_a_template_is_shown_with_a_caret() {
    let ran = render(&with(&OBJECT.replace(".password }}", ".pasword }}")), &[]);

    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    let expected = "\
error: es.yaml:12:30: spec.target.template.data.dsn: map has no entry for key \"pasword\"
   |
12 |         dsn: '{{ .user }}:{{ .pasword }}'
   |                              ^
hint: did you mean \"password\"?
in a cluster: could not update secret: Template: ";
    assert!(ran.err.starts_with(expected), "{}", ran.err);
}

#[test]
fn a_place_in_a_block_is_a_place_in_the_file() {
    let ran = render(
        &with(&OBJECT.replace("= {{ .user }}", "= {{ .user | nope }}")),
        &[],
    );

    let expected = "\
error: es.yaml:15:29: spec.target.template.data.conf: function \"nope\" not defined
   |
15 |           user = {{ .user | nope }}
   |                             ^
";
    assert!(ran.err.starts_with(expected), "{}", ran.err);
}

#[test]
fn a_template_that_the_file_writes_otherwise_is_shown_by_itself() {
    let folded = OBJECT
        .replace("conf: |", "conf: >-")
        .replace("{{ .user }}\n  data", "{{ .usr }}\n  data");

    let ran = render(&with(&folded), &[]);

    assert!(
        ran.err.contains("1 | [db] user = {{ .usr }}"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("line 1, column 16 of the template"),
        "{}",
        ran.err
    );
}

#[test]
fn templates_of_config_maps_are_given_and_their_faults_shown() {
    let sources = "templateFrom: [{configMap: {name: texts, items: [{key: app.conf}]}}]";
    let folder = with(&OBJECT.replace(
        "metadata:\n        ann",
        &format!("{sources}\n      metadata:\n        ann"),
    ));
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: texts}\ndata:\n  app.conf: |\n    u={{ .user }}\n";
    folder.write("cm.yaml", map);
    folder.write("bad.yaml", &map.replace(".user", ".usr"));

    let given = render(
        &folder,
        &["--template-from", "cm.yaml", "-o", "env", "--reveal"],
    );
    let bad = render(&folder, &["--template-from", "bad.yaml"]);
    let missing = render(&folder, &[]);

    assert!(
        given.out.contains("app_conf='u=canary-bob\n'"),
        "{}{}",
        given.out,
        given.err
    );
    assert!(
        bad.err
            .starts_with("error: bad.yaml:6:10: ConfigMap texts: data.app.conf: map has no entry"),
        "{}",
        bad.err
    );
    assert!(
        missing.err.contains("configmaps \"texts\" not found"),
        "{}",
        missing.err
    );
    assert!(
        missing
            .err
            .contains("hint: give its manifest with --template-from")
    );
}

#[test]
fn lines_of_secret_templates_are_not_shown() {
    let sources = "templateFrom: [{secret: {name: texts, items: [{key: t}]}}]";
    let folder = with(&OBJECT.replace(
        "metadata:\n        ann",
        &format!("{sources}\n      metadata:\n        ann"),
    ));
    folder.write(
        "s.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: texts}\nstringData: {t: 'canary {{ .no }}'}\n",
    );

    let ran = render(&folder, &["--template-from", "s.yaml"]);

    assert!(ran.err.contains("Secret texts: data.t"), "{}", ran.err);
    assert_no_values(&ran.err);
}

#[test]
fn a_missing_remote_key_points_at_the_reference() {
    let ran = render(
        &with(&OBJECT.replace("key: password", "key: passwrod")),
        &[],
    );

    let expected = "\
error: es.yaml:21:14: spec.data[1].remoteRef.key: Secret does not exist (SecretStore \"vault\")
   |
21 |         key: passwrod
   |              ^
hint: did you mean \"password\"?
in a cluster: could not get secret data from provider: NotFound: spec.data[1] (key: passwrod): SecretStore \"vault\": Secret does not exist; create it, or correct the reference
";
    assert_eq!((ran.code, ran.err.as_str()), (1, expected));
}

#[test]
fn a_fault_of_the_manifest_points_at_the_field() {
    let ran = render(
        &with(&OBJECT.replace("secretKey: user", "secretKye: user")),
        &[],
    );

    assert_eq!(ran.code, 1);
    let expected = "\
error: es.yaml:17:7: spec.data[0].secretKye: unknown field
   |
17 |     - secretKye: user
   |       ^
hint: did you mean \"secretKey\"?
";
    assert!(ran.err.contains(expected), "{}", ran.err);
}

#[test]
fn broken_yaml_has_a_line_and_a_column() {
    let ran = render(
        &with(&OBJECT.replace("property: user}", "property: user")),
        &[],
    );

    assert_eq!(ran.code, 1);
    assert!(ran.err.starts_with("error: es.yaml:19:"), "{}", ran.err);
    assert!(ran.err.contains("not valid YAML"), "{}", ran.err);
    assert!(ran.err.contains(" ^\n"), "{}", ran.err);
}

#[test]
fn lines_of_the_remote_file_are_shown_only_when_revealed() {
    for text in [
        "a: [canary\nb: canary\n",
        "- {key: a, vlaue: canary}\n",
        "a: canary\na: canary\n",
    ] {
        let folder = files();
        folder.write("remote.yaml", text);

        let ran = render(&folder, &[]);

        assert_eq!(ran.code, 1);
        assert!(ran.err.starts_with("error: remote.yaml:"), "{}", ran.err);
        assert_no_values(&ran.err);
        assert!(render(&folder, &["--reveal"]).err.contains(" ^\n"));
    }
}

#[test]
fn nothing_to_write_is_success_with_a_note() {
    let none = render(
        &with(&OBJECT.replace("  target:\n", "  target:\n    creationPolicy: None\n")),
        &[],
    );
    let gone = OBJECT
        .replace("  target:\n", "  target:\n    deletionPolicy: Delete\n")
        .replace("key: config, property: user", "key: x")
        .replace("key: password", "key: nowhere");
    let gone = render(&with(&gone), &[]);

    assert_eq!((none.code, none.out.as_str()), (0, ""));
    assert_eq!(
        none.err,
        "note: nothing is written: creationPolicy is None\n"
    );
    assert_eq!((gone.code, gone.out.as_str()), (0, ""));
    assert!(
        gone.err.contains("note: the Secret is deleted"),
        "{}",
        gone.err
    );
}

#[test]
fn keys_of_a_merge_are_shown_with_a_note() {
    let ran = render(
        &with(&OBJECT.replace("  target:\n", "  target:\n    creationPolicy: Merge\n")),
        &[],
    );

    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("'dsn'"), "{}", ran.out);
    assert!(!ran.out.contains("created-by"), "{}", ran.out);
    assert!(ran.err.contains("which must exist"), "{}", ran.err);
}

#[test]
fn one_of_several_is_chosen_by_name() {
    let two = format!(
        "{OBJECT}---\n{}",
        OBJECT.replace("name: database", "name: other")
    );

    let unnamed = render(&with(&two), &[]);
    let named = render(&with(&two), &["--name", "other"]);

    assert_eq!(unnamed.code, 1);
    assert!(
        unnamed
            .err
            .contains("holds 2 ExternalSecrets: database, other"),
        "{}",
        unnamed.err
    );
    assert!(named.out.contains("name: 'other'"), "{}", named.out);
}

#[test]
fn a_file_that_is_not_there_is_wrong_usage() {
    let ran = run(
        &files(),
        &["-f", "gone.yaml", "--remote", "remote.yaml"],
        "",
    );

    assert_eq!(ran.code, 2);
    assert!(
        ran.err.starts_with("error: gone.yaml cannot be read: "),
        "{}",
        ran.err
    );
}

#[test]
fn generators_are_run_from_their_manifests() {
    let object = "\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: made}
spec:
  dataFrom:
    - sourceRef:
        generatorRef: {apiVersion: generators.external-secrets.io/v1alpha1, kind: Password, name: p}
---
apiVersion: generators.external-secrets.io/v1alpha1
kind: Password
metadata: {name: p}
spec: {length: 12, digits: 2, symbols: 0, noUpper: false, allowRepeat: true}
";

    let ran = render(&with(object), &[]);

    assert!(
        ran.out.contains("'password': '*** (12 B)'"),
        "{}{}",
        ran.out,
        ran.err
    );
}

#[test]
fn a_target_that_is_no_secret_is_shown_as_its_own_kind() {
    let object = OBJECT.replace(
        "  target:\n",
        "  target:\n    manifest: {apiVersion: v1, kind: ConfigMap}\n",
    );

    let masked = render(&with(&object), &[]);
    let revealed = render(&with(&object), &["--reveal", "-o", "json"]);

    assert_eq!((masked.code, masked.err.as_str()), (0, ""));
    assert!(masked.out.contains("kind: 'ConfigMap'"), "{}", masked.out);
    assert!(masked.out.contains("dsn: '***'"), "{}", masked.out);
    assert_no_values(&masked.out);
    let map: serde_json::Value = serde_json::from_str(&revealed.out).unwrap();
    assert_eq!(map["data"]["dsn"], "canary-bob:canary-pass");
    assert_eq!(render(&with(&object), &["-o", "env"]).code, 1);
}
