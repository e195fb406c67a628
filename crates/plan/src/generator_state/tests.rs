//! States of an owner, and what becomes of one.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use lockstep_api::generator_state::GeneratorState;
use lockstep_api::keys::FINALIZER_GENERATOR_STATE;
use serde_json::{Value, json};

use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn owner(metadata: &ObjectMeta) -> StateOwner<'_> {
    StateOwner {
        api_version: "external-secrets.io/v1",
        kind: "ExternalSecret",
        metadata,
    }
}

fn metadata() -> ObjectMeta {
    ObjectMeta {
        name: Some("my-es".to_owned()),
        namespace: Some("default".to_owned()),
        uid: Some("u".to_owned()),
        ..ObjectMeta::default()
    }
}

fn state(name: &str, created: i64) -> GeneratorState {
    let mut state = GeneratorState::default();
    state.metadata.name = Some(name.to_owned());
    state.metadata.creation_timestamp = Some(Time(at(created)));
    state.metadata.finalizers = Some(vec![FINALIZER_GENERATOR_STATE.to_owned()]);
    state
}

#[test]
fn the_owner_key_is_the_one_that_the_original_wrote() {
    let metadata = metadata();

    let key = owner_key(owner(&metadata), "0");

    assert_eq!(
        key,
        "9915f96d753b27b8e9efddd3a0d8653f0950199e3e1da6e83e967b73"
    );
}

#[test]
fn a_new_state_names_its_owner_without_being_controlled_by_it() {
    let metadata = metadata();

    let made = new_state(owner(&metadata), "0", (json!({ "kind": "K" }), json!(1)));

    let own = made.metadata;
    assert_eq!(
        own.generate_name.as_deref(),
        Some("gen-externalsecret-my-es-")
    );
    assert_eq!(own.finalizers.unwrap(), [FINALIZER_GENERATOR_STATE]);
    let reference = &own.owner_references.unwrap()[0];
    assert_eq!((&*reference.name, reference.controller), ("my-es", None));
    assert_eq!(made.spec.resource, json!({ "kind": "K" }));
}

#[test]
fn the_newest_state_and_the_one_before_it_stay() {
    let states = [state("b", 2), state("d", 4), state("a", 1), state("c", 3)];

    assert_eq!(superseded(&states, "d"), ["a", "b"]);
    assert!(superseded(&states[..1], "d").is_empty());
}

#[test]
fn states_with_a_deadline_are_not_flagged_again() {
    let mut flagged = state("a", 1);
    flagged.spec.garbage_collection_deadline = Some(Time(at(9)));

    let states = [flagged, state("b", 2), state("c", 3)];

    assert!(superseded(&states, "c").is_empty());
}

#[test]
fn a_deadline_is_written_in_whole_seconds() {
    let patch = deadline_patch(Timestamp::new(5, 600_000_000).unwrap());

    let deadline = json!({ "garbageCollectionDeadline": "1970-01-01T00:00:06Z" });
    assert_eq!(patch, json!({ "spec": deadline }));
}

#[test]
fn a_state_waits_for_its_deadline_and_is_deleted_then() {
    let mut object = state("s", 0);
    assert_eq!(decide(&object, at(5)), Decision::Idle);

    object.spec.garbage_collection_deadline = Some(Time(at(5)));

    assert_eq!(decide(&object, at(4)), Decision::Wait(at(5)));
    assert_eq!(decide(&object, at(5)), Decision::Delete);
}

#[test]
fn a_state_of_another_operator_is_claimed() {
    let mut object = state("s", 0);
    object.metadata.finalizers = None;

    let Decision::Claim(patch) = decide(&object, at(5)) else {
        panic!("it is not ours yet");
    };

    assert_eq!(
        patch["metadata"]["finalizers"],
        json!([FINALIZER_GENERATOR_STATE])
    );
}

#[test]
fn a_state_that_goes_is_cleaned_up_by_its_snapshot() {
    let mut object = state("s", 0);
    object.metadata.deletion_timestamp = Some(Time(at(1)));
    object.spec.resource = json!({ "kind": "Grafana", "spec": { "url": "u" } });
    object.spec.state = json!({ "id": 1 });

    let Decision::CleanUp {
        kind,
        spec,
        state,
        release,
    } = decide(&object, at(5))
    else {
        panic!("it has our finalizer");
    };

    assert_eq!(
        (&*kind, spec, state),
        ("Grafana", json!({ "url": "u" }), json!({ "id": 1 }))
    );
    assert_eq!(release["metadata"]["finalizers"], json!([]));
}

#[test]
fn a_snapshot_that_is_nonsense_can_still_go() {
    let mut object = state("s", 0);
    object.metadata.deletion_timestamp = Some(Time(at(1)));
    object.spec.resource = json!("nonsense");

    let Decision::CleanUp { kind, spec, .. } = decide(&object, at(5)) else {
        panic!("it has our finalizer");
    };

    assert_eq!((&*kind, spec), ("", Value::Null));
}
