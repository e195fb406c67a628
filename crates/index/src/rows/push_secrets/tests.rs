//! Rows of PushSecrets, and the stores and sources they name.

use std::slice::from_ref;

use lockstep_api::SecretStore;
use serde_json::{Value, json};

use super::*;

fn object(name: &str, version: u64, spec: &Value) -> PushSecret {
    let object = json!({
        "metadata": {
            "name": name, "namespace": "ns", "generation": 1, "uid": "u",
            "resourceVersion": version.to_string(),
        },
        "spec": spec,
    });
    serde_json::from_value(object).unwrap()
}

fn deleting(name: &str) -> PushSecret {
    let spec = json!({
        "deletionPolicy": "Delete",
        "secretStoreRefs": [{"name": "s"}],
        "selector": {"secret": {"name": "src"}},
    });
    object(name, 1, &spec)
}

fn store(namespace: &str) -> StoreView {
    let store: SecretStore = serde_json::from_value(json!({
        "metadata": {"name": "s", "namespace": namespace},
        "spec": {"provider": {"fake": {"data": []}}},
    }))
    .unwrap();
    StoreView::of(&store)
}

fn note(matched: Option<&[&str]>) -> PushNote {
    PushNote {
        refreshed: Some(Timestamp::UNIX_EPOCH),
        matched: matched.map(|names| names.iter().map(|&name| name.to_owned()).collect()),
        ..PushNote::default()
    }
}

#[test]
fn our_own_status_write_is_no_change_and_an_older_answer_is_passed_over() {
    let mut rows = PushSecrets::default();
    assert_eq!(rows.apply(deleting("a")).1, RowChange::New);
    let mut written = deleting("a");
    written.metadata.resource_version = Some("5".to_owned());
    written.status = Some(
        serde_json::from_value(json!({
            "conditions": [{"type": "Ready", "status": "True"}]
        }))
        .unwrap(),
    );

    let (key, touch) = rows.apply(written);
    let (_, late) = rows.apply(deleting("a"));

    assert_eq!((touch, late), (RowChange::Same, RowChange::Same));
    assert!(rows.snapshot(&key).unwrap().0.status.is_some());
}

#[test]
fn a_late_answer_does_not_bring_a_deleted_object_back() {
    let mut rows = PushSecrets::default();
    let (key, _) = rows.apply(deleting("a"));
    rows.remove(&key);

    assert_eq!(rows.answered(deleting("a")), None);
    assert!(!rows.need(&store("ns")));
}

#[test]
fn a_store_is_needed_while_someone_in_its_namespace_may_delete_in_it() {
    let mut rows = PushSecrets::default();
    let (key, _) = rows.apply(deleting("a"));

    assert!(rows.need(&store("ns")));
    assert!(!rows.need(&store("other")));
    assert_eq!(rows.users_of(&store("ns")), from_ref(&key));
    rows.remove(&key);
    assert!(!rows.need(&store("ns")));
}

#[test]
fn a_secret_concerns_whose_labels_match_it_or_matched_it_last() {
    let mut rows = PushSecrets::default();
    let spec = json!({
        "secretStoreRefs": [{"name": "s"}],
        "selector": {"secret": {"selector": {"matchLabels": {"p": "1"}}}},
    });
    let (key, _) = rows.apply(object("a", 1, &spec));
    rows.apply(deleting("by-name"));
    let secret = ObjectKey::new("ns", "one");
    let labels = BTreeMap::from([("p".to_owned(), "1".to_owned())]);
    let none = BTreeMap::new();

    assert_eq!(rows.selecting(&secret, Some(&labels)), from_ref(&key));
    assert!(rows.selecting(&secret, Some(&none)).is_empty());
    assert!(
        rows.selecting(&ObjectKey::new("other", "one"), Some(&labels))
            .is_empty()
    );

    rows.note_run(&key, note(Some(&["one"])), &Memory::default());
    assert_eq!(rows.selecting(&secret, Some(&none)), from_ref(&key));
    assert_eq!(rows.selecting(&secret, None), [key]);
}

#[test]
fn a_change_is_news_until_a_push_followed_it() {
    let mut rows = PushSecrets::default();
    let (key, _) = rows.apply(deleting("a"));
    rows.input_changed(&key);
    let memory = rows.snapshot(&key).unwrap().1;
    assert!(memory.inputs_changed());

    rows.input_changed(&key);
    rows.note_run(&key, note(None), &memory);
    assert!(rows.snapshot(&key).unwrap().1.inputs_changed());

    let memory = rows.snapshot(&key).unwrap().1;
    rows.note_run(&key, note(None), &memory);
    assert!(!rows.snapshot(&key).unwrap().1.inputs_changed());
}
