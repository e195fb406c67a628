//! Changes of stores, and what they mean for those who use them.

use super::*;
use crate::rows::Reader;

/// An index with a ready store, an ExternalSecret `waiting` that is not ready, and one that is.
fn used() -> Index {
    let index = knowing(see_store, store(1, condition("True")));
    see_external_secret(&index, external_secret("waiting"));
    see_external_secret(&index, ready("ready"));
    index
}

fn new_spec(version: u32) -> StoreRecord {
    let mut metadata = metadata("store", version);
    metadata.generation = Some(2);
    StoreRecord::from(typed::<SecretStore>(
        &metadata,
        store_spec(),
        condition("True"),
    ))
}

#[test]
fn a_new_store_is_checked_after_those_who_wait_for_it_are_requeued() {
    let index = knowing(see_external_secret, external_secret("a"));

    let wakes = see_store(&index, store(1, Value::Null));

    let expected = [
        es_retry("a", Trigger::StoreReady),
        store_now(Trigger::Changed),
    ];
    assert_eq!(wakes, expected);
}

#[test]
fn a_store_shown_again_requeues_nothing() {
    assert_eq!(see_store(&used(), store(1, condition("True"))), []);
}

#[test]
fn an_older_version_of_a_store_is_passed_over() {
    let index = knowing(see_store, store(5, condition("True")));

    assert_eq!(see_store(&index, new_spec(4)), []);
}

#[test]
fn a_store_that_becomes_ready_requeues_those_who_wait_for_it() {
    let index = knowing(see_store, store(1, condition("False")));
    see_external_secret(&index, external_secret("waiting"));
    see_external_secret(&index, ready("ready"));

    let wakes = see_store(&index, store(2, condition("True")));

    assert_eq!(wakes, [es_retry("waiting", Trigger::StoreReady)]);
}

#[test]
fn a_store_that_is_no_longer_ready_requeues_no_one() {
    assert_eq!(see_store(&used(), store(2, condition("False"))), []);
}

#[test]
fn a_store_whose_status_somebody_wiped_is_checked() {
    let wakes = see_store(&used(), store(2, Value::Null));

    let waiting = es_retry("waiting", Trigger::StoreReady);
    assert_eq!(wakes, [waiting, store_now(Trigger::Changed)]);
}

#[test]
fn a_new_spec_drops_reads_and_requeues_every_user_one_after_another() {
    let wakes = see_store(&used(), new_spec(2));

    let trigger = Trigger::StoreChanged;
    let expected = [
        es_retry("waiting", Trigger::StoreReady),
        Wake::DropReads(store_key()),
        es_at("ready", after(0), trigger),
        es_at("waiting", after(2), trigger),
        store_now(Trigger::Changed),
    ];
    assert_eq!(wakes, expected);
}

#[test]
fn a_new_label_of_a_store_checks_it_and_requeues_those_who_wait() {
    let mut labelled = store(2, condition("True"));
    labelled.metadata.labels = Some([("a".to_owned(), "b".to_owned())].into());

    let wakes = see_store(&used(), labelled);

    let waiting = es_retry("waiting", Trigger::StoreReady);
    assert_eq!(wakes, [waiting, store_now(Trigger::Changed)]);
}

#[test]
fn a_deleted_store_is_forgotten() {
    let gone = deleted(store(2, Value::Null));

    let wakes = list(used().store_seen(StoreKind::SecretStore, gone, now()));

    assert_eq!(wakes, [Wake::Forget(Queued::Store(store_key()))]);
}

#[test]
fn a_store_that_a_new_list_does_not_show_is_forgotten() {
    let index = used();

    list(index.store_seen(StoreKind::SecretStore, Seen::ListBegins, now()));
    let wakes = list(index.store_seen(StoreKind::SecretStore, Seen::ListEnds, now()));

    assert_eq!(wakes, [Wake::Forget(Queued::Store(store_key()))]);
}

#[test]
fn a_list_of_one_kind_of_stores_says_nothing_of_the_other() {
    let index = used();

    list(index.store_seen(StoreKind::ClusterSecretStore, Seen::ListBegins, now()));
    let wakes = list(index.store_seen(StoreKind::ClusterSecretStore, Seen::ListEnds, now()));

    assert_eq!(wakes, []);
}

#[test]
fn a_cluster_store_requeues_no_user_of_a_store_of_its_name() {
    let wakes = see_store(&used(), cluster_store(1, Value::Null));

    let cluster = Queued::Store(StoreKey::cluster("store".to_owned()));
    assert_eq!(
        wakes,
        [requeue(cluster, When::Now, false, Trigger::Changed)]
    );
}

#[test]
fn the_answer_to_a_status_write_requeues_those_who_wait_for_the_store() {
    let index = knowing(see_store, store(1, Value::Null));
    see_external_secret(&index, external_secret("a"));

    let wakes = list(index.store_answered(store(2, condition("True")), now()));

    assert_eq!(wakes, [es_retry("a", Trigger::StoreReady)]);
}

#[test]
fn the_answer_to_a_write_of_a_deleted_store_requeues_nothing() {
    let wakes = list(index().store_answered(store(2, condition("True")), now()));

    assert_eq!(wakes, []);
}

#[test]
fn a_check_that_ends_requeues_those_it_held() {
    let index = knowing(see_store, store(1, Value::Null));
    let stores = [store_key()];
    let (one, two) = (
        Reader::ExternalSecret(key("a")),
        Reader::PushSecret(key("p")),
    );
    assert!(index.stores().hold(&one, &stores, now()).is_some());
    assert!(index.stores().hold(&two, &stores, now()).is_some());

    let wakes = list(index.store_checked(&store_key()));

    let trigger = Trigger::StoreReady;
    assert_eq!(wakes, [es_now("a", trigger), push_now("p", trigger)]);
    assert_eq!(list(index.store_checked(&store_key())), []);
}

#[test]
fn a_store_that_answers_again_releases_those_who_wait_over_some_time() {
    let index = used();
    see_external_secret(&index, external_secret("other"));

    let wakes = list(index.store_recovered(&store_key(), now()));

    let at = |name: &str, millis: i64| {
        let object = Queued::ExternalSecret(key(name));
        requeue(
            object,
            When::At(after(millis)),
            true,
            Trigger::StoreRecovered,
        )
    };
    let check = store_now(Trigger::StoreRecovered);
    assert_eq!(wakes, [check, at("other", 0), at("waiting", 5)]);
}

#[test]
fn thousands_who_wait_for_a_store_are_released_within_five_seconds() {
    let index = used();
    for number in 0..2_000 {
        see_external_secret(&index, external_secret(&format!("w{number}")));
    }

    let wakes = list(index.store_recovered(&store_key(), now()));

    let last = wakes.iter().rev().find_map(|wake| match wake {
        Wake::Requeue(Requeue {
            when: When::At(at), ..
        }) => Some(*at),
        _ => None,
    });
    assert!(last.unwrap() <= after(5_000), "{last:?}");
}

#[test]
fn a_store_that_becomes_ready_requeues_those_who_push_to_it() {
    let index = knowing(see_store, store(1, condition("False")));
    see_push_secret(&index, push_secret("p"));

    let wakes = see_store(&index, store(2, condition("True")));

    let expected = [
        push_retry("p", Trigger::StoreReady),
        push_at("p", now(), Trigger::StoreChanged),
    ];
    assert_eq!(wakes, expected);
}

#[test]
fn a_new_spec_requeues_those_who_push_to_the_store() {
    let index = knowing(see_store, store(1, condition("True")));
    see_push_secret(&index, push_secret("p"));

    let wakes = see_store(&index, new_spec(2));

    assert!(
        wakes.contains(&push_at("p", now(), Trigger::StoreChanged)),
        "{wakes:?}"
    );
}

#[test]
fn after_a_restore_of_etcd_a_store_counts_as_changed() {
    let index = used();
    index.stores().distrust();

    let wakes = see_store(&index, store(1, condition("True")));

    assert!(wakes.contains(&Wake::DropReads(store_key())), "{wakes:?}");
    assert!(wakes.contains(&store_now(Trigger::Changed)), "{wakes:?}");
}

#[test]
fn a_store_in_trouble_is_checked_so_that_its_condition_says_so() {
    let wakes = list(used().store_troubled(&store_key()));

    assert_eq!(wakes, [store_now(Trigger::StoreTroubled)]);
}

#[test]
fn the_deletion_mark_of_a_store_requeues_those_who_push_to_it() {
    let index = knowing(see_store, store(1, condition("True")));
    see_push_secret(&index, push_secret("p"));
    let mut metadata = metadata("store", 2);
    metadata.generation = Some(1);
    metadata.deletion_timestamp = serde_json::from_value(json!("2026-01-01T00:00:00Z")).unwrap();
    let going = typed::<SecretStore>(&metadata, store_spec(), condition("True"));

    let wakes = see_store(&index, StoreRecord::from(going));

    assert!(
        wakes.contains(&push_retry("p", Trigger::StoreChanged)),
        "{wakes:?}"
    );
}
