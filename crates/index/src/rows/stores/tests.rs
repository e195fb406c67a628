//! Which events about stores count, and who waits for a check.

use jiff::Timestamp;
use lockstep_api::SecretStore;
use lockstep_plan::StoreKey;
use lockstep_plan::store::StoreRecord;

use super::Stores;
use crate::key::ObjectKey;
use crate::rows::Reader;

fn store(version: u32, ready: Option<&str>) -> StoreRecord {
    let mut json = serde_json::json!({
        "metadata": {
            "namespace": "ns", "name": "store", "uid": "u", "generation": 1,
            "resourceVersion": version.to_string(),
        },
        "spec": { "provider": { "fake": { "data": [] } } },
    });
    if let Some(status) = ready {
        json["status"] =
            serde_json::json!({ "conditions": [{ "type": "Ready", "status": status }] });
    }
    let store: SecretStore = serde_json::from_value(json).unwrap();
    StoreRecord::from(store)
}

fn user() -> Reader {
    Reader::ExternalSecret(ObjectKey::new("ns", "user"))
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap()
}

/// A store that is known, not ready and asked to be checked at second zero.
fn checked() -> (Stores, StoreKey) {
    let mut stores = Stores::default();
    let (key, touch) = stores.apply(store(1, None));
    assert!(touch.run);
    stores.check_asked(&key, at(0));
    (stores, key)
}

#[test]
fn a_user_waits_for_the_check_of_its_store() {
    let (mut stores, key) = checked();
    let keys = [key.clone()];
    assert_eq!(stores.hold(&user(), &keys, at(100)), Some(at(2_000)));
    assert!(stores.check_ended(&key).contains(&user()));
    assert_eq!(stores.hold(&user(), &keys, at(200)), None);
}

#[test]
fn a_long_check_is_not_waited_for() {
    let (mut stores, key) = checked();
    stores.check_asked(&key, at(1_900));
    assert_eq!(stores.hold(&user(), &[key], at(2_000)), None);
}

#[test]
fn nobody_waits_for_the_check_of_a_ready_store() {
    let (mut stores, key) = checked();
    stores.apply(store(2, Some("True")));
    assert_eq!(stores.hold(&user(), &[key], at(100)), None);
}

#[test]
fn a_user_waits_for_the_check_of_a_ready_store_with_another_spec() {
    let (mut stores, key) = checked();
    stores.apply(store(2, Some("True")));
    stores.spec_changed(&key, at(50));
    let keys = [key.clone()];

    assert_eq!(stores.hold(&user(), &keys, at(100)), Some(at(2_000)));
    assert!(stores.check_ended(&key).contains(&user()));
    assert_eq!(stores.hold(&user(), &keys, at(200)), None);
}

#[test]
fn a_store_whose_condition_somebody_took_away_is_checked_again() {
    let (mut stores, _) = checked();
    let (_, told) = stores.apply(store(2, Some("True")));
    let (_, wiped) = stores.apply(store(3, None));

    assert!(!told.run);
    assert!(wiped.run && !wiped.new_spec);
}

#[test]
fn a_clock_set_back_holds_nobody() {
    let (mut stores, key) = checked();
    assert_eq!(stores.hold(&user(), &[key], at(-5_000)), None);
}

#[test]
fn an_echo_older_than_our_own_write_is_passed_over() {
    let (mut stores, key) = checked();
    stores.apply(store(3, Some("True")));
    let (_, touch) = stores.apply(store(2, None));
    assert!(!touch.run && !touch.wakes_users());
    assert_eq!(stores.get(&key).and_then(|row| row.ready()), Some(true));
}

#[test]
fn after_a_restore_a_store_of_the_same_generation_counts_as_another_spec() {
    let mut stores = Stores::default();
    stores.apply(store(900, Some("True")));

    stores.distrust();
    let (_, listed) = stores.apply(store(310, Some("True")));
    let (_, again) = stores.apply(store(311, Some("True")));

    assert!(listed.new_spec && listed.run);
    assert!(!again.new_spec && !again.run);
}
