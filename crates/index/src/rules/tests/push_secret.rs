//! Changes of PushSecrets themselves, and of what they push.

use super::*;

/// A PushSecret that pushes Secrets with the label `p=1`.
fn selecting(name: &str) -> PushSecret {
    let spec = json!({
        "secretStoreRefs": [{ "name": "store" }],
        "selector": { "secret": { "selector": { "matchLabels": { "p": "1" } } } },
    });
    typed(&metadata(name, 1), spec, Value::Null)
}

fn labelled(name: &str, label: &str) -> ObjectMeta {
    let mut metadata = metadata(name, 1);
    metadata.labels = Some([("p".to_owned(), label.to_owned())].into());
    metadata
}

#[test]
fn a_new_push_secret_is_requeued_and_its_source_watched() {
    let wakes = see_push_secret(&index(), push_secret("p"));

    let watch = Wake::WatchInput(InputKind::Secret);
    assert_eq!(wakes, [watch, push_now("p", Trigger::Changed)]);
}

#[test]
fn a_push_secret_shown_again_is_not_requeued() {
    let index = knowing(see_push_secret, push_secret("p"));

    assert_eq!(see_push_secret(&index, push_secret("p")), []);
}

#[test]
fn a_new_generation_requeues_a_push_secret() {
    let index = knowing(see_push_secret, push_secret("p"));
    let mut edited = push_secret("p");
    edited.metadata.generation = Some(2);

    let wakes = see_push_secret(&index, edited);

    assert_eq!(wakes, [push_now("p", Trigger::Changed)]);
}

#[test]
fn a_deleted_push_secret_is_forgotten() {
    let index = knowing(see_push_secret, push_secret("p"));

    let wakes = list(index.push_secret_seen(deleted(push_secret("p"))));

    assert_eq!(wakes, [Wake::Forget(Queued::PushSecret(key("p")))]);
}

#[test]
fn a_push_secret_that_a_new_list_does_not_show_is_forgotten() {
    let index = knowing(see_push_secret, push_secret("p"));

    list(index.push_secret_seen(Seen::ListBegins));
    let wakes = list(index.push_secret_seen(Seen::ListEnds));

    assert_eq!(wakes, [Wake::Forget(Queued::PushSecret(key("p")))]);
}

#[test]
fn a_change_of_the_pushed_secret_requeues_its_push_secret() {
    let index = knowing(see_push_secret, push_secret("p"));

    let wakes = see_input(&index, InputKind::Secret, metadata("source", 1));

    assert_eq!(wakes, [push_retry("p", Trigger::InputChanged)]);
}

#[test]
fn a_late_event_of_the_version_that_was_pushed_requeues_no_one() {
    let index = knowing(see_push_secret, push_secret("p"));
    index.source_read(&metadata("source", 1));

    let late = see_input(&index, InputKind::Secret, metadata("source", 1));
    let newer = see_input(&index, InputKind::Secret, metadata("source", 2));

    assert_eq!(late, []);
    assert_eq!(newer, [push_retry("p", Trigger::InputChanged)]);
}

#[test]
fn a_secret_that_others_read_too_requeues_all_of_them() {
    let index = knowing(see_push_secret, push_secret("p"));
    see_push_secret(&index, push_secret("q"));
    index.source_read(&metadata("source", 1));

    let wakes = see_input(&index, InputKind::Secret, metadata("source", 1));

    let changed = |name| push_retry(name, Trigger::InputChanged);
    assert_eq!(wakes, [changed("p"), changed("q")]);
}

#[test]
fn a_secret_of_another_namespace_requeues_no_push_secret() {
    let index = knowing(see_push_secret, push_secret("p"));
    let mut other = metadata("source", 1);
    other.namespace = Some("other".to_owned());

    assert_eq!(see_input(&index, InputKind::Secret, other), []);
}

#[test]
fn the_end_of_the_pushed_secret_requeues_its_push_secret() {
    let index = knowing(see_push_secret, push_secret("p"));
    see_input(&index, InputKind::Secret, metadata("source", 1));

    let wakes =
        list(index.input_kind_seen(&InputKind::Secret, deleted(metadata("source", 1)), now()));

    assert_eq!(wakes, [push_retry("p", Trigger::InputChanged)]);
}

#[test]
fn a_managed_secret_that_is_pushed_requeues_its_push_secret() {
    let index = knowing(see_push_secret, push_secret("p"));

    let wakes = see_target(&index, secret("source", 1, ("v", "v")));

    assert_eq!(wakes, [push_retry("p", Trigger::InputChanged)]);
}

#[test]
fn the_first_push_secret_that_selects_by_labels_has_secrets_watched() {
    let wakes = see_push_secret(&index(), selecting("p"));

    let watch = Wake::WatchInput(InputKind::Secret);
    assert_eq!(wakes, [watch, push_now("p", Trigger::Changed)]);
}

#[test]
fn a_secret_with_matching_labels_requeues_its_push_secret() {
    let index = knowing(see_push_secret, selecting("p"));

    let matching = see_input(&index, InputKind::Secret, labelled("one", "1"));
    let other = see_input(&index, InputKind::Secret, labelled("two", "2"));

    assert_eq!(matching, [push_retry("p", Trigger::InputChanged)]);
    assert_eq!(other, []);
}

#[test]
fn a_secret_whose_labels_no_longer_match_requeues_who_pushed_it() {
    let index = knowing(see_push_secret, selecting("p"));
    let (_, memory) = index.push_secrets().snapshot(&key("p")).unwrap();
    let note = crate::rows::PushNote {
        matched: Some(["one".to_owned()].into()),
        ..crate::rows::PushNote::default()
    };
    index.push_secrets().note_run(&key("p"), note, &memory);

    let wakes = see_input(&index, InputKind::Secret, labelled("one", "2"));

    assert_eq!(wakes, [push_retry("p", Trigger::InputChanged)]);
}

#[test]
fn secrets_of_a_first_list_requeue_no_one_who_selects_by_labels() {
    let index = knowing(see_push_secret, selecting("p"));

    list(index.input_kind_seen(&InputKind::Secret, Seen::ListBegins, now()));
    let wakes = see_input(&index, InputKind::Secret, labelled("one", "1"));

    assert_eq!(wakes, []);
}

#[test]
fn the_answer_to_a_status_write_requeues_a_push_secret_only_for_a_change_by_others() {
    let index = knowing(see_push_secret, push_secret("p"));
    let own = list(index.push_secret_answered(push_secret("p")));
    let mut edited = push_secret("p");
    edited.metadata.generation = Some(2);

    let theirs = list(index.push_secret_answered(edited));

    assert_eq!(own, []);
    assert_eq!(theirs, [push_now("p", Trigger::Changed)]);
}

#[test]
fn our_own_finalizer_does_not_requeue_a_push_secret() {
    let index = knowing(see_push_secret, push_secret("p"));
    let mut claimed = push_secret("p");
    claimed.metadata.resource_version = Some("2".to_owned());
    let ours = lockstep_api::keys::FINALIZER_PUSH_SECRET.to_owned();
    claimed.metadata.finalizers = Some(vec![ours]);

    assert_eq!(list(index.push_secret_patched(claimed.clone())), []);
    assert_eq!(see_push_secret(&index, claimed), []);
}
