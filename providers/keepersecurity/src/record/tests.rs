use super::*;

const RECORD: &str = r#"{
    "title": "db", "type": "login", "notes": "n",
    "fields": [
        {"type": "login", "value": ["u<1>"]},
        {"type": "password", "label": "pass", "value": ["p1"]},
        {"type": "url", "value": []},
        {"type": "oneTimeCode", "value": ["otpauth://x"]},
        {"type": "host", "value": [{"port": "5432", "hostName": "h"}]},
        {"type": "phone", "value": ["1", 2]}
    ],
    "custom": [{"type": "text", "label": "note", "value": [1.50]}]
}"#;

fn secret(record: &str, files: Vec<File>) -> Result<Secret> {
    let envelope = Envelope {
        record: record.to_owned(),
        files,
    };
    Secret::new(&envelope.to_value().unwrap())
}

fn file(title: &str, content: std::result::Result<&[u8], &str>) -> File {
    File {
        title: title.to_owned(),
        content: content.map(crypto::encode).map_err(str::to_owned),
    }
}

fn property(name: &str) -> Option<String> {
    let secret = secret(RECORD, vec![file("key.pem", Ok(b"PEM"))]).unwrap();
    let value = secret.property(name).ok()?;
    Some(value.expose_utf8().unwrap().to_owned())
}

#[test]
fn the_whole_record_is_gos_json() {
    let short = r#"{"title":"t","type":"login","fields":[{"type":"login","value":["a<b"]},{"type":"x","label":"l"}],"more":1}"#;

    let whole = secret(short, vec![file("f", Ok(b"c"))])
        .unwrap()
        .whole()
        .unwrap();

    let want = r#"{"title":"t","type":"login","fields":[{"type":"login","value":["a\u003cb"]},{"type":"x","label":"l","value":null}],"custom":null,"files":[{"type":"f","content":"c"}]}"#;
    assert_eq!(whole, want.into());
    let bare = secret(r#"{"title":"t","type":"x","custom":[]}"#, Vec::new()).unwrap();
    let want = r#"{"title":"t","type":"x","fields":null,"custom":[],"files":null}"#;
    assert_eq!(bare.whole().unwrap(), want.into());
}

#[test]
fn a_property_is_a_label_or_a_type_then_a_custom_label_then_a_file() {
    assert_eq!(property("login").unwrap(), "u<1>");
    assert_eq!(property("pass").unwrap(), "p1");
    assert_eq!(property("password"), None);
    assert_eq!(
        property("host").unwrap(),
        r#"{"hostName":"h","port":"5432"}"#
    );
    assert_eq!(property("phone").unwrap(), r#"["1",2]"#);
    assert_eq!(property("note").unwrap(), "1.5");
    assert_eq!(property("key.pem").unwrap(), "PEM");
}

#[test]
fn one_time_codes_and_empty_fields_are_no_property() {
    assert_eq!(property("oneTimeCode"), None);
    assert_eq!(property("url"), None);
    let error = secret(RECORD, Vec::new())
        .unwrap()
        .property("x")
        .unwrap_err();
    assert!(!error.consequence().absent);
    assert_eq!(
        error.to_string(),
        "invalid Property. Secret db does not have any key matching x"
    );
}

#[test]
fn a_map_has_all_names_that_have_values() {
    let map = secret(RECORD, vec![file("f", Ok(&[0xff]))])
        .unwrap()
        .members()
        .unwrap();

    let names: Vec<&str> = map.keys().collect();
    assert_eq!(
        names,
        ["f", "host", "login", "note", "oneTimeCode", "pass", "phone"]
    );
    assert_eq!(map.get("f").unwrap().expose(), [0xff]);
    let empty = secret(r#"{"title":"t"}"#, Vec::new()).unwrap().members();
    assert!(
        empty
            .unwrap_err()
            .to_string()
            .contains("any valid field/file")
    );
}

#[test]
fn two_fields_of_one_name_are_refused() {
    let record =
        r#"{"title":"t","fields":[{"type":"a","value":["hunter2"]}],"custom":[{"label":"a"}]}"#;

    let text = secret(record, vec![file("a", Ok(b""))])
        .err()
        .unwrap()
        .to_string();

    assert_eq!(text, "invalid Secret. Following keys are duplicated a");
}

#[test]
fn a_file_that_could_not_be_loaded_fails_only_who_wants_it() {
    let secret = secret(RECORD, vec![file("f", Err("503"))]).unwrap();

    assert!(secret.property("login").is_ok());
    let error = secret.property("f").unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Unreachable);
    assert!(secret.whole().is_err() && secret.members().is_err());
}

#[test]
fn what_is_no_record_is_refused_without_showing_it() {
    for record in [
        "hunter2",
        r#"["hunter2"]"#,
        r#"{"fields":"hunter2"}"#,
        r#"{"fields":[{"value":"hunter2"}]}"#,
    ] {
        let text = secret(record, Vec::new()).err().unwrap().to_string();
        assert!(
            text.starts_with("invalid secret. Invalid format: "),
            "{text}"
        );
        assert!(!text.contains("hunter2"), "{text}");
    }
}
