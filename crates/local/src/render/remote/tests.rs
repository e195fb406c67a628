use serde_json::json;

use super::*;

fn remote(value: &serde_json::Value) -> Remote {
    Remote::of(value).ok().unwrap()
}

fn listed() -> Remote {
    remote(&json!([
        {"key": "db", "version": "v1", "value": "old", "tags": {"env": "prod"}},
        {"key": "db", "version": "v2", "value": {"user": "bob"}, "metadata": {"owner": "ops"}},
        {"key": "raw", "base64": "/w=="},
    ]))
}

fn wanted(key: &str) -> RemoteRef {
    RemoteRef {
        key: key.to_owned(),
        ..RemoteRef::default()
    }
}

fn value(remote: &Remote, reference: RemoteRef) -> std::result::Result<Vec<u8>, String> {
    match remote.answer(&Read::Value(reference)) {
        (Ok(Payload::Value(value)), None) => Ok(value.expose().to_vec()),
        (Err(_), Some(missed)) => Err(format!("{}: {}", missed.field, missed.hint)),
        _ => panic!("an answer of another kind"),
    }
}

#[test]
fn scalars_are_texts_and_maps_are_json() {
    let remote = remote(&json!({"a": "x", "n": 5432, "t": true, "z": null, "o": {"h": "<d>"}}));

    for (key, held) in [("a", "x"), ("n", "5432"), ("t", "true"), ("z", "")] {
        assert_eq!(value(&remote, wanted(key)).unwrap(), held.as_bytes());
    }
    assert_eq!(value(&remote, wanted("o")).unwrap(), br#"{"h":"<d>"}"#);
}

#[test]
fn the_last_version_is_the_current_one() {
    let old = RemoteRef {
        version: Some("v1".to_owned()),
        ..wanted("db")
    };

    assert_eq!(
        value(&listed(), wanted("db")).unwrap(),
        br#"{"user":"bob"}"#
    );
    assert_eq!(value(&listed(), old).unwrap(), b"old");
    assert_eq!(value(&listed(), wanted("raw")).unwrap(), [0xff]);
}

#[test]
fn what_is_missed_is_told_with_what_is_there() {
    let missing = |change: fn(&mut RemoteRef)| {
        let mut reference = wanted("db");
        change(&mut reference);
        value(&listed(), reference).unwrap_err()
    };

    assert_eq!(
        missing(|wanted| wanted.key = "dbb".to_owned()),
        "key: did you mean \"db\"?"
    );
    assert_eq!(
        missing(|wanted| wanted.version = Some("x".to_owned())),
        "version: the remote file has these versions: v1, v2"
    );
    assert_eq!(
        missing(|wanted| wanted.property = Some("password".to_owned())),
        "property: the remote file has these members: user"
    );
}

#[test]
fn metadata_is_read_where_the_policy_asks_for_it() {
    let owner = RemoteRef {
        property: Some("owner".to_owned()),
        metadata: MetadataPolicy::Fetch,
        ..wanted("db")
    };

    assert_eq!(value(&listed(), owner).unwrap(), b"ops");
}

#[test]
fn find_combines_name_path_and_tags() {
    let found = |find: Find| match listed().answer(&Read::Find(find)).0 {
        Ok(Payload::Map(map)) => map.keys().map(str::to_owned).collect::<Vec<_>>(),
        _ => Vec::new(),
    };

    let by_name = Find {
        name: Some(".".to_owned()),
        ..Find::default()
    };
    let by_tag = Find {
        tags: Some([("env".to_owned(), "prod".to_owned())].into()),
        ..Find::default()
    };
    let by_path = Find {
        path: Some("ra".to_owned()),
        ..Find::default()
    };

    assert_eq!(found(by_name), ["db", "raw"]);
    assert_eq!(found(by_tag), ["db"]);
    assert_eq!(found(by_path), ["raw"]);
    assert!(listed().answer(&Read::Find(Find::default())).0.is_err());
}

#[test]
fn faults_name_the_place_and_no_value() {
    let faults = |value: serde_json::Value| {
        let faults = Remote::of(&value).err().unwrap();
        let faults = faults.iter();
        faults
            .map(|fault| format!("{}: {}", fault.field, fault.message))
            .collect::<Vec<_>>()
    };

    assert_eq!(
        faults(json!([{"key": "a", "valeu": "canary"}, {"key": "b"}, {"key": "c", "base64": "?"}])),
        [
            "[0].valeu: unknown field",
            "[1]: needs either value or base64",
            "[2].base64: is not base64"
        ]
    );
    assert_eq!(
        faults(json!("canary")),
        [": must be a mapping of remote keys, or a list"]
    );
}
