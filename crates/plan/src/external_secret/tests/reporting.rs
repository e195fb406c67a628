//! Status, events and the next run for every outcome.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lockstep_api::{ExternalSecret, ExternalSecretStatus};
use lockstep_provider_api::error::{Error, ErrorKind};

use crate::cause::Cause;
use crate::event::EventNote;
use crate::external_secret::*;
use crate::failure::Failure;
use crate::next_run::NextRun;
use crate::settings::{RefreshNote, Settings};
use crate::store::StoreKey;
use crate::testing::{Scene, noon, one_value};

fn reported_at(object: &ExternalSecret, applied: Applied, now: Timestamp) -> Report {
    let scene = Scene::of(object.clone());
    scene.observe(|observed| report(observed, applied, &Settings::default(), now))
}

fn reported(object: &ExternalSecret, applied: Applied) -> Report {
    reported_at(object, applied, noon())
}

fn outcome(target: TargetOutcome) -> Report {
    reported(&one_value(""), Applied::target(target))
}

fn condition(report: &Report) -> (&str, &str, &str) {
    let condition = &report.status.as_ref().unwrap().conditions[0];
    (
        condition.status.as_str(),
        condition.reason.as_deref().unwrap(),
        condition.message.as_deref().unwrap(),
    )
}

fn synced(spec: &str) -> ExternalSecret {
    let mut object = one_value(spec);
    object.status = reported(&object, Applied::target(TargetOutcome::Created)).status;
    object
}

fn later(minutes: i64) -> Timestamp {
    noon()
        .checked_add(SignedDuration::from_mins(minutes))
        .unwrap()
}

#[test]
fn every_outcome_has_its_condition_event_and_binding() {
    use TargetOutcome::{Created, Deleted, Gone, Kept as Left, Missing, Unchanged, Updated};
    let synced = ("True", "SecretSynced", "secret synced");
    let retained = (
        "True",
        "SecretSynced",
        "secret retained due to DeletionPolicy=Retain",
    );
    let deleted = (
        "True",
        "SecretDeleted",
        "secret deleted due to DeletionPolicy=Delete",
    );
    let missing = (
        "True",
        "SecretMissing",
        "secret will not be created due to CreationPolicy=Merge",
    );
    let cases = [
        (Created, synced, Some(("Created", "secret created")), true),
        (Updated, synced, Some(("Updated", "secret updated")), true),
        (Unchanged, synced, None, true),
        (Left(Kept::NotWanted), synced, None, false),
        (Left(Kept::Retained), retained, None, false),
        (Deleted, deleted, Some(("Deleted", deleted.2)), false),
        (Gone, deleted, None, false),
        (Missing, missing, None, false),
    ];
    for (target, wanted, event, binds) in cases {
        let report = outcome(target.clone());

        assert_eq!(condition(&report), wanted, "{target:?}");
        let event = event.map(|(reason, message)| EventNote::normal(reason, message));
        assert_eq!(
            report.events,
            event.into_iter().collect::<Vec<_>>(),
            "{target:?}"
        );
        let status = report.status.unwrap();
        assert_eq!(status.binding.is_some(), binds, "{target:?}");
        assert_eq!(
            report.outcome.awaits_target,
            target == TargetOutcome::Missing
        );
        assert_eq!(report.outcome.refreshed, Some(noon()));
    }
}

#[test]
fn an_answer_stays_while_the_store_is_not_asked() {
    let failed = |store: &str, error: Error| {
        let store = StoreKey::namespaced("ns", store);
        let failure = Failure::of_error("could not get it", &error.context(&store));
        Applied::failed(failure.from_store(store))
    };
    let probed = || Error::unreachable("probed").unasked();
    let mut object = one_value("");
    let answered = failed("one", Error::unreachable("host is down"));
    object.status = reported(&object, answered).status;

    let same = reported_at(&object, failed("one", probed()), later(1));
    assert!(same.status.is_none() && same.events.is_empty());
    let again = failed("one", Error::unreachable("host is down"));
    let again = reported_at(&object, again, later(1));
    assert_eq!(again.events.len(), 1, "a new answer records an event");

    let cause = failed("one", Error::not_found().unasked());
    let cause = reported_at(&object, cause, later(1));
    assert!(condition(&cause).2.contains("NotFound"), "another cause");
    let store = reported_at(&object, failed("two", probed()), later(1));
    assert!(
        condition(&store).2.contains("\"two\": probed"),
        "another store"
    );
    let first = reported(&one_value(""), failed("one", probed()));
    assert!(condition(&first).2.contains("probed"), "no answer yet");
}

#[test]
fn a_new_object_does_not_tell_of_a_missing_store_at_once() {
    let mut object = one_value("");
    object.metadata.creation_timestamp = Some(crate::conditions::seconds(noon()));
    let missing = || Applied::failed(Failure::worded(Cause::STORE_NOT_FOUND, "no store"));

    let report = reported(&object, missing());
    let until = noon() + SignedDuration::from_secs(3);
    assert_eq!(report.outcome.next, NextRun::At(until));
    assert!(
        report.status.is_none() && report.events.is_empty() && report.outcome.failure.is_none()
    );

    let report = reported_at(&object, missing(), until);
    assert_eq!(condition(&report).0, "False");
}

#[test]
fn success_notes_time_version_and_generation() {
    let report = outcome(TargetOutcome::Created);

    let status = report.status.unwrap();
    assert_eq!(status.refresh_time.unwrap().0, noon());
    assert_eq!(
        status.synced_resource_version.as_deref(),
        Some("1-f47fe3c0b255b6dd8047cdffa772587bb829efe7a1cb70febeda2eb2")
    );
    assert_eq!(status.observed_generation, Some(1));
    assert_eq!(status.binding.unwrap().name, "es");
    assert_eq!(report.outcome.next, NextRun::At(later(60)));
    assert!(report.outcome.condition_changed);
}

#[test]
fn a_sync_by_change_moves_the_transition_with_the_refresh() {
    for (policy, moved) in [("OnChange", 5), ("Periodic", 0)] {
        let mut object = synced(&format!("refreshPolicy: {policy}"));
        object.metadata.generation = Some(2);

        let report = reported_at(&object, Applied::target(TargetOutcome::Updated), later(5));

        let status = report.status.unwrap();
        assert_eq!(status.refresh_time.unwrap().0, later(5));
        let transition = status.conditions[0].last_transition_time.clone();
        assert_eq!(transition.unwrap().0, later(moved), "{policy}");
    }
}

#[test]
fn fractions_of_a_second_are_not_kept() {
    let now: Timestamp = "2026-05-01T12:00:00.75Z".parse().unwrap();

    let report = reported_at(&one_value(""), Applied::target(TargetOutcome::Created), now);

    assert_eq!(report.status.unwrap().refresh_time.unwrap().0, noon());
}

#[test]
fn a_failure_keeps_refresh_time_and_version_and_says_why() {
    let object = synced("");
    let error = Error::new(ErrorKind::Denied, "policy does not allow read");
    let failure = Failure::of_error("could not get secret data from provider", &error);

    let report = reported_at(&object, Applied::failed(failure), later(60));

    assert_eq!(
        condition(&report),
        (
            "False",
            "SecretSyncedError",
            "could not get secret data from provider: Denied: policy does not allow read; allow the \
             store's identity to do this"
        )
    );
    assert_eq!(
        report.events,
        [EventNote::warning(
            "UpdateFailed",
            "policy does not allow read"
        )]
    );
    let status = report.status.unwrap();
    assert_eq!(status.refresh_time.unwrap().0, noon());
    assert_eq!(
        status.synced_resource_version,
        object.status.unwrap().synced_resource_version
    );
    assert_eq!(
        (report.outcome.next, report.outcome.refreshed),
        (NextRun::Backoff, None)
    );
}

#[test]
fn the_same_failure_again_writes_nothing() {
    let failure = || {
        Failure::new(
            "could not update secret",
            Cause::API_SERVER,
            "RequestID: 1, no",
        )
    };
    let mut object = one_value("");
    object.status = reported(&object, Applied::failed(failure())).status;

    let again = Failure::new(
        "could not update secret",
        Cause::API_SERVER,
        "RequestID: 2, no",
    );
    let report = reported_at(&object, Applied::failed(again), later(1));

    assert_eq!(report.status, None);
    assert!(!report.outcome.condition_changed);
    assert_eq!(report.events.len(), 1);
}

#[test]
fn a_failure_carries_the_refresh_only_memory_knew() {
    let mut scene = Scene::of(synced("refreshInterval: 1m"));
    scene.last_refresh = Some(later(5));
    let failure = Failure::new("could not update secret", Cause::API_SERVER, "no");

    let report = scene.observe(|observed| {
        report(
            observed,
            Applied::failed(failure),
            &Settings::default(),
            later(6),
        )
    });

    assert_eq!(report.status.unwrap().refresh_time.unwrap().0, later(5));
}

#[test]
fn the_binding_names_a_target_that_was_about_to_change() {
    let failure = || Failure::new("could not update secret", Cause::API_SERVER, "no");

    let before = reported(&one_value(""), Applied::failed(failure()));
    let during = reported(&one_value(""), Applied::failed(failure().touching_target()));

    assert_eq!(before.status.unwrap().binding, None);
    assert_eq!(during.status.unwrap().binding.unwrap().name, "es");
}

#[test]
fn the_cause_decides_when_to_try_again() {
    let cases = [
        (ErrorKind::NotFound, NextRun::Backoff),
        (ErrorKind::InvalidData, NextRun::Backoff),
        (ErrorKind::Denied, NextRun::Backoff),
        (ErrorKind::Unauthenticated, NextRun::Backoff),
        (ErrorKind::Conflict, NextRun::Backoff),
        (ErrorKind::Internal, NextRun::Backoff),
        (ErrorKind::Unreachable, NextRun::Breaker),
        (
            ErrorKind::InvalidSpec,
            NextRun::After(Duration::from_mins(7)),
        ),
        (
            ErrorKind::Unsupported,
            NextRun::After(Duration::from_mins(7)),
        ),
        (ErrorKind::Throttled, NextRun::After(Duration::from_secs(9))),
    ];
    for (kind, next) in cases {
        let error = Error::new(kind.clone(), "x").with_retry_after(Duration::from_secs(9));
        let failure = Failure::of_error("could not get secret data from provider", &error);

        assert_eq!(
            reported(&one_value(""), Applied::failed(failure))
                .outcome
                .next,
            next,
            "{kind:?}"
        );
    }
}

#[test]
fn a_conflict_leaves_no_trace_and_runs_again() {
    let report = outcome(TargetOutcome::Conflict);

    assert_eq!(
        (report.status, report.outcome.next),
        (None, NextRun::Backoff)
    );
    assert_eq!(report.events, []);
}

#[test]
fn a_deletion_that_is_postponed_leaves_no_trace_and_is_looked_at_in_time() {
    let report = outcome(TargetOutcome::Postponed(noon()));

    assert_eq!(
        (report.status, report.outcome.next),
        (None, NextRun::At(noon()))
    );
    assert_eq!(report.events, []);
}

#[test]
fn an_unchanged_refresh_is_noted_now_and_then() {
    let cases = [
        ("refreshInterval: 1m", 1, false),
        ("refreshInterval: 1m", 9, false),
        ("refreshInterval: 1m", 20, true),
        ("refreshInterval: 10m", 9, false),
        ("refreshInterval: 10m", 20, true),
        ("refreshInterval: 1h", 53, false),
        ("refreshInterval: 1h", 54, true),
    ];
    for (spec, minutes, noted) in cases {
        let unchanged = Applied::target(TargetOutcome::Unchanged);

        let report = reported_at(&synced(spec), unchanged, later(minutes));

        assert_eq!(report.status.is_some(), noted, "{spec} after {minutes} min");
        assert_eq!(report.outcome.refreshed, Some(later(minutes)));
        if let Some(status) = report.status {
            assert_eq!(status.refresh_time.unwrap().0, later(minutes));
        }
    }
}

#[test]
fn every_refresh_is_noted_on_request() {
    let settings = Settings {
        refresh_note: RefreshNote::EveryRefresh,
        ..Settings::default()
    };
    let scene = Scene::of(synced("refreshInterval: 1m"));

    let report = scene.observe(|observed| {
        report(
            observed,
            Applied::target(TargetOutcome::Unchanged),
            &settings,
            later(1),
        )
    });

    assert!(report.status.is_some());
}

#[test]
fn notes_of_objects_made_together_are_spread() {
    let due_after = |uid: &str| {
        let mut object = synced("refreshInterval: 1s");
        object.metadata.uid = Some(uid.to_owned());
        (600..=1200).find(|seconds| {
            let now = noon()
                .checked_add(SignedDuration::from_secs(*seconds))
                .unwrap();
            let unchanged = Applied::target(TargetOutcome::Unchanged);
            reported_at(&object, unchanged, now).status.is_some()
        })
    };

    let times: std::collections::BTreeSet<Option<i64>> = (0..20)
        .map(|number| due_after(&format!("uid-{number}")))
        .collect();

    assert!(
        !times.contains(&None),
        "every note is due within twenty minutes"
    );
    assert!(times.len() > 5, "{times:?}");
}

#[test]
fn taking_over_from_another_operator_writes_nothing() {
    let mut object = synced("");
    object.status.as_mut().unwrap().observed_generation = None;

    let report = reported_at(&object, Applied::target(TargetOutcome::Unchanged), later(1));

    assert_eq!(report.status, None);
}

#[test]
fn the_generation_comes_with_the_next_real_write_where_the_schema_keeps_it() {
    let mut object = synced("");
    object.status.as_mut().unwrap().observed_generation = None;
    for (keeps, wanted) in [(true, Some(1)), (false, None)] {
        let settings = Settings {
            observed_generation: keeps,
            ..Settings::default()
        };
        let scene = Scene::of(object.clone());

        let report = scene.observe(|observed| {
            report(
                observed,
                Applied::target(TargetOutcome::Missing),
                &settings,
                later(1),
            )
        });

        assert_eq!(report.status.unwrap().observed_generation, wanted);
    }
}

#[test]
fn an_object_that_shows_a_generation_gets_its_own_even_if_earlier_schemas_kept_none() {
    let settings = Settings {
        observed_generation: false,
        ..Settings::default()
    };
    // As a schema that was put in place meanwhile makes new objects.
    let mut object = one_value("");
    object.status = Some(ExternalSecretStatus {
        observed_generation: Some(-1),
        ..ExternalSecretStatus::default()
    });
    let scene = Scene::of(object);

    let applied = Applied::target(TargetOutcome::Created);
    let report = scene.observe(|observed| report(observed, applied, &settings, noon()));

    assert_eq!(report.status.unwrap().observed_generation, Some(1));
}

#[test]
fn a_forced_sync_that_changes_nothing_is_noted_in_the_version() {
    let mut object = synced("");
    object.metadata.annotations = Some([("force-sync".to_owned(), "1".to_owned())].into());

    let report = reported_at(&object, Applied::target(TargetOutcome::Unchanged), later(1));

    let version = synced_resource_version(&object);
    let status: ExternalSecretStatus = report.status.unwrap();
    assert_eq!(status.synced_resource_version, Some(version));
    assert_eq!(report.events, []);
}

#[test]
fn former_targets_are_told_one_by_one() {
    let applied = Applied {
        orphans_deleted: 2,
        ..Applied::target(TargetOutcome::Created)
    };

    let events = reported(&one_value(""), applied).events;

    let orphan = EventNote::normal("Deleted", "secret deleted because it was orphaned");
    assert_eq!(
        events,
        [
            orphan.clone(),
            orphan,
            EventNote::normal("Created", "secret created")
        ]
    );
}

#[test]
fn a_secret_that_stays_missing_at_the_provider_is_told_once() {
    let missing = EventNote::normal("MissingProviderSecret", "x");
    let applied = |target| Applied {
        events: vec![missing.clone()],
        ..Applied::target(target)
    };
    let spec = "target: {deletionPolicy: Delete}";

    let first = reported(&one_value(spec), applied(TargetOutcome::Created));
    let again = reported_at(&synced(spec), applied(TargetOutcome::Unchanged), later(1));
    let changed = reported_at(&synced(spec), applied(TargetOutcome::Updated), later(1));

    assert!(first.events.contains(&missing));
    assert_eq!(again.events, []);
    assert!(changed.events.contains(&missing));
}

#[test]
fn policies_without_a_period_wait_for_a_change() {
    for spec in [
        "refreshPolicy: CreatedOnce",
        "refreshPolicy: OnChange",
        "refreshInterval: '0'",
    ] {
        let report = reported(&one_value(spec), Applied::target(TargetOutcome::Created));

        assert_eq!(report.outcome.next, NextRun::OnChange, "{spec}");
    }
}

#[test]
fn what_was_met_before_a_failure_is_told_once_with_it() {
    let missing = EventNote::normal("MissingProviderSecret", "x");
    let failure = || Failure::new("could not delete secret", Cause::INVALID_SPEC, "no");
    let mut object = one_value("");
    let applied = Applied {
        events: vec![missing.clone()],
        ..Applied::failed(failure())
    };

    let first = reported(
        &object,
        Applied::failed(failure().after(vec![missing.clone()])),
    );
    let from_plan = reported(&object, applied.clone());
    object.status = first.status;
    let again = reported(&object, applied);

    let warning = EventNote::warning("UpdateFailed", "no");
    assert_eq!(first.events, [missing.clone(), warning.clone()]);
    assert_eq!(from_plan.events, [missing, warning.clone()]);
    assert_eq!(again.events, [warning]);
}

#[test]
fn the_status_says_when_it_is_written_again() {
    let next = |spec: &str| {
        let status = synced(spec).status.unwrap();
        status.next_update_time.map(|time| time.0)
    };

    let short = next("refreshInterval: 30s").unwrap();
    assert!((later(10)..later(21)).contains(&short), "{short}");
    let long = next("refreshInterval: 1h").unwrap();
    assert!((later(60)..later(90)).contains(&long), "{long}");
    assert_eq!(next("refreshInterval: 0s"), None);
    assert_eq!(next("refreshPolicy: CreatedOnce"), None);
}

#[test]
fn a_failed_sync_promises_no_next_update() {
    let object = synced("refreshInterval: 1h");
    let failure = Failure::worded(Cause::STORE_NOT_FOUND, "no store");

    let report = reported(&object, Applied::failed(failure));

    assert_eq!(report.status.unwrap().next_update_time, None);
}
