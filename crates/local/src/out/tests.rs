use std::os::unix::fs::PermissionsExt;

use k8s_openapi::ByteString;

use super::*;

fn secret(name: &str, data: &[(&str, &str)]) -> (Name, Secret) {
    let data = data
        .iter()
        .map(|(key, text)| ((*key).to_owned(), ByteString(text.as_bytes().to_vec())));
    let mut secret = Secret {
        data: Some(data.collect()),
        ..Secret::default()
    };
    secret.metadata.name = Some(name.to_owned());
    secret.metadata.namespace = Some("ns".to_owned());
    (Name::new("ns", name), secret)
}

fn view(secrets: impl IntoIterator<Item = (Name, Secret)>, claimed: &[&str]) -> View {
    let secrets: BTreeMap<Name, Secret> = secrets.into_iter().collect();
    let mut claims: BTreeSet<Name> = secrets.keys().cloned().collect();
    claims.extend(claimed.iter().map(|name| Name::new("ns", *name)));
    View {
        stores: Vec::new(),
        objects: Vec::new(),
        secrets,
        claimed: claims,
    }
}

fn read(folder: &Path, path: &str) -> Option<String> {
    std::fs::read_to_string(folder.join(path)).ok()
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn a_file_a_key_is_readable_by_its_owner_only() {
    let folder = tempfile::tempdir().unwrap();
    let out = Out::new(folder.path().join("out"), Format::Files);

    out.sync(&view([secret("db", &[("user", "bob")])], &[]), true)
        .unwrap();

    let file = folder.path().join("out/ns/db/user");
    assert_eq!(std::fs::read(&file).unwrap(), b"bob");
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    assert_eq!(mode(out.folder()), 0o700);
}

#[test]
fn a_key_that_is_gone_takes_its_file_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = Out::new(folder.path().to_owned(), Format::Files);
    out.sync(&view([secret("db", &[("a", "1"), ("b", "2")])], &[]), true)
        .unwrap();

    let written = out
        .sync(&view([secret("db", &[("a", "1")])], &[]), true)
        .unwrap();

    assert_eq!(written.removed, ["ns/db/b"]);
    assert!(written.changed.is_empty());
    assert_eq!(read(folder.path(), "ns/db/b"), None);
    assert_eq!(read(folder.path(), "ns/db/a").as_deref(), Some("1"));
}

#[test]
fn a_secret_nobody_claims_goes_and_foreign_files_stay() {
    let folder = tempfile::tempdir().unwrap();
    let out = Out::new(folder.path().to_owned(), Format::Files);
    out.sync(&view([secret("db", &[("a", "1")])], &[]), true)
        .unwrap();
    std::fs::write(folder.path().join("ns/db/own"), "kept").unwrap();

    out.sync(&view([], &[]), true).unwrap();

    assert_eq!(read(folder.path(), "ns/db/a"), None);
    assert_eq!(read(folder.path(), "ns/db/own").as_deref(), Some("kept"));
}

#[test]
fn a_secret_that_could_not_be_fetched_keeps_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let out = Out::new(folder.path().to_owned(), Format::Files);
    out.sync(&view([secret("db", &[("a", "1")])], &[]), true)
        .unwrap();

    out.sync(&view([], &["db"]), true).unwrap();
    out.sync(&view([], &[]), false).unwrap();

    assert_eq!(read(folder.path(), "ns/db/a").as_deref(), Some("1"));
}

#[test]
fn a_file_of_somebody_else_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("ns")).unwrap();
    std::fs::write(folder.path().join("ns/db.yaml"), "theirs").unwrap();
    let out = Out::new(folder.path().to_owned(), Format::Yaml);

    for _ in 0..2 {
        let written = out
            .sync(&view([secret("db", &[("a", "1")])], &[]), true)
            .unwrap();

        assert!(
            written.failures[0]
                .1
                .contains("was not written by lockstep")
        );
    }
    assert_eq!(read(folder.path(), "ns/db.yaml").as_deref(), Some("theirs"));
}

#[test]
fn another_format_replaces_the_files_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = || view([secret("db", &[("a", "1")])], &[]);
    Out::new(folder.path().to_owned(), Format::Files)
        .sync(&secrets(), true)
        .unwrap();

    Out::new(folder.path().to_owned(), Format::Env)
        .sync(&secrets(), true)
        .unwrap();

    assert_eq!(read(folder.path(), "ns/db/a"), None);
    assert_eq!(read(folder.path(), "ns/db.env").as_deref(), Some("a=1\n"));
}

#[test]
fn a_manifest_reads_back_as_the_same_data() {
    let folder = tempfile::tempdir().unwrap();
    let out = Out::new(folder.path().to_owned(), Format::Yaml);
    let (name, mut given) = secret("db", &[("a", "\u{fffd}"), ("123", "x"), ("true", "b6e")]);
    given.metadata.labels = Some([("answer".to_owned(), "yes".to_owned())].into());

    out.sync(&view([(name, given.clone())], &[]), true).unwrap();

    let text = read(folder.path(), "ns/db.yaml").unwrap();
    let back: Secret = serde_saphyr::from_str(&text).unwrap();
    assert_eq!(back.data, given.data);
    assert_eq!(back.metadata.labels, given.metadata.labels);
    assert!(text.contains("'yes'") || text.contains("\"yes\""), "{text}");
}

#[test]
fn a_ledger_cannot_point_outside_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let outside = folder.path().join("outside");
    std::fs::write(&outside, "kept").unwrap();
    let inside = folder.path().join("out");
    std::fs::create_dir(&inside).unwrap();
    let ledger = r#"{"files": {"../outside": {"namespace": "ns", "name": "db"}}}"#;
    std::fs::write(inside.join(".lockstep.json"), ledger).unwrap();

    Out::new(inside, Format::Yaml)
        .sync(&view([], &[]), true)
        .unwrap();

    assert!(outside.exists());
}
