//! The finalizer that keeps a store while PushSecrets have something to delete in it.

use super::*;

/// A PushSecret that deletes what it pushed when it goes.
fn deleting(name: &str) -> PushSecret {
    let spec = json!({
        "deletionPolicy": "Delete",
        "secretStoreRefs": [{ "name": "store" }],
        "selector": { "secret": { "name": "source" } },
    });
    typed(&metadata(name, 1), spec, Value::Null)
}

fn kept(version: u32) -> StoreRecord {
    let mut record = store(version, condition("True"));
    let finalizer = lockstep_api::keys::FINALIZER_STORE.to_owned();
    record.metadata.finalizers = Some(vec![finalizer]);
    record
}

fn with_store(record: StoreRecord) -> Index {
    knowing(see_store, record)
}

#[test]
fn a_store_without_the_finalizer_is_requeued_when_a_push_secret_needs_it() {
    let index = with_store(store(1, condition("True")));

    let wakes = see_push_secret(&index, deleting("p"));

    assert!(
        wakes.contains(&store_now(Trigger::FinalizerChanged)),
        "{wakes:?}"
    );
}

#[test]
fn a_push_secret_that_deletes_nothing_leaves_the_store_alone() {
    let index = with_store(store(1, condition("True")));

    let wakes = see_push_secret(&index, push_secret("p"));

    assert!(
        !wakes.contains(&store_now(Trigger::FinalizerChanged)),
        "{wakes:?}"
    );
}

#[test]
fn a_store_is_requeued_when_the_last_push_secret_that_needs_it_goes() {
    let index = with_store(kept(1));
    see_push_secret(&index, deleting("p"));
    see_push_secret(&index, deleting("q"));

    let first = list(index.push_secret_seen(deleted(deleting("p"))));
    let last = list(index.push_secret_seen(deleted(deleting("q"))));

    let finalizer = store_now(Trigger::FinalizerChanged);
    assert!(!first.contains(&finalizer), "{first:?}");
    assert!(last.contains(&finalizer), "{last:?}");
}

#[test]
fn nothing_is_said_of_finalizers_before_all_push_secrets_are_known() {
    let index = Index::default();
    see_store(&index, store(1, condition("True")));

    let early = see_push_secret(&index, deleting("p"));
    let complete = list(index.push_secret_seen(Seen::ListEnds));

    let finalizer = store_now(Trigger::FinalizerChanged);
    assert!(!early.contains(&finalizer), "{early:?}");
    assert_eq!(complete, [finalizer]);
}

#[test]
fn a_finalizer_that_no_one_needs_is_found_once_all_push_secrets_are_known() {
    let index = Index::default();
    see_store(&index, kept(1));

    let wakes = list(index.push_secret_seen(Seen::ListEnds));

    assert_eq!(wakes, [store_now(Trigger::FinalizerChanged)]);
}

#[test]
fn a_store_that_is_being_deleted_is_requeued_when_those_it_waits_for_change() {
    let mut metadata = metadata("store", 1);
    metadata.finalizers = Some(vec![lockstep_api::keys::FINALIZER_STORE.to_owned()]);
    metadata.deletion_timestamp = serde_json::from_value(json!("2026-01-01T00:00:00Z")).unwrap();
    let going = typed::<SecretStore>(&metadata, store_spec(), condition("True"));
    let index = with_store(StoreRecord::from(going));
    see_push_secret(&index, deleting("p"));
    see_push_secret(&index, deleting("q"));

    let wakes = list(index.push_secret_seen(deleted(deleting("p"))));

    assert!(
        wakes.contains(&store_now(Trigger::FinalizerChanged)),
        "{wakes:?}"
    );
}
