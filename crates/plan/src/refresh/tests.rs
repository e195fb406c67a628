use super::*;
use crate::testing::{at, noon, one_value};

/// The object with a status: synced as it is now unless said otherwise, refreshed at `time`.
fn synced(spec: &str, time: &str) -> ExternalSecret {
    let mut object = one_value(spec);
    let status = object.status.get_or_insert_default();
    status.refresh_time = Some(crate::conditions::seconds(at(time)));
    let version = synced_resource_version(&object);
    object
        .status
        .get_or_insert_default()
        .synced_resource_version = Some(version);
    object
}

fn due_now(object: &ExternalSecret) -> Due {
    let refreshed = last_refresh(object, None);
    due(object, refreshed, interval(object).unwrap(), noon())
}

fn edit(mut object: ExternalSecret) -> ExternalSecret {
    object.metadata.generation = Some(2);
    object
}

fn force(mut object: ExternalSecret) -> ExternalSecret {
    object.metadata.annotations = Some([("force-sync".to_owned(), "1".to_owned())].into());
    object
}

const OLD: &str = "2026-04-01T00:00:00Z";
const FRESH: &str = "2026-05-01T11:30:00Z";

#[test]
fn a_new_object_fetches_under_every_policy() {
    for policy in ["", "CreatedOnce", "OnChange", "Periodic"] {
        let object = one_value(&format!("refreshPolicy: '{policy}'"));

        assert_eq!(due_now(&object), Due::Now, "{policy}");
    }
    assert_eq!(due_now(&one_value("refreshInterval: '0'")), Due::Now);
}

#[test]
fn a_policy_decides_what_an_old_refresh_and_an_edit_mean() {
    let cases = [
        ("refreshPolicy: CreatedOnce", Due::Never, Due::Never),
        ("refreshPolicy: OnChange", Due::Never, Due::Now),
        ("refreshPolicy: Periodic", Due::Now, Due::Now),
        ("refreshInterval: 1h", Due::Now, Due::Now),
        ("refreshInterval: '0'", Due::Never, Due::Never),
        ("refreshInterval: -5s", Due::Never, Due::Never),
        ("refreshPolicy: Sometimes", Due::Now, Due::Now),
    ];
    for (spec, old, edited) in cases {
        assert_eq!(due_now(&synced(spec, OLD)), old, "{spec}");
        assert_eq!(due_now(&edit(synced(spec, OLD))), edited, "{spec}");
        assert_eq!(due_now(&force(synced(spec, OLD))), edited, "{spec}");
    }
}

#[test]
fn a_missing_interval_is_one_hour() {
    assert_eq!(
        due_now(&synced("", FRESH)),
        Due::At(at("2026-05-01T12:30:00Z"))
    );
    assert_eq!(due_now(&synced("", "2026-05-01T11:00:00Z")), Due::Now);
}

#[test]
fn a_refresh_in_the_future_is_not_believed() {
    assert_eq!(due_now(&synced("", "2026-05-01T12:00:01Z")), Due::Now);
}

#[test]
fn a_missing_refresh_time_fetches_unless_the_interval_is_zero() {
    for (spec, wanted) in [
        ("", Due::Now),
        ("refreshPolicy: CreatedOnce", Due::Now),
        ("refreshPolicy: OnChange", Due::Now),
        ("refreshInterval: '0'", Due::Never),
    ] {
        let mut object = synced(spec, OLD);
        object.status.as_mut().unwrap().refresh_time = None;

        assert_eq!(due_now(&object), wanted, "{spec}");
    }
}

#[test]
fn memory_of_a_later_refresh_counts() {
    let object = synced("", OLD);
    let refreshed = last_refresh(&object, Some(at(FRESH)));

    let due = due(&object, refreshed, interval(&object).unwrap(), noon());

    assert_eq!(due, Due::At(at("2026-05-01T12:30:00Z")));
}

#[test]
fn windows_gate_the_periodic_refresh_and_nothing_else() {
    let deny = "syncWindows: {kind: deny, windows: [{schedule: 0 11 * * *, duration: 2h}]}";
    let waiting = Due::At(at("2026-05-01T13:00:01Z"));

    assert_eq!(due_now(&synced(deny, OLD)), waiting);
    assert_eq!(due_now(&edit(synced(deny, OLD))), Due::Now);
    assert_eq!(due_now(&one_value(deny)), Due::Now);
}

#[test]
fn an_interval_that_is_no_duration_is_named() {
    let error = interval(&one_value("refreshInterval: soon")).unwrap_err();

    assert_eq!(error, "time: invalid duration \"soon\"");
}

#[test]
fn the_next_refresh_is_later_by_up_to_a_tenth() {
    let object = one_value("refreshInterval: 10m");
    let interval = interval(&object).unwrap();

    assert_eq!(
        next(&object, noon(), interval, 0.0),
        Some(at("2026-05-01T12:10:00Z"))
    );
    assert_eq!(
        next(&object, noon(), interval, 0.5),
        Some(at("2026-05-01T12:10:30Z"))
    );
}

#[test]
fn policies_without_a_period_have_no_next_refresh() {
    for spec in [
        "refreshPolicy: CreatedOnce",
        "refreshPolicy: OnChange",
        "refreshInterval: '0'",
    ] {
        let object = one_value(spec);
        let interval = interval(&object).unwrap();

        assert_eq!(next(&object, noon(), interval, 0.5), None, "{spec}");
    }
}
