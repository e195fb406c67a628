//! What a run does: wait, push, clean up or keep its hands off.

use jiff::SignedDuration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use lockstep_api::SecretStore;

use super::*;
use crate::next_run::NextRun;

fn is_push(decision: &Decision) -> bool {
    matches!(decision, Decision::Push(_))
}

fn failure(decision: Decision) -> String {
    match decision {
        Decision::Fail(failure) | Decision::Push(Err(failure)) => failure.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_new_object_pushes_without_a_finalizer() {
    let verdict = Scene::of(one_key("")).decide();

    assert!(is_push(&verdict.decision));
    assert_eq!(verdict.finalizer, FinalizerChange::None);
}

#[test]
fn policy_delete_asks_for_the_finalizer_first() {
    let verdict = Scene::of(one_key("deletionPolicy: Delete")).decide();

    assert!(is_push(&verdict.decision));
    assert_eq!(verdict.finalizer, FinalizerChange::Add);
}

#[test]
fn what_was_pushed_before_the_finalizer_is_forgotten_and_never_deleted() {
    let mut scene = Scene::of(one_key(""));
    scene.written();
    scene.object.spec = one_key("deletionPolicy: Delete").spec;

    assert_eq!(scene.decide().finalizer, FinalizerChange::ForgetAndAdd);
    let forgotten = forget_record(&scene.object);
    assert!(forgotten.synced_push_secrets.is_empty());
    assert_eq!(forgotten.conditions.len(), 1);
}

#[test]
fn policy_none_gives_the_finalizer_back_and_goes_on() {
    let verdict = Scene::of(finalized(one_key(""))).decide();

    assert!(is_push(&verdict.decision));
    assert_eq!(verdict.finalizer, FinalizerChange::Remove);
}

#[test]
fn a_synced_object_waits_for_its_interval_and_an_edit_does_not() {
    let mut scene = Scene::of(one_key("refreshInterval: 1h"));
    let report = scene.written();
    let hour = noon() + SignedDuration::from_hours(1);

    assert_eq!(report.outcome.next, NextRun::At(hour));
    let Decision::Idle { until, .. } = scene.decide().decision else {
        panic!()
    };
    assert_eq!(until, Some(hour));

    scene.object.metadata.generation = Some(2);
    assert!(is_push(&scene.decide().decision));
}

#[test]
fn a_changed_source_is_pushed_at_once_unless_the_interval_is_zero() {
    let mut scene = Scene::of(one_key("refreshInterval: 1h"));
    scene.written();
    scene.inputs_changed = true;
    assert!(is_push(&scene.decide().decision));

    let mut scene = Scene::of(one_key("refreshInterval: '0'"));
    let report = scene.written();
    scene.inputs_changed = true;
    assert_eq!(report.outcome.next, NextRun::OnChange);
    assert!(matches!(
        scene.decide().decision,
        Decision::Idle { until: None, .. }
    ));
}

#[test]
fn an_object_that_is_being_deleted_releases_everything_it_pushed() {
    let mut scene = Scene::of(finalized(one_key("deletionPolicy: Delete")));
    scene.written();
    scene.object.metadata.deletion_timestamp = Some(Time(noon()));

    let Decision::Release(recorded) = scene.decide().decision else {
        panic!()
    };
    assert_eq!(recorded.len(), 1);
    assert_eq!(recorded[0].target.remote_key, "r");

    scene.object.spec.deletion_policy = None;
    assert!(matches!(
        scene.decide().decision,
        Decision::Release(recorded) if recorded.is_empty()
    ));
    scene.object.metadata.finalizers = None;
    assert!(matches!(
        scene.decide().decision,
        Decision::Ignore(Ignored::Released)
    ));
}

fn foreign() -> SecretStore {
    let mut store = ready_store("s");
    store.spec.controller = Some("other".to_owned());
    store
}

#[test]
fn an_object_whose_stores_are_foreign_is_left_alone_alive_or_dying() {
    let mut scene = Scene::of(finalized(one_key("deletionPolicy: Delete")));
    scene.written();
    scene.stores = lookup([StoreView::of(&foreign())]);

    let ignored =
        |scene: &Scene| matches!(scene.decide().decision, Decision::Ignore(Ignored::NoStore));
    assert!(ignored(&scene));
    scene.object.metadata.deletion_timestamp = Some(Time(noon()));
    assert!(ignored(&scene));
}

fn deleting(name: &str) -> SecretStore {
    let mut store = ready_store(name);
    store.metadata.deletion_timestamp = Some(Time(noon()));
    store
}

#[test]
fn a_store_that_is_being_deleted_is_told_of_at_once_and_fails_the_next_push() {
    let mut scene = Scene::of(finalized(one_key("deletionPolicy: Delete")));
    scene.written();
    scene.stores = lookup([StoreView::of(&deleting("s"))]);
    let text = "SecretStore \"s\" is being deleted, so nothing is pushed to it; name another store, \
                or delete this PushSecret";

    let Decision::Idle { warning, .. } = scene.decide().decision else {
        panic!()
    };
    scene.inputs_changed = true;
    let due = scene.decide();

    assert_eq!(warning.unwrap().message, text);
    assert_eq!(due.finalizer, FinalizerChange::None);
    assert_eq!(failure(due.decision), format!("{text} (StoreNotUsable)"));
}

#[test]
fn other_stores_are_pushed_to_while_one_is_being_deleted() {
    let mut object = one_key("");
    let written = "{name: t}";
    let second = serde_saphyr::from_str(written).unwrap();
    object.spec.secret_store_refs.push(second);
    let mut scene = Scene::of(object);
    scene.stores = lookup([
        StoreView::of(&deleting("s")),
        StoreView::of(&ready_store("t")),
    ]);

    let Decision::Push(Ok(stores)) = scene.decide().decision else {
        panic!()
    };

    assert_eq!(stores.ours.len(), 1);
    assert!(
        stores
            .blocked()
            .unwrap()
            .to_string()
            .contains("\"s\" is being deleted")
    );
}

#[test]
fn a_missing_store_is_named_in_upstreams_words() {
    let mut scene = Scene::of(one_key(""));
    scene.stores.clear();

    assert_eq!(
        failure(scene.decide().decision),
        "could not get SecretStore \"s\", SecretStore.external-secrets.io \"s\" not found \
         (StoreNotFound)"
    );
}

#[test]
fn a_set_for_a_store_that_is_not_listed_is_refused() {
    let scene = Scene::of(one_key("dataTo: [{storeRef: {name: t}}]"));

    assert_eq!(
        failure(scene.decide().decision),
        "dataTo[0]: storeRef \"t\" not found in secretStoreRefs (InvalidSpec)"
    );
}

#[test]
fn stores_are_selected_by_their_labels() {
    let mut labelled = ready_store("t");
    labelled.metadata.labels = Some([("team".to_owned(), "a".to_owned())].into());
    let mut scene = Scene::of(one_key(""));
    scene.object.spec.secret_store_refs =
        serde_saphyr::from_str("[{labelSelector: {matchLabels: {team: a}}}]").unwrap();
    scene.stores = lookup([&ready_store("s"), &labelled].map(StoreView::of));

    let names: Vec<String> = scene
        .resolved()
        .ours
        .iter()
        .map(|s| s.key.name.clone())
        .collect();
    assert_eq!(names, ["t"]);

    let uses = StoreUses::of(&scene.object);
    assert!(uses.pushes_to(&StoreView::of(&labelled)));
    assert!(!uses.pushes_to(&StoreView::of(&ready_store("s"))));
    assert!(!uses.needs(&StoreView::of(&labelled)));
}

#[test]
fn a_store_with_something_to_delete_is_needed_after_the_reference_is_gone() {
    let mut scene = Scene::of(finalized(one_key("deletionPolicy: Delete")));
    scene.written();
    scene.object.spec.secret_store_refs.clear();

    let uses = StoreUses::of(&scene.object);

    assert!(!uses.pushes_to(&StoreView::of(&ready_store("s"))));
    assert!(uses.needs(&StoreView::of(&ready_store("s"))));
}
