//! Changes of ExternalSecrets themselves.

use super::*;

#[test]
fn a_new_external_secret_is_requeued() {
    let wakes = see_external_secret(&index(), external_secret("a"));

    assert_eq!(wakes, [es_now("a", Trigger::Changed)]);
}

#[test]
fn an_external_secret_shown_again_is_not_requeued() {
    let index = knowing(see_external_secret, external_secret("a"));

    assert_eq!(see_external_secret(&index, external_secret("a")), []);
}

#[test]
fn a_status_write_does_not_requeue_an_external_secret() {
    let index = knowing(see_external_secret, external_secret("a"));

    assert_eq!(see_external_secret(&index, written(ready("a"))), []);
}

/// Wakes after an edit of the metadata of a known object.
fn edited(edit: impl FnOnce(&mut ObjectMeta)) -> Vec<Wake> {
    let index = knowing(see_external_secret, external_secret("a"));
    let mut object = written(external_secret("a"));
    edit(&mut object.metadata);
    see_external_secret(&index, object)
}

#[test]
fn a_new_generation_requeues_an_external_secret() {
    let wakes = edited(|metadata| metadata.generation = Some(2));

    assert_eq!(wakes, [es_now("a", Trigger::Changed)]);
}

#[test]
fn a_new_label_requeues_an_external_secret() {
    let wakes = edited(|metadata| {
        metadata.labels = Some([("a".to_owned(), "b".to_owned())].into());
    });

    assert_eq!(wakes, [es_now("a", Trigger::Changed)]);
}

#[test]
fn a_new_annotation_requeues_an_external_secret() {
    let wakes = edited(|metadata| {
        metadata.annotations = Some([("force-sync".to_owned(), "1".to_owned())].into());
    });

    assert_eq!(wakes, [es_now("a", Trigger::Changed)]);
}

#[test]
fn the_deletion_mark_requeues_an_external_secret() {
    let wakes = edited(|metadata| {
        metadata.deletion_timestamp =
            serde_json::from_value(json!("2026-01-01T00:00:00Z")).unwrap();
    });

    assert_eq!(wakes, [es_now("a", Trigger::Changed)]);
}

#[test]
fn a_finalizer_of_others_does_not_requeue_an_external_secret() {
    let wakes = edited(|metadata| metadata.finalizers = Some(vec!["theirs".to_owned()]));

    assert_eq!(wakes, []);
}

#[test]
fn the_loss_of_our_finalizer_requeues_an_external_secret() {
    let mut object = external_secret("a");
    let ours = lockstep_api::keys::FINALIZER_EXTERNAL_SECRET.to_owned();
    object.metadata.finalizers = Some(vec![ours]);
    let index = knowing(see_external_secret, object);

    let wakes = see_external_secret(&index, written(external_secret("a")));

    assert_eq!(wakes, [es_now("a", Trigger::Changed)]);
}

#[test]
fn another_object_of_the_same_name_is_requeued() {
    let wakes = edited(|metadata| metadata.uid = Some("other".to_owned()));

    assert_eq!(wakes, [es_now("a", Trigger::Changed)]);
}

#[test]
fn an_event_older_than_the_row_is_passed_over() {
    let wakes = edited(|metadata| {
        metadata.resource_version = Some("0".to_owned());
        metadata.generation = Some(9);
    });

    assert_eq!(wakes, []);
}

#[test]
fn a_deleted_external_secret_is_forgotten() {
    let index = knowing(see_external_secret, external_secret("a"));

    let wakes = list(index.external_secret_seen(deleted(external_secret("a")), now()));

    assert_eq!(wakes, [forget_es("a")]);
}

#[test]
fn an_external_secret_that_a_new_list_does_not_show_is_forgotten() {
    let index = knowing(see_external_secret, external_secret("gone"));
    see_external_secret(&index, external_secret("stays"));

    list(index.external_secret_seen(Seen::ListBegins, now()));
    see_external_secret(&index, external_secret("stays"));
    let wakes = list(index.external_secret_seen(Seen::ListEnds, now()));

    assert_eq!(wakes, [forget_es("gone")]);
}

#[test]
fn the_answer_to_a_status_write_requeues_only_for_a_change_by_others() {
    let index = knowing(see_external_secret, external_secret("a"));
    let own = list(index.external_secret_answered(ready("a"), now()));
    let mut edited = written(ready("a"));
    edited.metadata.generation = Some(2);

    let theirs = list(index.external_secret_answered(edited, now()));

    assert_eq!(own, []);
    assert_eq!(theirs, [es_now("a", Trigger::Changed)]);
}

#[test]
fn the_answer_to_a_write_of_a_deleted_object_requeues_nothing() {
    let wakes = list(index().external_secret_answered(ready("a"), now()));

    assert_eq!(wakes, []);
}

#[test]
fn another_answer_of_a_shared_read_requeues_its_subscribers() {
    let index = knowing(see_external_secret, ready("a"));

    let wakes = list(index.inputs_changed(vec![key("a")], now()));

    assert_eq!(wakes, [es_now("a", Trigger::InputChanged)]);
    let (_, memory) = index.external_secrets().snapshot(&key("a")).unwrap();
    assert!(memory.inputs_changed());
}
