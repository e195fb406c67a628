//! Which events are news, and who is found through the reverse lookups.

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_api::keys::FINALIZER_EXTERNAL_SECRET;
use lockstep_plan::StoreKey;

use super::{ExternalSecrets, RowChange, SyncNote};
use crate::key::ObjectKey;

fn object(name: &str, version: u32, edit: impl FnOnce(&mut ExternalSecret)) -> ExternalSecret {
    let json = serde_json::json!({
        "metadata": {
            "namespace": "ns", "name": name, "uid": name, "generation": 1,
            "resourceVersion": version.to_string(),
        },
        "spec": { "secretStoreRef": { "name": "store" } },
    });
    let mut object: ExternalSecret = serde_json::from_value(json).unwrap();
    edit(&mut object);
    object
}

fn ready(status: &str) -> impl FnOnce(&mut ExternalSecret) {
    let status = serde_json::json!({ "conditions": [{ "type": "Ready", "status": status }] });
    move |object| object.status = serde_json::from_value(status).unwrap()
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::new("ns", name)
}

fn apply(objects: &mut ExternalSecrets, object: ExternalSecret) -> (ObjectKey, RowChange) {
    objects.apply(object, Timestamp::UNIX_EPOCH)
}

#[test]
fn a_status_write_starts_no_run() {
    let mut objects = ExternalSecrets::default();
    let (_, first) = apply(&mut objects, object("a", 1, |_| {}));

    let (_, second) = apply(&mut objects, object("a", 2, ready("True")));

    assert_eq!((first, second), (RowChange::New, RowChange::Same));
}

#[test]
fn a_label_an_annotation_and_a_generation_are_news() {
    let mut objects = ExternalSecrets::default();
    apply(&mut objects, object("a", 1, |_| {}));
    let force = |object: &mut ExternalSecret| {
        object.metadata.annotations = Some([("force-sync".to_owned(), "1".to_owned())].into());
    };

    let (_, annotated) = apply(&mut objects, object("a", 2, force));
    let (_, edited) = apply(
        &mut objects,
        object("a", 3, |object| {
            object.metadata.generation = Some(2);
        }),
    );

    assert_eq!(
        (annotated, edited),
        (RowChange::Changed, RowChange::Changed)
    );
}

#[test]
fn our_finalizer_is_no_news_when_it_comes_and_is_when_it_goes() {
    let mut objects = ExternalSecrets::default();
    let claimed = |object: &mut ExternalSecret| {
        object.metadata.finalizers = Some(vec![FINALIZER_EXTERNAL_SECRET.to_owned()]);
    };
    apply(&mut objects, object("a", 1, |_| {}));

    let (_, comes) = apply(&mut objects, object("a", 2, claimed));
    let (_, stays) = apply(&mut objects, object("a", 3, claimed));
    let (_, goes) = apply(&mut objects, object("a", 4, |_| {}));

    let seen = [comes, stays, goes];
    assert_eq!(seen, [RowChange::Same, RowChange::Same, RowChange::Changed]);
}

#[test]
fn an_object_that_is_written_twice_is_packed_once_when_its_reconcile_ends() {
    let mut objects = ExternalSecrets::default();
    apply(&mut objects, object("a", 1, |_| {}));
    let (key, began) = (key("a"), objects.get(&key("a")).unwrap().1);

    objects.answered(object("a", 2, |_| {}), Timestamp::UNIX_EPOCH);
    apply(&mut objects, object("a", 2, |_| {}));
    objects.answered(object("a", 3, ready("True")), Timestamp::UNIX_EPOCH);
    apply(&mut objects, object("a", 3, ready("True")));
    let during = objects.rows[&key].is_packed();
    objects.note_run(&key, &SyncNote::default(), &began);

    assert_eq!((during, objects.rows[&key].is_packed()), (false, true));
    assert!(objects.get(&key).unwrap().0.status.is_some());
}

#[test]
fn an_event_older_than_our_own_write_is_passed_over() {
    let mut objects = ExternalSecrets::default();
    apply(&mut objects, object("a", 5, ready("True")));

    let (_, late) = apply(
        &mut objects,
        object("a", 4, |object| {
            object.metadata.generation = Some(9);
        }),
    );

    assert_eq!(late, RowChange::Same);
    let (kept, _) = objects.get(&key("a")).unwrap();
    assert_eq!(kept.metadata.resource_version.as_deref(), Some("5"));
}

#[test]
fn a_new_list_counts_although_its_versions_are_lower() {
    let mut objects = ExternalSecrets::default();
    apply(&mut objects, object("a", 900, ready("True")));
    let older = |object: &mut ExternalSecret| object.metadata.generation = Some(0);

    objects.begin_list();
    let (_, listed) = apply(&mut objects, object("a", 500, older));
    objects.end_list();
    let (_, edited) = apply(
        &mut objects,
        object("a", 501, |object| object.metadata.generation = Some(2)),
    );

    assert_eq!((listed, edited), (RowChange::Changed, RowChange::Changed));
}

#[test]
fn a_list_that_is_older_than_the_answer_to_a_write_does_not_undo_it() {
    let mut objects = ExternalSecrets::default();
    apply(&mut objects, object("a", 5, |_| {}));

    objects.begin_list();
    objects.answered(object("a", 9, ready("True")), Timestamp::UNIX_EPOCH);
    apply(&mut objects, object("a", 8, |_| {}));
    objects.end_list();

    let (kept, _) = objects.get(&key("a")).unwrap();
    assert_eq!(kept.metadata.resource_version.as_deref(), Some("9"));
}

#[test]
fn only_objects_that_are_not_ready_wait_on_a_store() {
    let mut objects = ExternalSecrets::default();
    apply(&mut objects, object("good", 1, ready("True")));
    apply(&mut objects, object("bad", 1, ready("False")));
    apply(&mut objects, object("new", 1, |_| {}));

    let waiting = objects.waiting_on(&StoreKey::namespaced("ns", "store"));

    assert_eq!(waiting, [key("bad"), key("new")]);
}

#[test]
fn users_of_a_store_are_told_apart_by_readiness() {
    let mut objects = ExternalSecrets::default();
    apply(&mut objects, object("good", 1, ready("True")));
    apply(&mut objects, object("bad", 1, ready("False")));

    let (ready, others) = objects.users_by_readiness(&StoreKey::namespaced("ns", "store"));

    assert_eq!((ready, others), (vec![&key("good")], vec![&key("bad")]));
}

#[test]
fn a_store_that_is_no_longer_named_is_no_longer_linked() {
    let mut objects = ExternalSecrets::default();
    apply(&mut objects, object("a", 1, |_| {}));
    let other = |object: &mut ExternalSecret| {
        object.metadata.generation = Some(2);
        object.spec.secret_store_ref.as_mut().unwrap().name = Some("other".to_owned());
    };

    apply(&mut objects, object("a", 2, other));

    assert!(
        objects
            .waiting_on(&StoreKey::namespaced("ns", "store"))
            .is_empty()
    );
    assert_eq!(
        objects.waiting_on(&StoreKey::namespaced("ns", "other")),
        [key("a")]
    );
}

#[test]
fn writers_are_found_by_the_targets_own_name_and_by_a_given_one() {
    let mut objects = ExternalSecrets::default();
    let renamed = |object: &mut ExternalSecret| {
        object.spec.target =
            serde_json::from_value(serde_json::json!({ "name": "shared" })).unwrap();
    };
    apply(&mut objects, object("a", 1, |_| {}));
    apply(&mut objects, object("b", 1, renamed));

    assert_eq!(objects.writers_of(&key("a")), [key("a")]);
    assert_eq!(objects.writers_of(&key("shared")), [key("b")]);
    assert!(objects.writers_of(&key("b")).is_empty());
}

#[test]
fn objects_a_new_list_does_not_show_are_gone() {
    let mut objects = ExternalSecrets::default();
    apply(&mut objects, object("stays", 1, |_| {}));
    apply(&mut objects, object("goes", 1, |_| {}));

    objects.begin_list();
    apply(&mut objects, object("stays", 1, |_| {}));
    let gone = objects.end_list();

    assert_eq!(gone.into_iter().collect::<Vec<_>>(), [key("goes")]);
    assert!(objects.get(&key("goes")).is_none());
}

fn note(refreshed: Option<Timestamp>) -> SyncNote {
    SyncNote {
        refreshed,
        ..SyncNote::default()
    }
}

#[test]
fn a_changed_input_is_news_until_a_sync_followed_it() {
    let now = Timestamp::UNIX_EPOCH;
    let mut objects = ExternalSecrets::default();
    apply(&mut objects, object("a", 1, |_| {}));
    let memory = |objects: &ExternalSecrets| objects.snapshot(&key("a")).unwrap().1;

    objects.ask(&key("a"), now, true);
    let seen = memory(&objects);
    objects.note_run(&key("a"), &note(None), &seen);
    assert!(memory(&objects).inputs_changed(), "the run failed");

    objects.ask(&key("a"), now, true);
    objects.note_run(&key("a"), &note(Some(now)), &seen);
    assert!(
        memory(&objects).inputs_changed(),
        "another change came meanwhile"
    );

    let seen = memory(&objects);
    objects.note_run(&key("a"), &note(Some(now)), &seen);
    assert!(!memory(&objects).inputs_changed());
}

#[test]
fn a_target_that_others_changed_is_news_until_a_sync_has_looked_at_it() {
    let now = Timestamp::UNIX_EPOCH;
    let mut objects = ExternalSecrets::default();
    apply(&mut objects, object("a", 1, |_| {}));
    let memory = |objects: &ExternalSecrets| objects.snapshot(&key("a")).unwrap().1;

    objects.target_changed(&key("a"));
    let seen = memory(&objects);
    objects.note_run(&key("a"), &note(None), &seen);
    assert!(memory(&objects).target_changed(), "the run was idle");

    objects.target_changed(&key("a"));
    objects.note_run(&key("a"), &note(Some(now)), &seen);
    assert!(memory(&objects).target_changed(), "it changed meanwhile");

    let seen = memory(&objects);
    objects.note_run(&key("a"), &note(Some(now)), &seen);
    assert!(!memory(&objects).target_changed());
}
