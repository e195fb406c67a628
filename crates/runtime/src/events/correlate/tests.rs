//! Counting, combining and limiting by example.

use super::super::{EventType, ObjectRef};
use super::*;

fn report(object: &str, message: &str, second: i64) -> Report {
    Report {
        component: "external-secrets",
        object: ObjectRef {
            kind: "ExternalSecret".into(),
            namespace: "ns".to_owned(),
            name: object.to_owned(),
            ..ObjectRef::default()
        },
        event_type: EventType::Warning,
        reason: "UpdateFailed".into(),
        message: message.to_owned(),
        at: Timestamp::from_second(1_000 + second).unwrap(),
    }
}

#[test]
fn the_same_event_is_counted_on_whatever_the_version_of_its_object() {
    let mut correlator = Correlator::default();
    let Decision::Create(first) = correlator.decide(&report("a", "denied", 0)) else {
        panic!("not created");
    };
    let mut again = report("a", "denied", 60);
    again.object.resource_version = "7".to_owned();

    let Decision::Count(second) = correlator.decide(&again) else {
        panic!("not counted");
    };

    assert_eq!((first.count, second.count), (1, 2));
    assert_eq!(first.name, second.name);
    assert_eq!(first.name, "a.e8d4a51000");
    assert_eq!(second.first, first.first);
}

#[test]
fn other_objects_and_messages_are_other_events() {
    let mut correlator = Correlator::default();
    correlator.decide(&report("a", "denied", 0));

    for other in [report("b", "denied", 0), report("a", "gone", 0)] {
        assert!(matches!(correlator.decide(&other), Decision::Create(_)));
    }
}

#[test]
fn ten_different_messages_within_ten_minutes_become_one_combined_event() {
    let mut correlator = Correlator::default();
    for number in 0..9 {
        let decision = correlator.decide(&report("a", &format!("error {number}"), number));
        assert!(matches!(decision, Decision::Create(_)));
    }

    let Decision::Create(combined) = correlator.decide(&report("a", "error 9", 9)) else {
        panic!("not created");
    };
    let Decision::Count(next) = correlator.decide(&report("a", "error 10", 10)) else {
        panic!("not counted");
    };

    assert_eq!(combined.message, "(combined from similar events): error 9");
    assert_eq!(next.name, combined.name);
    assert_eq!(next.message, "(combined from similar events): error 10");
}

#[test]
fn messages_further_apart_than_ten_minutes_are_not_combined() {
    let mut correlator = Correlator::default();

    for number in 0..20 {
        let text = format!("error {number}");
        let Decision::Create(event) = correlator.decide(&report("a", &text, number * 601)) else {
            panic!("not created");
        };
        assert_eq!(event.message, text);
    }
}

#[test]
fn an_object_may_report_25_times_and_then_once_in_five_minutes() {
    let mut correlator = Correlator::default();

    let written = |correlator: &mut Correlator, second| {
        !matches!(
            correlator.decide(&report("a", "denied", second)),
            Decision::Skip
        )
    };

    assert!((0..25).all(|_| written(&mut correlator, 0)));
    assert!(!written(&mut correlator, 0));
    assert!(!written(&mut correlator, 299));
    assert!(written(&mut correlator, 301));
    assert!(!written(&mut correlator, 302));
}

#[test]
fn the_memory_stays_bounded() {
    let mut correlator = Correlator::default();

    for number in 0..10_000 {
        correlator.decide(&report(&format!("object-{number}"), "denied", 0));
    }

    assert!(correlator.written.entries.len() <= REMEMBERED);
    assert!(correlator.groups.entries.len() <= REMEMBERED);
    assert!(correlator.budgets.entries.len() <= REMEMBERED);
    let recent = correlator.decide(&report("object-9999", "denied", 0));
    assert!(matches!(recent, Decision::Count(_)));
}

#[test]
fn names_too_long_for_the_server_are_replaced() {
    let at = Timestamp::from_second(1).unwrap();

    assert_eq!(event_name(&"x".repeat(253), at), "event.3b9aca00");
}
