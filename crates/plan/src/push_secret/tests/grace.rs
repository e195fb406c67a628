//! What the source no longer has is deleted after a grace time only.

use jiff::SignedDuration;
use lockstep_api::push_secret::SyncedPushSecrets;

use super::*;
use crate::next_run::NextRun;

fn later(seconds: i64) -> Timestamp {
    noon() + SignedDuration::from_secs(seconds)
}

/// An object with policy Delete that has pushed one key.
fn pushed(spec: &str) -> Scene {
    let spec = format!("deletionPolicy: Delete\n{spec}");
    let mut scene = Scene::of(finalized(one_key(&spec)));
    scene.written();
    scene
}

fn waits(scene: &Scene, state: SourceState, now: Timestamp) -> Option<Pending> {
    let all = obsolete(&scene.object, &SyncedPushSecrets::new());
    pending(&scene.observed(), state, &all, now)
}

#[test]
fn a_source_that_is_missing_is_looked_for_again_before_anything_is_deleted() {
    let mut scene = pushed("");

    let first = waits(&scene, SourceState::Missing, noon()).unwrap();
    assert_eq!((first.since, first.until), (noon(), later(30)));
    let event = first.event.unwrap();
    assert_eq!(event.reason, "DeletionPending");
    assert_eq!(
        event.message,
        "source Secret \"src\" is missing: deleting r in SecretStore/s in 30s unless it is back by then"
    );

    scene.doomed_since = Some(noon());
    let again = waits(&scene, SourceState::Missing, later(29)).unwrap();
    assert_eq!((again.until, again.event), (later(30), None));
    assert_eq!(waits(&scene, SourceState::Missing, later(30)), None);
}

#[test]
fn an_edit_of_the_object_deletes_at_once_but_not_while_the_source_is_missing() {
    let mut scene = pushed("");
    scene.object.metadata.generation = Some(99);

    assert_eq!(waits(&scene, SourceState::There, noon()), None);
    assert!(waits(&scene, SourceState::Missing, noon()).is_some());
}

#[test]
fn what_the_source_alone_no_longer_has_waits_too() {
    let scene = pushed("");

    let waiting = waits(&scene, SourceState::There, noon()).unwrap();

    let text = waiting.event.unwrap().message;
    assert!(text.starts_with("the source no longer has"), "{text}");
    assert_eq!(
        pending(&scene.observed(), SourceState::There, &[], noon()),
        None
    );
}

#[test]
fn a_clock_that_was_set_back_starts_the_grace_time_again() {
    let mut scene = pushed("");
    scene.doomed_since = Some(later(3_600));

    let waiting = waits(&scene, SourceState::Missing, noon()).unwrap();

    assert_eq!(waiting.until, later(30));
}

#[test]
fn an_object_whose_deletion_waits_runs_when_the_grace_time_is_over() {
    for interval in ["refreshInterval: 1h", "refreshInterval: 0s"] {
        let mut scene = pushed(interval);
        scene.doomed_since = Some(noon());
        let decide = |now| decide(&scene.observed(), &scene.settings, now).decision;

        let early = decide(later(5));
        let Decision::Idle { until, .. } = early else {
            panic!("{interval}: {early:?}");
        };
        assert_eq!(until, Some(later(30)), "{interval}");
        assert!(matches!(decide(later(30)), Decision::Push(_)), "{interval}");
    }
}

#[test]
fn a_missing_source_leaves_condition_and_record_until_the_grace_time_is_over() {
    let scene = pushed("refreshInterval: 1h");
    let applied = Applied {
        record: scene.object.status.clone().unwrap().synced_push_secrets,
        settled: Settled::SourceMissing,
        pending: waits(&scene, SourceState::Missing, noon()),
    };

    let report = report(&scene.observed(), applied, &scene.settings, noon());

    assert_eq!(report.status, None);
    assert_eq!(report.outcome.next, NextRun::At(later(30)));
    assert_eq!(report.outcome.doomed_since, Some(noon()));
    assert_eq!(report.events.len(), 1);
}
