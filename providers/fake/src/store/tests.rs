//! What upstream's fake store was seen to do, and what ours does better.

use lockstep_provider_api::conformance::block_on;
use lockstep_provider_api::keys::Conversion;
use serde_json::json;

use super::*;

fn open(name: &str, data: serde_json::Value) -> FakeStore {
    let spec = serde_json::from_value(json!({ "data": data })).unwrap();
    FakeStore::open(spec, &in_namespace("team", name))
}

fn in_namespace(namespace: &str, name: &str) -> StoreName {
    StoreName {
        namespace: Some(namespace.to_owned()),
        name: name.to_owned(),
    }
}

fn get(store: &FakeStore, reference: &RemoteRef) -> Result<String> {
    let value = block_on(store.get(reference))?;
    Ok(value.expose_utf8()?.to_owned())
}

fn version(key: &str, version: &str) -> RemoteRef {
    RemoteRef {
        version: Some(version.to_owned()),
        ..RemoteRef::key(key)
    }
}

fn push(store: &FakeStore, key: &str, value: &str) -> Result<Pushed> {
    let source = SecretMap::from_iter([("k".to_owned(), value.into())]);
    let item = PushItem {
        secret_key: Some("k".to_owned()),
        ..PushItem::whole(PushTarget::key(key), source)
    };
    block_on(store.push(&item))
}

fn names(store: &FakeStore, pattern: &str) -> Vec<(String, String)> {
    let find = Find {
        name: Some(pattern.to_owned()),
        ..Find::default()
    };
    let found = block_on(store.find(&find)).unwrap();
    found
        .into_iter()
        .map(|(key, value)| (key, value.expose_utf8().unwrap().to_owned()))
        .collect()
}

#[test]
fn a_version_must_match_exactly() {
    let store = open(
        "versions",
        json!([{ "key": "k", "value": "one", "version": "v1" }]),
    );

    assert_eq!(get(&store, &version("k", "v1")).unwrap(), "one");
    for missing in [
        version("k", "v9"),
        RemoteRef::key("k"),
        RemoteRef::key("kv1"),
    ] {
        let error = get(&store, &missing).unwrap_err();
        assert_eq!(error.to_string(), "Secret does not exist");
    }
}

#[test]
fn an_empty_value_is_a_value() {
    let store = open("empty", json!([{ "key": "k", "value": "" }]));

    assert_eq!(get(&store, &RemoteRef::key("k")).unwrap(), "");
}

#[test]
fn dots_in_a_property_are_steps_unless_escaped() {
    let value = r#"{"a.b":"dotted","a":{"b":"nested"}}"#;
    let store = open("dots", json!([{ "key": "k", "value": value }]));

    let read = |property: &str| get(&store, &RemoteRef::key("k").property(property));

    assert_eq!(read(r"a\.b").unwrap(), "dotted");
    assert_eq!(read("a.b").unwrap(), "nested");
    assert_eq!(
        read("nope").unwrap_err().to_string(),
        "Secret does not exist"
    );
}

#[test]
fn a_list_has_no_members() {
    let store = open("list", json!([{ "key": "k", "value": "[1,2]" }]));

    let error = block_on(store.get_map(&RemoteRef::key("k"))).unwrap_err();

    assert_eq!(
        error.to_string(),
        "unable to unmarshal secret: json: cannot unmarshal array into Go value of type \
         map[string]json.RawMessage"
    );
}

#[test]
fn members_of_a_property_can_be_taken() {
    let store = open("deep", json!([{ "key": "k", "value": r#"{"o":{"a":1}}"# }]));

    let map = block_on(store.get_map(&RemoteRef::key("k").property("o"))).unwrap();

    assert_eq!(map.get("a"), Some(&"1".into()));
}

#[test]
fn find_takes_the_highest_version_in_the_order_of_text() {
    let store = open(
        "find",
        json!([
            { "key": "app", "value": "ten", "version": "v10" },
            { "key": "app", "value": "nine", "version": "v9" },
            { "key": "app", "value": "none" },
            { "key": "other", "value": "x" },
        ]),
    );

    assert_eq!(
        names(&store, "^app"),
        [("app".to_owned(), "nine".to_owned())]
    );
    assert!(names(&store, "zzz").is_empty());
}

#[test]
fn find_converts_names_and_sees_pushed_values() {
    let store = open("find-pushed", json!([{ "key": "a/b", "value": "1" }]));
    push(&store, "a/c", "2").unwrap();

    let unicode = Find {
        name: Some("^a".to_owned()),
        conversion: Conversion::Unicode,
        ..Find::default()
    };
    let converted = block_on(store.find(&unicode)).unwrap();

    assert_eq!(
        names(&store, "^a"),
        [
            ("a_b".to_owned(), "1".to_owned()),
            ("a_c".to_owned(), "2".to_owned())
        ]
    );
    assert_eq!(
        converted.keys().collect::<Vec<_>>(),
        ["a_U002f_b", "a_U002f_c"]
    );
}

#[test]
fn find_without_a_name_is_not_supported() {
    let store = open("find-tags", json!([]));
    let tags = Find {
        tags: Some(BTreeMap::from([("a".to_owned(), "b".to_owned())])),
        ..Find::default()
    };

    let error = block_on(store.find(&tags)).unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unsupported);
    assert!(
        error
            .to_string()
            .starts_with("unsupported find operator: tags")
    );
}

#[test]
fn a_bad_pattern_is_told_in_upstreams_words() {
    let store = open("find-bad", json!([]));
    let bad = Find {
        name: Some("(".to_owned()),
        ..Find::default()
    };

    let error = block_on(store.find(&bad)).unwrap_err();

    assert_eq!(
        error.to_string(),
        "could not compile find.name.regexp [(]: error parsing regexp: missing closing ): `(`"
    );
}

#[test]
fn a_pushed_value_is_there_for_every_store_of_that_name() {
    let first = open("shared", json!([]));
    push(&first, "r", "1").unwrap();
    let second = open("shared", json!([{ "key": "x", "value": "y" }]));

    assert_eq!(get(&second, &RemoteRef::key("r")).unwrap(), "1");
    assert!(block_on(second.exists(&PushTarget::key("r"))).unwrap());
    assert!(get(&open("unshared", json!([])), &RemoteRef::key("r")).is_err());
}

#[test]
fn a_push_tells_what_it_did_and_cannot_touch_the_manifest() {
    let store = open("push", json!([{ "key": "x", "value": "y" }]));

    assert_eq!(push(&store, "r", "1").unwrap(), Pushed::Created);
    assert_eq!(push(&store, "r", "1").unwrap(), Pushed::Unchanged);
    assert_eq!(push(&store, "r", "2").unwrap(), Pushed::Updated);
    let refused = push(&store, "x", "1").unwrap_err();
    assert_eq!(refused.kind(), &ErrorKind::Conflict);
    assert_eq!(refused.to_string(), "key already exists");
}

#[test]
fn a_whole_secret_is_pushed_as_json() {
    let store = open("push-whole", json!([]));
    let source = SecretMap::from_iter([("a".to_owned(), "1".into())]);

    block_on(store.push(&PushItem::whole(PushTarget::key("all"), source))).unwrap();

    assert_eq!(get(&store, &RemoteRef::key("all")).unwrap(), r#"{"a":"1"}"#);
}

#[test]
fn a_key_that_enters_the_manifest_replaces_the_pushed_one_for_good() {
    push(&open("taken", json!([])), "r", "pushed").unwrap();

    let listed = open("taken", json!([{ "key": "r", "value": "listed" }]));
    let unlisted = open("taken", json!([]));

    assert_eq!(get(&listed, &RemoteRef::key("r")).unwrap(), "listed");
    assert!(get(&unlisted, &RemoteRef::key("r")).is_err());
}

#[test]
fn a_deleted_value_is_gone_and_the_manifest_stays() {
    let store = open("delete", json!([{ "key": "listed", "value": "v" }]));
    push(&store, "r", "1").unwrap();

    for key in ["r", "r", "listed", "nope"] {
        block_on(store.delete(&PushTarget::key(key))).unwrap();
    }

    assert!(
        get(&store, &RemoteRef::key("r"))
            .unwrap_err()
            .consequence()
            .absent
    );
    assert!(!block_on(store.exists(&PushTarget::key("r"))).unwrap());
    assert_eq!(get(&store, &RemoteRef::key("listed")).unwrap(), "v");
}

#[test]
fn stores_of_one_name_in_two_namespaces_share_nothing() {
    let at = |namespace: Option<&str>| {
        let name = StoreName {
            namespace: namespace.map(str::to_owned),
            name: "same-name".to_owned(),
        };
        FakeStore::open(FakeSpec::default(), &name)
    };
    push(&at(Some("a")), "r", "of a").unwrap();
    push(&at(None), "r", "of the cluster").unwrap();

    assert!(get(&at(Some("b")), &RemoteRef::key("r")).is_err());
    assert_eq!(get(&at(Some("a")), &RemoteRef::key("r")).unwrap(), "of a");
    assert_eq!(
        get(&at(None), &RemoteRef::key("r")).unwrap(),
        "of the cluster"
    );
    block_on(at(Some("b")).delete(&PushTarget::key("r"))).unwrap();
    assert_eq!(get(&at(Some("a")), &RemoteRef::key("r")).unwrap(), "of a");
}

#[test]
fn pushed_values_are_limited_in_number_and_bytes() {
    let many = open("many", json!([]));
    for at in 0..1_000 {
        push(&many, &at.to_string(), "1").unwrap();
    }
    let large = open("large", json!([]));
    push(&large, "a", &"x".repeat(1 << 20)).unwrap();

    let too_many = push(&many, "one more", "1").unwrap_err();
    let too_large = push(&large, "b", &"x".repeat(1 << 20)).unwrap_err();

    assert!(
        too_many.to_string().contains("at most 1000 values"),
        "{too_many}"
    );
    assert!(
        too_large.to_string().contains("at most 2097152 bytes"),
        "{too_large}"
    );
    assert_eq!(push(&many, "0", "2").unwrap(), Pushed::Updated);
    block_on(many.delete(&PushTarget::key("1"))).unwrap();
    assert_eq!(push(&many, "one more", "1").unwrap(), Pushed::Created);
    assert_eq!(push(&large, "a", "small").unwrap(), Pushed::Updated);
    assert_eq!(
        push(&large, "b", &"x".repeat(1 << 20)).unwrap(),
        Pushed::Created
    );
    block_on(large.delete(&PushTarget::key("b"))).unwrap();
}

#[test]
fn stores_of_one_name_can_be_used_by_many_threads() {
    let keys: Vec<String> = (0..8).map(|thread| format!("key-{thread}")).collect();

    std::thread::scope(|scope| {
        for key in &keys {
            scope.spawn(move || {
                for round in 0..200 {
                    let store = open("threads", json!([{ "key": "listed", "value": "v" }]));
                    push(&store, key, &round.to_string()).unwrap();
                    assert_eq!(get(&store, &RemoteRef::key("listed")).unwrap(), "v");
                }
            });
        }
    });

    let store = open("threads", json!([]));
    for key in &keys {
        assert_eq!(get(&store, &RemoteRef::key(key)).unwrap(), "199");
    }
}

#[test]
fn the_store_reports_the_state_its_manifest_asks_for() {
    let check = |result: Option<i64>| {
        let spec = FakeSpec {
            validation_result: result,
            ..FakeSpec::default()
        };
        block_on(FakeStore::open(spec, &in_namespace("team", "check")).check())
    };

    assert!(matches!(check(None), Check::Healthy(Health::Ready)));
    assert!(matches!(check(Some(0)), Check::Healthy(Health::Ready)));
    assert!(matches!(check(Some(1)), Check::Undetermined(error)
        if error.to_string() == "unable to validate"));
    assert!(matches!(check(Some(2)), Check::Failed(error)
        if error.to_string() == "unable to validate"));
}
