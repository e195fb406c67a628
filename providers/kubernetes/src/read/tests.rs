use serde_json::json;

use super::*;

fn secret() -> Secret {
    serde_json::from_value(json!({
        "metadata": {
            "name": "remote",
            "labels": { "l": "1", "dotted.io/x": "2" },
            "annotations": { "n": "{\"a\":{\"b\":3},\"ab\":4}" },
        },
        "data": {
            "user": "Ym9i",
            "pass": "czM8Y3JldD4=",
            "file.txt": "ZmlsZQ==",
            "conf": "eyJhIjoidGV4dCIsIm4iOjEsImYiOjEuNTAsInQiOnRydWUsInoiOm51bGwsIm8iOiB7ImIiOjEsImEiOiI8In19",
            "bytes": "/+8AAQ==",
        },
    }))
    .unwrap()
}

fn bare() -> Secret {
    serde_json::from_value(json!({ "metadata": { "name": "remote" } })).unwrap()
}

fn reference(property: &str) -> RemoteRef {
    RemoteRef::key("remote").property(property)
}

fn fetching(property: &str) -> RemoteRef {
    RemoteRef {
        metadata: MetadataPolicy::Fetch,
        ..reference(property)
    }
}

fn text(secret: &Secret, reference: &RemoteRef) -> String {
    let value = value(secret, reference).unwrap();
    value.expose_utf8().unwrap().to_owned()
}

#[test]
fn without_a_property_all_data_comes_as_json() {
    let mut small = secret();
    for key in ["conf", "bytes", "file.txt"] {
        small.data.remove(key);
    }

    assert_eq!(
        text(&small, &RemoteRef::key("remote")),
        r#"{"pass":"s3<cret>","user":"bob"}"#
    );
    assert_eq!(text(&bare(), &RemoteRef::key("remote")), "{}");
}

#[test]
fn a_property_is_a_key_before_it_is_a_path() {
    assert_eq!(text(&secret(), &reference("pass")), "s3<cret>");
    assert_eq!(text(&secret(), &reference("file.txt")), "file");
    assert_eq!(text(&secret(), &reference("conf.a")), "text");
    assert_eq!(text(&secret(), &reference("conf.o.b")), "1");
    assert_eq!(
        text(&secret(), &reference("")),
        text(&secret(), &RemoteRef::key("remote"))
    );
}

#[test]
fn bytes_that_are_no_text_come_unchanged() {
    let value = value(&secret(), &reference("bytes")).unwrap();

    assert_eq!(value.expose(), [0xff, 0xef, 0x00, 0x01]);
}

#[test]
fn a_missing_property_is_named_and_is_not_absence() {
    for property in ["nope", "conf.", ".conf", "conf.nope", "nope.a"] {
        let error = value(&secret(), &reference(property)).unwrap_err();

        assert_eq!(
            error.to_string(),
            format!("property {property} does not exist in data of secret \"remote\"")
        );
        assert!(!error.consequence().absent);
    }
}

#[test]
fn labels_and_annotations_are_read_as_metadata() {
    let mut small = secret();
    small.metadata.labels = Some(Strings::from([("l".to_owned(), "1".to_owned())]));
    small.metadata.annotations = Some(Strings::from([("n".to_owned(), "<2>".to_owned())]));

    assert_eq!(
        text(&small, &fetching("")),
        r#"{"annotations":{"n":"<2>"},"labels":{"l":"1"}}"#
    );
    assert_eq!(text(&small, &fetching("labels")), r#"{"l":"1"}"#);
    assert_eq!(text(&small, &fetching("annotations.n")), "<2>");
    assert_eq!(
        text(&bare(), &fetching("")),
        r#"{"annotations":null,"labels":null}"#
    );
    assert_eq!(text(&bare(), &fetching("labels")), "null");
}

#[test]
fn a_path_into_an_annotation_loses_its_dots_as_upstream_has_it() {
    assert_eq!(text(&secret(), &fetching("annotations.n.ab")), "4");
    assert_eq!(text(&secret(), &fetching("annotations.n.a.b")), "4");
}

#[test]
fn missing_metadata_is_named() {
    for property in [
        "labels.nope",
        "nope",
        "labels.dotted.io/x",
        "annotations.n.x",
    ] {
        let error = value(&secret(), &fetching(property)).unwrap_err();

        assert_eq!(
            error.to_string(),
            format!("property {property} does not exist in metadata of secret \"remote\"")
        );
    }
}

fn members_of(reference: &RemoteRef) -> Vec<(String, String)> {
    let map = map(secret(), reference).unwrap();
    map.iter()
        .map(|(key, value)| (key.to_owned(), value.expose_utf8().unwrap().to_owned()))
        .collect()
}

#[test]
fn a_map_without_a_property_is_the_data() {
    let map = map(secret(), &RemoteRef::key("remote")).unwrap();

    assert_eq!(map, secret().data);
}

#[test]
fn members_of_a_json_key_lose_their_quotes_and_keep_their_digits() {
    let members = members_of(&reference("conf"));

    let expected = [
        ("a", "text"),
        ("f", "1.5"),
        ("n", "1"),
        ("o", r#"{"a":"<","b":1}"#),
        ("t", "true"),
        ("z", "null"),
    ];
    assert_eq!(
        members,
        expected.map(|(key, value)| (key.to_owned(), value.to_owned()))
    );
}

#[test]
fn a_map_of_metadata_has_labels_and_annotations_as_json() {
    let whole = map(bare(), &fetching("")).unwrap();
    let labels = members_of(&fetching("labels"));

    assert_eq!(whole.keys().collect::<Vec<_>>(), ["annotations", "labels"]);
    assert_eq!(labels[1], ("l".to_owned(), "1".to_owned()));
}

#[test]
fn a_key_that_is_missing_or_no_object_is_refused_without_its_value() {
    let missing = map(secret(), &reference("nope")).unwrap_err();
    let text = map(secret(), &reference("pass")).unwrap_err();

    assert_eq!(
        missing.to_string(),
        "property nope does not exist in key remote"
    );
    assert_eq!(
        text.to_string(),
        "failed to unmarshal secret: invalid JSON format"
    );
}
