//! Every state a namespace can be in, and what is done about it.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use lockstep_api::keys::{ANNOTATION_FORCE_SYNC, FINALIZER_CLUSTER_EXTERNAL_SECRET};
use lockstep_api::{ClusterExternalSecret, ExternalSecret};
use serde_json::{Value, json};

use crate::fan_out::*;
use crate::next_run::NextRun;
use crate::settings::Settings;

type Seen = Observed<ClusterExternalSecret>;

const MARK: &str = "externalsecrets.external-secrets.io/ces-all";

fn object() -> ClusterExternalSecret {
    from(json!({
        "apiVersion": "external-secrets.io/v1",
        "kind": "ClusterExternalSecret",
        "metadata": {
            "name": "all", "uid": "u", "generation": 3,
            "finalizers": [FINALIZER_CLUSTER_EXTERNAL_SECRET],
        },
        "spec": {
            "externalSecretSpec": {"refreshInterval": "1h", "secretStoreRef": {"name": "s"}},
            "externalSecretName": "child",
            "externalSecretMetadata": {"labels": {"l": "1"}},
            "namespaceSelectors": [{"matchLabels": {"team": "a"}}],
            "namespaces": ["named"],
        },
    }))
}

fn from<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn namespace(finalizers: &[&str]) -> ObjectMeta {
    from(json!({"name": "n", "resourceVersion": "7", "finalizers": finalizers}))
}

fn right(namespace: &str) -> ExternalSecret {
    child(&object(), namespace, None)
}

/// One wanted namespace `n` that carries the mark.
fn observed(object: &ClusterExternalSecret) -> Seen {
    Observed {
        object: std::sync::Arc::new(object.clone()),
        wanted: Ok(BTreeMap::from([("n".to_owned(), namespace(&[MARK]))])),
        marked: BTreeMap::new(),
        existing: BTreeMap::new(),
        owned: Vec::new(),
    }
}

fn owned(namespace: &str, name: &str) -> OwnedChild {
    OwnedChild {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        uid: format!("uid-of-{name}"),
    }
}

fn kept(observed: &Seen) -> Work<ExternalSecret> {
    match decide(observed) {
        Decision::Keep(work) => work,
        other => panic!("{other:?}"),
    }
}

#[test]
fn namespaces_are_wanted_by_labels_or_by_name() {
    let wanted = Wanted::of(&object()).unwrap();
    let labels = BTreeMap::from([("team".to_owned(), "a".to_owned())]);

    assert!(wanted.contains("any", &labels));
    assert!(wanted.contains("named", &BTreeMap::new()));
    assert!(!wanted.contains("any", &BTreeMap::new()));
}

#[test]
fn an_object_without_selectors_wants_nothing_and_an_empty_one_everything() {
    let labels = BTreeMap::new();
    let mut object = object();
    object.spec.namespaces.clear();
    object.spec.namespace_selectors.clear();
    assert!(!Wanted::of(&object).unwrap().contains("any", &labels));

    object.spec.namespace_selector = Some(LabelSelector::default());

    assert!(Wanted::of(&object).unwrap().contains("any", &labels));
}

#[test]
fn a_selector_that_cannot_be_read_is_named() {
    let mut object = object();
    let expression =
        json!({"matchExpressions": [{"key": "team", "operator": "Maybe", "values": ["x"]}]});
    object.spec.namespace_selectors.push(from(expression));

    let error = Wanted::of(&object).unwrap_err();

    assert_eq!(
        error,
        "spec.namespaceSelectors[1] cannot be read: \"Maybe\" is not a valid label selector operator"
    );
}

#[test]
fn a_new_object_is_claimed_first() {
    let mut object = object();
    object.metadata.finalizers = None;

    assert!(matches!(decide(&observed(&object)), Decision::Claim(_)));
}

#[test]
fn a_wanted_namespace_is_marked_and_gets_its_child() {
    let object = object();
    let mut observed = observed(&object);
    observed.wanted = Ok(BTreeMap::from([("n".to_owned(), namespace(&["other"]))]));

    let work = kept(&observed);

    let task = &work["n"];
    assert!(task.keeps);
    let mark = json!({"metadata": {"finalizers": ["other", MARK], "resourceVersion": "7"}});
    let [Step::Mark(patch), Step::Create(child)] = task.steps.as_slice() else {
        panic!("{task:?}");
    };
    assert_eq!(*patch, mark);
    assert_eq!(**child, right("n"));
    let owner = &child.metadata.owner_references.as_ref().unwrap()[0];
    assert_eq!(
        (owner.kind.as_str(), owner.name.as_str()),
        ("ClusterExternalSecret", "all")
    );
    assert_eq!(
        controls::<ClusterExternalSecret>(&child.metadata).as_deref(),
        Some("all")
    );
}

#[test]
fn a_child_that_is_right_is_left_alone() {
    let object = object();
    let mut observed = observed(&object);
    observed.existing = BTreeMap::from([("n".to_owned(), right("n"))]);
    observed.owned = vec![owned("n", "child")];

    let work = kept(&observed);

    assert!(work["n"].keeps);
    assert_eq!(work["n"].steps, []);
}

#[test]
fn a_child_that_somebody_changed_is_mended() {
    let object = object();
    let mut changes: Vec<ExternalSecret> = vec![right("n"); 4];
    changes[0].spec.refresh_interval = Some("2h".to_owned());
    changes[1].metadata.labels = None;
    changes[2].metadata.annotations = Some(BTreeMap::from([("x".to_owned(), "y".to_owned())]));
    changes[3].metadata.owner_references.as_mut().unwrap()[0].uid = "former".to_owned();

    for changed in changes {
        let mut observed = observed(&object);
        observed.existing = BTreeMap::from([("n".to_owned(), changed)]);

        assert_eq!(
            kept(&observed)["n"].steps,
            [Step::Update("child".to_owned())]
        );
    }
}

#[test]
fn writing_a_child_keeps_what_others_put_into_its_metadata_and_status() {
    let mut live = right("n");
    live.metadata.finalizers = Some(vec!["theirs".to_owned()]);
    live.metadata.resource_version = Some("9".to_owned());
    live.spec.refresh_interval = Some("2h".to_owned());

    let written = child(&object(), "n", Some(live));

    assert_eq!(written.metadata.finalizers, Some(vec!["theirs".to_owned()]));
    assert_eq!(written.metadata.resource_version.as_deref(), Some("9"));
    assert_eq!(written.spec, right("n").spec);
}

#[test]
fn somebody_elses_external_secret_is_never_written() {
    let object = object();
    let mut foreign = right("n");
    foreign.metadata.owner_references = None;
    let mut observed = observed(&object);
    observed.existing = BTreeMap::from([("n".to_owned(), foreign)]);

    let work = kept(&observed);

    assert!(!work["n"].keeps);
    let reason = "external secret already exists in namespace".to_owned();
    assert_eq!(work["n"].steps, [Step::Refuse(reason)]);
}

#[test]
fn a_namespace_that_is_no_longer_wanted_loses_child_and_mark() {
    let object = object();
    let mut observed = observed(&object);
    observed.wanted = Ok(BTreeMap::new());
    observed.marked = BTreeMap::from([("n".to_owned(), namespace(&["other", MARK]))]);
    observed.owned = vec![owned("n", "child")];

    let work = kept(&observed);

    let unmark = json!({"metadata": {"finalizers": ["other"], "resourceVersion": "7"}});
    assert!(!work["n"].keeps);
    let steps = [Step::Delete(owned("n", "child")), Step::Mark(unmark)];
    assert_eq!(work["n"].steps, steps);
}

#[test]
fn no_child_is_touched_while_the_namespaces_cannot_be_told() {
    let object = object();
    let mut observed = observed(&object);
    observed.wanted = Err("broken".to_owned());
    observed.owned = vec![owned("n", "child")];

    assert_eq!(decide(&observed), Decision::Refuse("broken".to_owned()));
}

#[test]
fn a_child_of_a_former_name_is_replaced() {
    let object = object();
    let mut observed = observed(&object);
    observed.owned = vec![owned("n", "before")];

    let work = kept(&observed);

    assert!(work["n"].keeps);
    assert_eq!(work["n"].steps[0], Step::Delete(owned("n", "before")));
    assert!(matches!(work["n"].steps[1], Step::Create(_)));
}

#[test]
fn a_namespace_that_is_being_deleted_is_let_go() {
    let object = object();
    let mut observed = observed(&object);
    let deleting =
        json!({"name": "n", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": [MARK]});
    observed.wanted = Ok(BTreeMap::from([("n".to_owned(), from(deleting))]));
    observed.owned = vec![owned("n", "child")];

    let work = kept(&observed);

    assert!(!work["n"].keeps);
    let unmark = json!({"metadata": {"finalizers": []}});
    assert_eq!(work["n"].steps, [Step::Mark(unmark)]);
}

#[test]
fn an_object_that_is_being_deleted_takes_children_and_marks_along() {
    let mut object = object();
    object.metadata.deletion_timestamp = Some(from(json!("2026-01-01T00:00:00Z")));
    let mut observed = observed(&object);
    observed.owned = vec![owned("n", "child"), owned("m", "child")];

    let Decision::Release(work, patch) = decide(&observed) else {
        panic!("not released");
    };

    assert_eq!(work["n"].steps.len(), 2);
    assert_eq!(work["m"].steps, [Step::Delete(owned("m", "child"))]);
    assert_eq!(patch, json!({"metadata": {"finalizers": []}}));
}

#[test]
fn the_force_sync_annotation_reaches_the_children() {
    let mut object = object();
    let forced = BTreeMap::from([(ANNOTATION_FORCE_SYNC.to_owned(), "1".to_owned())]);
    object.metadata.annotations = Some(forced.clone());

    let made = child(&object, "n", None);
    object.metadata.annotations = None;
    let again = child(&object, "n", Some(made.clone()));

    assert_eq!(made.metadata.annotations, Some(forced));
    assert_eq!(again.metadata.annotations, None);
}

#[test]
fn the_status_tells_where_it_worked_and_where_not() {
    let trouble = TaskOutcome::Failed(Trouble::Refused("taken".to_owned()));
    let outcomes = BTreeMap::from([
        ("b".to_owned(), TaskOutcome::Kept),
        ("a".to_owned(), trouble),
        ("c".to_owned(), TaskOutcome::Left),
    ]);
    let now = Timestamp::UNIX_EPOCH;

    let report = report(&object(), outcomes, &Settings::default(), now);

    let status = serde_json::to_value(report.status.unwrap()).unwrap();
    assert_eq!(
        status,
        json!({
            "observedGeneration": 3,
            "externalSecretName": "child",
            "failedNamespaces": [{"namespace": "a", "reason": "taken"}],
            "provisionedNamespaces": ["b"],
            "conditions": [{"type": "Ready", "status": "False", "message": "one or more namespaces failed"}],
        })
    );
    assert_eq!(
        report.next,
        NextRun::At(now + SignedDuration::from_hours(1))
    );
}

#[test]
fn a_write_that_failed_is_tried_again_soon() {
    let trouble = TaskOutcome::Failed(Trouble::Failed("forbidden".to_owned()));
    let outcomes = BTreeMap::from([("a".to_owned(), trouble)]);

    let report = report(
        &object(),
        outcomes,
        &Settings::default(),
        Timestamp::UNIX_EPOCH,
    );

    assert_eq!(report.next, NextRun::Backoff);
}

#[test]
fn a_status_that_says_the_same_is_not_written() {
    let mut object = object();
    let outcomes = || BTreeMap::from([("a".to_owned(), TaskOutcome::Kept)]);
    let (settings, now) = (Settings::default(), Timestamp::UNIX_EPOCH);
    object.status = report(&object, outcomes(), &settings, now).status;
    assert!(object.status.is_some());
    assert!(report(&object, outcomes(), &settings, now).status.is_none());

    // As the original operator left it.
    object.status.as_mut().unwrap().observed_generation = None;

    assert!(report(&object, outcomes(), &settings, now).status.is_none());
}

#[test]
fn failures_that_are_over_leave_the_status() {
    let mut object = object();
    object.status = refused(&object, "no".to_owned(), &Settings::default()).status;

    let outcomes = BTreeMap::from([("a".to_owned(), TaskOutcome::Kept)]);
    let report = report(
        &object,
        outcomes,
        &Settings::default(),
        Timestamp::UNIX_EPOCH,
    );

    let patch = status_patch(object.status.as_ref(), &report.status.unwrap());
    assert_eq!(patch["failedNamespaces"], Value::Null);
    assert_eq!(patch["provisionedNamespaces"], json!(["a"]));
}
