use super::*;

const GOOD: &str = r"
apiVersion: lockstep/v1
kind: BackendSecrets
secrets:
- name: app/db
  description: database account
  fields:
  - name: user
    description: who
    from: {env: DB_USER}
  - name: password
    from:
      generator: {kind: Password, spec: {length: 24}}
  extraFields: remove
  metadata: {tags: {team: a}}
- name: app/key
  value: {file: key.pem, trim: true}
";

fn faults(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secrets.yaml");
    std::fs::write(&file, text).unwrap();
    let shown = format!("{}:", file.display());
    let faults = read(&[file]).unwrap_err();
    faults
        .iter()
        .map(|fault| fault.replace(&shown, ""))
        .collect()
}

#[test]
fn entries_have_documented_fields_and_sources() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secrets.yaml");
    std::fs::write(&file, GOOD).unwrap();

    let entries = read(&[file]).unwrap();

    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].description.as_deref(), Some("database account"));
    let Content::Fields { fields, extra } = &entries[0].content else {
        panic!("{entries:?}");
    };
    assert_eq!(*extra, ExtraFields::Remove);
    assert_eq!(fields[0].source, Source::Env("DB_USER".to_owned()));
    assert_eq!(fields[0].description.as_deref(), Some("who"));
    let Content::Whole(Source::File { path, trim }) = &entries[1].content else {
        panic!("{entries:?}");
    };
    assert!(*trim && path.starts_with(folder.path()));
}

#[test]
fn a_value_in_the_manifest_is_refused_without_repeating_it() {
    for wrong in [
        "value: canary-1",
        "value: {env: [canary-1]}",
        "fields: [{name: a, from: canary-1}]",
        "fields: [{name: a, from: {file: {x: canary-1}}}]",
        "value: {env: A}, extraFields: canary-1",
    ] {
        let text = format!(
            "apiVersion: lockstep/v1\nkind: BackendSecrets\nsecrets:\n- {{name: a, {wrong}}}\n"
        );

        let faults = faults(&text);

        assert_eq!(faults.len(), 1, "{wrong}");
        assert!(!faults[0].contains("canary"), "{faults:?}");
    }
}

#[test]
fn a_wrong_field_is_named_with_what_was_meant() {
    let text = GOOD.replace("extraFields", "extrafields");

    let faults = faults(&text);

    assert!(
        faults[0].ends_with("secrets[0] has no field \"extrafields\"; did you mean extraFields?"),
        "{faults:?}"
    );
}

#[test]
fn the_same_name_twice_is_a_fault() {
    let text = GOOD.replace("app/key", "app/db");

    assert_eq!(
        faults(&text),
        ["\"app/db\" is desired twice; keep one entry"]
    );
}

#[test]
fn another_kind_is_refused() {
    let text = GOOD.replace("BackendSecrets", "Secret");

    assert!(faults(&text)[0].ends_with("kind must be \"BackendSecrets\""));
}
