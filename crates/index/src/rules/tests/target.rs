//! Changes of targets by others.

use super::*;

/// An index with a ready ExternalSecret `a` and its target as it was written.
fn synced() -> Index {
    let index = knowing(see_external_secret, ready("a"));
    see_target(&index, secret("a", 1, ("v", "v")));
    index
}

fn labelled(version: u32, label: &str) -> Secret {
    let mut secret = secret("a", version, ("v", "v"));
    secret.metadata.labels = Some([("app".to_owned(), label.to_owned())].into());
    secret
}

#[test]
fn a_target_as_it_was_written_requeues_no_one() {
    let index = knowing(see_external_secret, ready("a"));

    assert_eq!(see_target(&index, secret("a", 1, ("v", "v"))), []);
}

#[test]
fn a_target_whose_data_somebody_changed_requeues_its_external_secret() {
    let wakes = see_target(&synced(), secret("a", 2, ("edited", "v")));

    assert_eq!(wakes, [es_now("a", Trigger::TargetChanged)]);
}

#[test]
fn the_same_edit_shown_again_requeues_no_one() {
    let index = synced();
    see_target(&index, secret("a", 2, ("edited", "v")));

    assert_eq!(see_target(&index, secret("a", 2, ("edited", "v"))), []);
}

#[test]
fn a_label_that_somebody_changed_has_the_next_refresh_look() {
    let index = synced();

    let wakes = see_target(&index, labelled(2, "theirs"));

    assert_eq!(wakes, [es_at("a", now(), Trigger::TargetChanged)]);
    let (_, memory) = index.external_secrets().snapshot(&key("a")).unwrap();
    assert!(memory.target_changed());
}

#[test]
fn a_deleted_target_requeues_its_external_secret() {
    let wakes = list(synced().target_seen(deleted(secret("a", 2, ("v", "v"))), now()));

    assert_eq!(wakes, [es_now("a", Trigger::TargetChanged)]);
}

#[test]
fn a_target_that_a_new_list_does_not_show_requeues_its_external_secret() {
    let index = synced();

    list(index.target_seen(Seen::ListBegins, now()));
    let wakes = list(index.target_seen(Seen::ListEnds, now()));

    assert_eq!(wakes, [es_now("a", Trigger::TargetChanged)]);
}

#[test]
fn a_target_of_another_name_requeues_who_writes_it() {
    let spec = json!({ "secretStoreRef": { "name": "store" }, "target": { "name": "t" } });
    let object = typed(&metadata("a", 1), spec, Value::Null);
    let index = knowing(see_external_secret, object);

    let theirs = see_target(&index, secret("t", 1, ("edited", "v")));
    let unrelated = see_target(&index, secret("a", 1, ("edited", "v")));

    assert_eq!(theirs, [es_now("a", Trigger::TargetChanged)]);
    assert_eq!(unrelated, []);
}

#[test]
fn an_edit_while_nobody_watched_is_found_in_the_next_list() {
    let index = synced();

    list(index.target_seen(Seen::ListBegins, now()));
    let wakes = see_target(&index, secret("a", 2, ("edited", "v")));

    assert_eq!(wakes, [es_now("a", Trigger::TargetChanged)]);
}

#[test]
fn our_own_write_requeues_no_one_when_the_watch_is_first() {
    let index = synced();
    index.targets().begin_write(key("a"));

    assert_eq!(see_target(&index, labelled(2, "ours")), []);
    assert_eq!(list(index.target_answered(labelled(2, "ours"), now())), []);
    assert_eq!(list(index.target_write_ended(&key("a"), now())), []);
}

#[test]
fn a_change_by_others_after_our_write_has_the_next_refresh_look() {
    let index = synced();
    index.targets().begin_write(key("a"));
    see_target(&index, labelled(3, "theirs"));

    let wakes = list(index.target_answered(labelled(2, "ours"), now()));

    assert_eq!(wakes, [es_at("a", now(), Trigger::TargetChanged)]);
}

#[test]
fn a_change_by_others_during_a_write_that_failed_has_the_next_refresh_look() {
    let index = synced();
    index.targets().begin_write(key("a"));
    see_target(&index, labelled(2, "theirs"));

    let wakes = list(index.target_write_ended(&key("a"), now()));

    assert_eq!(wakes, [es_at("a", now(), Trigger::TargetChanged)]);
}

fn config_maps() -> (String, String) {
    ("v1".to_owned(), "ConfigMap".to_owned())
}

fn see_manifest(index: &Index, seen: Seen<ObjectMeta>) -> Vec<Wake> {
    list(index.manifest_target_seen(&config_maps(), seen, now()))
}

#[test]
fn a_manifest_target_of_another_version_requeues_its_external_secret() {
    let index = knowing(see_external_secret, ready("a"));

    let first = see_manifest(&index, applied(metadata("a", 1)));
    let again = see_manifest(&index, applied(metadata("a", 1)));
    let next = see_manifest(&index, applied(metadata("a", 2)));

    assert_eq!(first, [es_now("a", Trigger::TargetChanged)]);
    assert_eq!(again, []);
    assert_eq!(next, [es_now("a", Trigger::TargetChanged)]);
}

#[test]
fn a_deleted_manifest_target_requeues_its_external_secret() {
    let index = knowing(see_external_secret, ready("a"));
    see_manifest(&index, applied(metadata("a", 1)));

    let wakes = see_manifest(&index, deleted(metadata("a", 1)));

    assert_eq!(wakes, [es_now("a", Trigger::TargetChanged)]);
}

#[test]
fn a_manifest_target_that_a_new_list_does_not_show_requeues_its_external_secret() {
    let index = knowing(see_external_secret, ready("a"));
    see_manifest(&index, applied(metadata("a", 1)));

    see_manifest(&index, Seen::ListBegins);
    let wakes = see_manifest(&index, Seen::ListEnds);

    assert_eq!(wakes, [es_now("a", Trigger::TargetChanged)]);
}

#[test]
fn a_list_of_one_kind_of_manifests_says_nothing_of_another() {
    let index = knowing(see_external_secret, ready("a"));
    see_manifest(&index, applied(metadata("a", 1)));
    let others = ("v1".to_owned(), "Service".to_owned());

    list(index.manifest_target_seen(&others, Seen::ListBegins, now()));
    let wakes = list(index.manifest_target_seen(&others, Seen::ListEnds, now()));

    assert_eq!(wakes, []);
}
