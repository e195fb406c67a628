use lockstep_api::external_secret::SyncWindow;

use super::*;
use crate::testing::{at, noon};

fn windows(kind: &str, list: &[(&str, &str)]) -> SyncWindows {
    let windows = list.iter().map(|(schedule, duration)| SyncWindow {
        schedule: (*schedule).to_owned(),
        duration: (*duration).to_owned(),
    });
    SyncWindows {
        kind: kind.into(),
        windows: windows.collect(),
    }
}

fn first(schedule: &str, from: &str) -> Option<Timestamp> {
    Schedule::parse(schedule)
        .unwrap()
        .first_at_or_after(at(from))
}

#[test]
fn schedules_fire_when_cron_says() {
    let cases = [
        ("* * * * *", "2026-05-01T12:00:00Z", "2026-05-01T12:00:00Z"),
        (
            "* * * * *",
            "2026-05-01T12:00:00.5Z",
            "2026-05-01T12:01:00Z",
        ),
        (
            "*/15 * * * *",
            "2026-05-01T12:01:00Z",
            "2026-05-01T12:15:00Z",
        ),
        (
            "5/20 * * * *",
            "2026-05-01T12:26:00Z",
            "2026-05-01T12:45:00Z",
        ),
        (
            "0 9-17 * * MON-FRI",
            "2026-05-01T18:00:00Z",
            "2026-05-04T09:00:00Z",
        ),
        (
            "30 4 1,15 * 5",
            "2026-05-02T00:00:00Z",
            "2026-05-08T04:30:00Z",
        ),
        ("0 0 31 * *", "2026-04-01T00:00:00Z", "2026-05-31T00:00:00Z"),
        (
            "0 0 29 feb ?",
            "2026-05-01T00:00:00Z",
            "2028-02-29T00:00:00Z",
        ),
        (
            "0 0 * * */2",
            "2026-05-01T00:00:00Z",
            "2026-05-02T00:00:00Z",
        ),
        (
            "0 0 13 * */2",
            "2026-05-01T00:00:00Z",
            "2026-05-02T00:00:00Z",
        ),
        (
            "+5,,10, *-3 * * *",
            "2026-05-01T12:06:00Z",
            "2026-05-01T12:10:00Z",
        ),
        (
            "0 0 ?-3 * 1",
            "2026-05-01T12:00:00Z",
            "2026-05-04T00:00:00Z",
        ),
        ("@hourly", "2026-05-01T12:00:01Z", "2026-05-01T13:00:00Z"),
        ("@daily", "2026-05-01T12:00:00Z", "2026-05-02T00:00:00Z"),
        ("@midnight", "2026-05-01T12:00:00Z", "2026-05-02T00:00:00Z"),
        ("@weekly", "2026-05-01T12:00:00Z", "2026-05-03T00:00:00Z"),
        ("@monthly", "2026-05-01T12:00:00Z", "2026-06-01T00:00:00Z"),
        ("@yearly", "2026-05-01T12:00:00Z", "2027-01-01T00:00:00Z"),
        ("@annually", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z"),
    ];
    for (schedule, from, wanted) in cases {
        assert_eq!(
            first(schedule, from),
            Some(at(wanted)),
            "{schedule} from {from}"
        );
    }
}

#[test]
fn a_day_that_never_comes_is_given_up() {
    assert_eq!(first("0 0 30 2 *", "2026-05-01T00:00:00Z"), None);
    assert_eq!(first(", * * * *", "2026-05-01T00:00:00Z"), None);
}

#[test]
fn schedules_that_are_none_are_refused() {
    let bad = [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 7",
        "5-1 * * * *",
        "*/0 * * * *",
        "a * * * *",
        "@often",
        "@every soon",
        "1-2-3 * * * *",
        "1-* * * * *",
    ];
    for text in bad {
        assert!(Schedule::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_window_is_open_at_both_of_its_ends() {
    let windows = windows("allow", &[("0 11 * * *", "1h")]);

    assert_eq!(permit(&windows, at("2026-05-01T11:00:00Z")), Permit::Open);
    assert_eq!(permit(&windows, noon()), Permit::Open);
    assert_eq!(
        permit(&windows, at("2026-05-01T12:00:00.1Z")),
        Permit::Closed {
            until: Some(at("2026-05-02T11:00:00Z"))
        }
    );
}

#[test]
fn a_denying_window_closes_until_it_ends() {
    let windows = windows("deny", &[("0 11 * * *", "2h")]);

    assert_eq!(
        permit(&windows, noon()),
        Permit::Closed {
            until: Some(at("2026-05-01T13:00:01Z"))
        }
    );
    assert_eq!(permit(&windows, at("2026-05-01T13:00:01Z")), Permit::Open);
}

#[test]
fn overlapping_windows_close_until_the_last_of_them_ends() {
    let windows = windows("deny", &[("0 11 * * *", "2h"), ("30 12 * * *", "2h")]);

    assert_eq!(
        permit(&windows, noon()),
        Permit::Closed {
            until: Some(at("2026-05-01T14:30:01Z"))
        }
    );
}

#[test]
fn the_earliest_of_several_openings_counts() {
    let windows = windows("allow", &[("0 20 * * *", "1h"), ("0 14 * * *", "1h")]);

    assert_eq!(
        permit(&windows, noon()),
        Permit::Closed {
            until: Some(at("2026-05-01T14:00:00Z"))
        }
    );
}

#[test]
fn a_period_is_always_open_or_never() {
    for (duration, open) in [("59m", false), ("59m59s", true), ("2h", true)] {
        let every = [("@every 1h", duration)];
        let closed = Permit::Closed { until: None };

        let (allow, deny) = if open {
            (Permit::Open, closed)
        } else {
            (closed, Permit::Open)
        };
        assert_eq!(
            permit(&windows("allow", &every), noon()),
            allow,
            "{duration}"
        );
        assert_eq!(permit(&windows("deny", &every), noon()), deny, "{duration}");
    }
}

#[test]
fn windows_that_cannot_be_read_are_never_open() {
    let broken = [("soon", "1h"), ("0 11 * * *", "long")];

    assert_eq!(permit(&windows("deny", &broken), noon()), Permit::Open);
    assert_eq!(
        permit(&windows("allow", &broken), noon()),
        Permit::Closed { until: None }
    );
}

#[test]
fn unknown_kinds_and_empty_lists_permit() {
    assert_eq!(
        permit(&windows("maybe", &[("* * * * *", "1h")]), noon()),
        Permit::Open
    );
    assert_eq!(permit(&windows("allow", &[]), noon()), Permit::Open);
}

#[test]
fn windows_that_follow_each_other_without_a_gap_are_asked_again_later() {
    let Permit::Closed { until: Some(until) } =
        permit(&windows("deny", &[("* * * * *", "5m")]), noon())
    else {
        panic!("the window is always open");
    };

    assert!(until > noon());
}

#[test]
fn many_windows_that_never_open_are_searched_within_bounds() {
    let overlapping = windows("deny", &vec![("* * 29 2 *", "1000h"); 10_000]);
    let started = std::time::Instant::now();

    permit(&overlapping, noon());

    assert!(started.elapsed() < std::time::Duration::from_secs(5));
}
