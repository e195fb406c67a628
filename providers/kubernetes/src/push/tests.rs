use serde_json::{Value, json};

use super::*;

fn strings(pairs: &[(&str, &str)]) -> Strings {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn data(pairs: &[(&str, &str)]) -> SecretMap {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), SecretValue::from(*value)))
        .collect()
}

fn item(secret_key: Option<&str>, property: Option<&str>) -> PushItem {
    PushItem {
        target: PushTarget {
            remote_key: "pushed".to_owned(),
            property: property.map(str::to_owned),
            metadata: None,
        },
        secret_key: secret_key.map(str::to_owned),
        source: data(&[("a", "<1>"), ("b", "2")]),
        secret_type: None,
        labels: strings(&[("sl", "1"), ("both", "source")]),
        annotations: strings(&[("sn", "2")]),
        metadata: None,
        namespace: None,
    }
}

fn with_spec(mut item: PushItem, spec: Value) -> PushItem {
    item.metadata = Some(json!({
        "apiVersion": "kubernetes.external-secrets.io/v1alpha1",
        "kind": "PushSecretMetadata",
        "spec": spec,
    }));
    item
}

fn remote() -> Stored {
    serde_json::from_value(json!({
        "metadata": {
            "name": "pushed",
            "resourceVersion": "7",
            "labels": { "rl": "1", "both": "remote" },
            "ownerReferences": [{ "name": "someone" }],
        },
        "data": { "old": "MQ==" },
        "type": "Opaque",
    }))
    .unwrap()
}

fn after(item: &PushItem, remote: &Stored) -> Stored {
    pushed(
        remote,
        item,
        &PushMetadata::parse(item.metadata.as_ref()).unwrap(),
    )
    .unwrap()
}

#[test]
fn a_key_goes_into_a_property_beside_the_keys_that_are_there() {
    let wanted = after(&item(Some("a"), Some("x")), &remote());

    assert_eq!(wanted.data, data(&[("old", "1"), ("x", "<1>")]));
    assert_eq!(wanted.metadata["ownerReferences"][0]["name"], "someone");
    assert_eq!(wanted.text("resourceVersion"), "7");
}

#[test]
fn a_whole_secret_replaces_the_data_that_is_there() {
    let wanted = after(&item(None, None), &remote());

    assert_eq!(wanted.data, data(&[("a", "<1>"), ("b", "2")]));
}

#[test]
fn a_whole_secret_goes_into_a_property_as_json() {
    let wanted = after(&item(None, Some("all")), &Stored::new("ns", "pushed"));

    assert_eq!(wanted.data, data(&[("all", r#"{"a":"<1>","b":"2"}"#)]));
}

#[test]
fn a_key_the_source_lacks_is_pushed_empty() {
    let wanted = after(&item(Some("nope"), Some("x")), &Stored::new("ns", "pushed"));

    assert_eq!(wanted.data, data(&[("x", "")]));
}

#[test]
fn a_key_without_a_property_is_refused() {
    let error = validate(&item(Some("a"), None)).unwrap_err();

    assert_eq!(
        error.to_string(),
        "requires property in RemoteRef to push secret value if secret key is defined"
    );
    assert!(validate(&item(None, None)).is_ok());
}

#[test]
fn the_type_of_the_source_is_taken_over_and_opaque_otherwise() {
    let mut typed = item(None, None);
    typed.secret_type = Some("kubernetes.io/basic-auth".to_owned());

    let new = Stored::new("ns", "pushed");

    assert_eq!(after(&typed, &new).secret_type, "kubernetes.io/basic-auth");
    assert_eq!(after(&item(None, None), &new).secret_type, "Opaque");
}

#[test]
fn labels_of_the_source_win_over_the_remote_ones() {
    let wanted = after(&item(Some("a"), Some("x")), &remote());

    assert_eq!(
        wanted.strings("labels"),
        strings(&[("both", "source"), ("rl", "1"), ("sl", "1")])
    );
    assert_eq!(wanted.strings("annotations"), strings(&[("sn", "2")]));
}

#[test]
fn labels_of_the_entry_win_over_those_of_the_source() {
    let spec = json!({ "labels": { "sl": "9" }, "annotations": { "n": "9" } });
    let merged = with_spec(item(Some("a"), Some("x")), spec.clone());
    let mut replacing = spec;
    replacing["sourceMergePolicy"] = "Replace".into();
    let replaced = with_spec(item(Some("a"), Some("x")), replacing);
    let new = Stored::new("ns", "pushed");

    let merged = after(&merged, &new);
    let replaced = after(&replaced, &new);

    assert_eq!(
        merged.strings("labels"),
        strings(&[("both", "source"), ("sl", "9")])
    );
    assert_eq!(
        merged.strings("annotations"),
        strings(&[("n", "9"), ("sn", "2")])
    );
    assert_eq!(replaced.strings("labels"), strings(&[("sl", "9")]));
    assert_eq!(replaced.strings("annotations"), strings(&[("n", "9")]));
}

#[test]
fn the_remote_labels_may_be_replaced_or_left_alone() {
    let push = |policy: &str| {
        let spec = json!({ "targetMergePolicy": policy });
        after(&with_spec(item(Some("a"), Some("x")), spec), &remote())
    };

    assert_eq!(
        push("Replace").strings("labels"),
        strings(&[("both", "source"), ("sl", "1")])
    );
    assert_eq!(
        push("Ignore").strings("labels"),
        strings(&[("both", "remote"), ("rl", "1")])
    );
}

#[test]
fn unknown_policies_and_fields_are_refused() {
    let unknown = with_spec(item(None, None), json!({ "nosuch": "x" }));
    let policy = |spec: Value| {
        let item = with_spec(item(None, None), spec);
        pushed(
            &remote(),
            &item,
            &PushMetadata::parse(item.metadata.as_ref()).unwrap(),
        )
        .unwrap_err()
    };

    let error = PushMetadata::parse(unknown.metadata.as_ref()).unwrap_err();
    let source = policy(json!({ "sourceMergePolicy": "Ignore" }));
    let target = policy(json!({ "targetMergePolicy": "Maybe" }));

    assert!(
        error
            .to_string()
            .starts_with("unable to parse metadata parameters: failed to parse ")
    );
    assert_eq!(
        source.to_string(),
        "failed to merge source metadata: unexpected source merge policy \"Ignore\""
    );
    assert_eq!(
        target.to_string(),
        "failed to merge target metadata: unexpected target merge policy \"Maybe\""
    );
}

#[test]
fn pushing_what_is_there_changes_nothing() {
    let item = item(Some("a"), Some("x"));

    let once = after(&item, &remote());
    let twice = after(&item, &once);

    assert_ne!(once, remote());
    assert_eq!(once, twice);
}
