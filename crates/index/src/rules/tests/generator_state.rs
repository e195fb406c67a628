//! When GeneratorStates are requeued.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use lockstep_api::GeneratorState;
use lockstep_api::keys::FINALIZER_GENERATOR_STATE;

use super::*;
use crate::rules::generator_state_seen;

/// A state that was claimed, with this deadline.
fn state(deadline: Option<Timestamp>) -> GeneratorState {
    let mut state = GeneratorState {
        metadata: metadata("state", 1),
        ..GeneratorState::default()
    };
    state.metadata.finalizers = Some(vec![FINALIZER_GENERATOR_STATE.to_owned()]);
    state.spec.garbage_collection_deadline = deadline.map(Time);
    state
}

fn see(seen: Seen<GeneratorState>) -> Vec<Wake> {
    list(generator_state_seen(seen, now()))
}

fn requeued(when: When) -> Wake {
    Wake::Requeue(Requeue {
        object: Queued::GeneratorState(key("state")),
        when,
        reset_backoff: false,
        trigger: Trigger::Changed,
    })
}

fn forgotten() -> Wake {
    Wake::Forget(Queued::GeneratorState(key("state")))
}

#[test]
fn a_state_without_a_finalizer_is_requeued_now() {
    let mut new = state(None);
    new.metadata.finalizers = None;

    assert_eq!(see(applied(new)), [requeued(When::Now)]);
}

#[test]
fn a_state_with_a_deadline_is_requeued_at_it() {
    let deadline = after(5_000);

    assert_eq!(
        see(applied(state(Some(deadline)))),
        [requeued(When::At(deadline))]
    );
}

#[test]
fn a_state_whose_deadline_has_passed_is_requeued_now() {
    assert_eq!(see(applied(state(Some(now())))), [requeued(When::Now)]);
}

#[test]
fn a_state_that_is_being_deleted_is_requeued_now() {
    let mut ending = state(None);
    ending.metadata.deletion_timestamp = Some(Time(now()));

    assert_eq!(see(applied(ending)), [requeued(When::Now)]);
}

#[test]
fn a_state_in_use_leaves_the_queue() {
    assert_eq!(see(applied(state(None))), [forgotten()]);
}

#[test]
fn a_state_that_is_gone_leaves_the_queue() {
    assert_eq!(see(deleted(state(Some(now())))), [forgotten()]);
}

#[test]
fn a_list_of_states_requeues_no_one() {
    assert_eq!(see(Seen::ListBegins), []);
    assert_eq!(see(Seen::ListEnds), []);
}
