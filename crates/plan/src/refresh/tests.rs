use super::*;
use crate::testing::{at, noon, one_value};

/// The object with a status: synced as it is now unless said otherwise, refreshed at `time`.
fn synced(spec: &str, time: &str) -> ExternalSecret {
    let mut object = one_value(spec);
    let status = object.status.get_or_insert_default();
    status.refresh_time = Some(crate::conditions::seconds(at(time)));
    let version = meta::synced_resource_version(&object.metadata);
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

fn ready(mut object: ExternalSecret, status: bool) -> ExternalSecret {
    let condition = crate::conditions::ready(status, "R", "m");
    let held = object.status.get_or_insert_default();
    crate::conditions::set(&mut held.conditions, condition, noon());
    object
}

/// What a process that started ten seconds ago decides.
fn after_start(object: &ExternalSecret) -> Due {
    let started = noon().checked_sub(SignedDuration::from_secs(10)).unwrap();
    let refreshed = last_refresh(object, None);
    let known = refreshed.zip(Some(started));
    resumed(
        object,
        due_now(object),
        known,
        interval(object).unwrap(),
        noon(),
    )
}

#[test]
fn missed_refreshes_are_spread_over_five_minutes_or_the_interval() {
    for (interval, longest) in [("1h", 290), ("1m", 50)] {
        let mut slots = std::collections::BTreeSet::new();
        for number in 0..50 {
            let spec = format!("refreshInterval: {interval}");
            let mut object = ready(synced(&spec, OLD), true);
            object.metadata.uid = Some(format!("uid-{number}"));
            match after_start(&object) {
                Due::Spread(slot) => slots.insert(slot.duration_since(noon()).as_secs()),
                Due::Now => slots.insert(0),
                other => panic!("{other:?}"),
            };
        }

        assert!(
            slots.last().is_some_and(|last| *last <= longest),
            "{slots:?}"
        );
        assert!(slots.len() > 20, "{slots:?}");
    }
}

#[test]
fn after_a_start_changed_forced_and_failed_objects_do_not_wait() {
    let settled = ready(synced("refreshInterval: 1h", OLD), true);

    assert_eq!(after_start(&edit(settled.clone())), Due::Now);
    assert_eq!(after_start(&force(settled.clone())), Due::Now);
    assert_eq!(after_start(&ready(settled, false)), Due::Now);
    assert_eq!(after_start(&one_value("refreshInterval: 1h")), Due::Now);
}

#[test]
fn a_refresh_missed_while_running_does_not_wait_for_a_slot() {
    let object = ready(synced("refreshInterval: 30m", "2026-05-01T11:29:55Z"), true);

    assert_eq!(after_start(&object), Due::Now);
}

#[test]
fn objects_share_reads_only_where_values_alone_decide() {
    let alone = [
        "refreshPolicy: CreatedOnce",
        "refreshPolicy: OnChange",
        "refreshInterval: '0'",
        "syncWindows: {kind: allow, windows: [{schedule: '* * * * *', duration: 1h}]}",
        "target: {template: {templateFrom: [{configMap: {name: c, items: [{key: k}]}}]}}",
        "target: {template: {data: {a: '{{ now }}'}}}",
        "target: {template: {data: {a: '{{ randAlphaNum 8 }}'}}}",
    ];
    let settings = Settings::default();
    for spec in alone {
        assert_eq!(shared_interval(&one_value(spec), &settings), None, "{spec}");
    }
    let shared = [
        "refreshInterval: 1h",
        "target: {template: {data: {a: '{{ .a | upper }}'}}}",
    ];
    for spec in shared {
        let interval = shared_interval(&one_value(spec), &settings);
        assert_eq!(interval, Some(Duration::from_hours(1)), "{spec}");
    }
    let noisy = Settings {
        refresh_note: RefreshNote::EveryRefresh,
        ..settings
    };
    assert_eq!(shared_interval(&one_value(""), &noisy), None);
}

#[test]
fn a_credential_is_replaced_after_four_fifths_of_its_life_or_five_minutes_before_its_end() {
    let now = Timestamp::from_second(1_000_000).unwrap();
    let table = [
        (3_600, 2_880),
        (900, 600),
        (360, 180),
        (100_000, 80_000),
        (1, 0),
    ];

    for (life, after) in table {
        let expires = now + SignedDuration::from_secs(life);
        let renewal = renewal(expires, now).unwrap();
        assert_eq!(renewal.duration_since(now).as_secs(), after, "{life}");
    }
    assert_eq!(renewal(now, now), None);
}
