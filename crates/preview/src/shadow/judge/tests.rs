//! Judgements from facts, without a cluster.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::keys::ANNOTATION_DATA_HASH;
use lockstep_golang::fmt::data_hash;
use lockstep_plan::Cause;
use serde_json::json;

use super::*;

const FETCHED: Decided = Decided::Fetched { reads: 1 };

fn object(ready: &str) -> ExternalSecret {
    serde_json::from_value(json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": "x", "namespace": "a"},
        "spec": {"data": [{"secretKey": "a", "remoteRef": {"key": "k"}}]},
        "status": {
            "refreshTime": "2026-01-01T00:00:00Z",
            "conditions": [{"type": "Ready", "status": ready}],
        },
    }))
    .unwrap()
}

/// A Secret as an operator leaves it.
fn secret(value: &str, label: &str) -> Secret {
    let hash = data_hash([("a", value.as_bytes())]);
    Secret {
        data: Some([("a".to_owned(), ByteString(value.as_bytes().to_vec()))].into()),
        metadata: ObjectMeta {
            labels: Some([("team".to_owned(), label.to_owned())].into()),
            annotations: Some([(ANNOTATION_DATA_HASH.to_owned(), hash)].into()),
            ..ObjectMeta::default()
        },
        ..Secret::default()
    }
}

fn at(minute: i64) -> Timestamp {
    let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    start + SignedDuration::from_mins(minute)
}

fn judged<'a>(
    object: &'a ExternalSecret,
    decided: &'a Decided,
    write: Option<(Option<&'a Secret>, Option<&'a Secret>)>,
    minute: i64,
) -> Judged {
    let facts = Facts {
        object,
        decided,
        write,
        generates: false,
        other_target: None,
        failure: None,
        rendered_before: None,
    };
    judge(&facts, &Redactor::new([0; 16]), at(minute))
}

#[test]
fn a_run_that_writes_nothing_is_equal() {
    let judged = judged(&object("True"), &FETCHED, None, 1);

    assert_eq!(judged.verdict, Verdict::Equal);
    assert_eq!(judged.cause, None);
}

#[test]
fn an_object_that_time_does_not_refresh_is_kept() {
    assert_eq!(
        judged(&object("True"), &Decided::Idle, None, 1).verdict,
        Verdict::Kept
    );
}

#[test]
fn a_value_that_changed_since_the_last_refresh_says_when_the_original_fetches_it() {
    let (before, after) = (secret("canary-1", "t"), secret("canary-2", "t"));
    let object = object("True");

    let early = judged(&object, &FETCHED, Some((Some(&before), Some(&after))), 5);
    let late = judged(&object, &FETCHED, Some((Some(&before), Some(&after))), 90);

    assert_eq!(early.verdict, Verdict::Differs);
    assert!(
        early
            .cause
            .unwrap()
            .ends_with("fetches them at 2026-01-01T01:00:00Z")
    );
    assert!(late.cause.unwrap().contains("did not bring them"));
    assert!(
        !serde_json::to_string(&early.differences)
            .unwrap()
            .contains("canary")
    );
}

#[test]
fn an_edited_secret_is_told_from_a_changed_store() {
    let mut before = secret("one", "t");
    before.data = Some(BTreeMap::from([(
        "a".to_owned(),
        ByteString(b"edited".to_vec()),
    )]));
    let after = secret("one", "t");

    let judged = judged(
        &object("True"),
        &FETCHED,
        Some((Some(&before), Some(&after))),
        5,
    );

    assert_eq!(
        judged.cause.as_deref(),
        Some("the Secret was edited after it was written")
    );
}

#[test]
fn equal_values_under_another_label_name_the_label() {
    let (before, after) = (secret("one", "t"), secret("one", "u"));

    let judged = judged(
        &object("True"),
        &FETCHED,
        Some((Some(&before), Some(&after))),
        5,
    );

    assert_eq!(
        judged.cause.as_deref(),
        Some("the values are the same; what differs is label")
    );
}

#[test]
fn a_failure_that_the_original_has_too_is_no_difference() {
    let failure = Failure::new(
        "could not get secret data from provider",
        Cause::INTERNAL,
        "x",
    );
    let verdict = |object: &ExternalSecret| {
        let facts = Facts {
            object,
            decided: &FETCHED,
            write: None,
            generates: false,
            other_target: None,
            failure: Some(&failure),
            rendered_before: None,
        };
        judge(&facts, &Redactor::new([0; 16]), at(1)).verdict
    };

    assert_eq!(verdict(&object("False")), Verdict::BothFail);
    assert_eq!(verdict(&object("True")), Verdict::Fails);
}

#[test]
fn a_failure_before_the_next_refresh_of_the_original_says_when_that_is() {
    let failure = Failure::new("could not get secret data", Cause::INTERNAL, "x");
    let object = object("True");
    let cause = |minute: i64| {
        let facts = Facts {
            object: &object,
            decided: &FETCHED,
            write: None,
            generates: false,
            other_target: None,
            failure: Some(&failure),
            rendered_before: None,
        };
        judge(&facts, &Redactor::new([0; 16]), at(minute)).cause
    };

    assert!(
        cause(5)
            .unwrap()
            .ends_with("and refreshes it again at 2026-01-01T01:00:00Z")
    );
    assert_eq!(cause(90), Some(failure.to_string()));
}

#[test]
fn a_template_that_renders_anew_is_told() {
    let (before, after, earlier) = (secret("1", "t"), secret("2", "t"), secret("3", "t"));
    let facts = Facts {
        object: &object("True"),
        decided: &FETCHED,
        write: Some((Some(&before), Some(&after))),
        generates: false,
        other_target: None,
        failure: None,
        rendered_before: Some(&earlier),
    };

    let judged = judge(&facts, &Redactor::new([0; 16]), at(5));

    assert_eq!(
        judged.cause.as_deref(),
        Some("the template gives other values each time")
    );
}
