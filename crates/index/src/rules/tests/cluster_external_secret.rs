//! What requeues ClusterExternalSecrets.

use super::*;

fn see_ces(index: &Index, object: ClusterExternalSecret) -> Vec<Wake> {
    list(index.cluster_external_secret_seen(applied(object)))
}

fn known() -> Index {
    knowing(see_ces, cluster_external_secret("ces", Value::Null))
}

/// An ExternalSecret that `owner` controls.
fn child(name: &str, owner: &str) -> ExternalSecret {
    let mut child = external_secret(name);
    let reference = json!([{
        "apiVersion": "external-secrets.io/v1", "kind": "ClusterExternalSecret",
        "name": owner, "uid": "u", "controller": true,
    }]);
    child.metadata.owner_references = serde_json::from_value(reference).unwrap();
    child
}

#[test]
fn a_new_cluster_external_secret_is_requeued() {
    let wakes = see_ces(&index(), cluster_external_secret("ces", Value::Null));

    assert_eq!(wakes, [ces_retry("ces", Trigger::Changed)]);
}

#[test]
fn a_cluster_external_secret_shown_again_is_not_requeued() {
    let wakes = see_ces(&known(), cluster_external_secret("ces", condition("True")));

    assert_eq!(wakes, []);
}

#[test]
fn a_new_generation_requeues_a_cluster_external_secret() {
    let mut edited = cluster_external_secret("ces", Value::Null);
    edited.metadata.generation = Some(2);

    assert_eq!(
        see_ces(&known(), edited),
        [ces_retry("ces", Trigger::Changed)]
    );
}

#[test]
fn a_deleted_cluster_external_secret_is_forgotten() {
    let gone = deleted(cluster_external_secret("ces", Value::Null));

    let wakes = list(known().cluster_external_secret_seen(gone));

    let ces = Queued::ClusterExternalSecret("ces".to_owned());
    assert_eq!(wakes, [Wake::Forget(ces)]);
}

#[test]
fn a_cluster_external_secret_that_a_new_list_does_not_show_is_forgotten() {
    let index = known();

    list(index.cluster_external_secret_seen(Seen::ListBegins));
    let wakes = list(index.cluster_external_secret_seen(Seen::ListEnds));

    let ces = Queued::ClusterExternalSecret("ces".to_owned());
    assert_eq!(wakes, [Wake::Forget(ces)]);
}

#[test]
fn a_child_that_changed_requeues_its_owner() {
    let wakes = see_external_secret(&known(), child("c", "ces"));

    let owner = ces_retry("ces", Trigger::ChildChanged);
    assert_eq!(wakes, [owner, es_now("c", Trigger::Changed)]);
}

#[test]
fn a_child_shown_again_does_not_requeue_its_owner() {
    let index = known();
    see_external_secret(&index, child("c", "ces"));

    assert_eq!(see_external_secret(&index, child("c", "ces")), []);
}

#[test]
fn a_child_that_changes_hands_requeues_both_owners() {
    let index = known();
    see_external_secret(&index, child("c", "ces"));
    let mut taken = written(child("c", "other"));
    taken.metadata.generation = Some(2);

    let wakes = see_external_secret(&index, taken);

    let trigger = Trigger::ChildChanged;
    let owners = [ces_retry("ces", trigger), ces_retry("other", trigger)];
    assert_eq!(wakes[..2], owners);
}

#[test]
fn a_deleted_child_requeues_its_owner() {
    let index = known();
    see_external_secret(&index, child("c", "ces"));

    let wakes = list(index.external_secret_seen(deleted(child("c", "ces")), now()));

    assert_eq!(
        wakes,
        [ces_retry("ces", Trigger::ChildChanged), forget_es("c")]
    );
}

#[test]
fn an_external_secret_that_was_in_the_way_requeues_who_failed_there() {
    let status = json!({ "failedNamespaces": [{ "namespace": "ns", "reason": "taken" }] });
    let object = cluster_external_secret("ces", status);
    let index = knowing(see_ces, object);
    see_external_secret(&index, external_secret("theirs"));

    let wakes = list(index.external_secret_seen(deleted(external_secret("theirs")), now()));

    let failed = ces_retry("ces", Trigger::ChildChanged);
    assert_eq!(wakes, [failed, forget_es("theirs")]);
}

#[test]
fn a_new_namespace_with_matching_labels_requeues_who_wants_it() {
    let wakes = see_namespace(&known(), namespace("n", 1, "a"));

    assert_eq!(wakes, [ces_retry("ces", Trigger::NamespaceChanged)]);
}

#[test]
fn a_namespace_with_other_labels_requeues_no_one() {
    assert_eq!(see_namespace(&known(), namespace("n", 1, "b")), []);
}

#[test]
fn a_namespace_that_loses_its_labels_requeues_who_wanted_it() {
    let index = known();
    see_namespace(&index, namespace("n", 1, "a"));

    let wakes = see_namespace(&index, namespace("n", 2, "b"));

    assert_eq!(wakes, [ces_retry("ces", Trigger::NamespaceChanged)]);
}

#[test]
fn a_finalizer_of_a_namespace_requeues_who_wants_it() {
    let index = known();
    see_namespace(&index, namespace("n", 1, "a"));
    let mut marked = namespace("n", 2, "a");
    marked.finalizers = Some(vec!["theirs".to_owned()]);

    let wakes = see_namespace(&index, marked);

    assert_eq!(wakes, [ces_retry("ces", Trigger::NamespaceChanged)]);
}

#[test]
fn the_deletion_mark_of_a_namespace_requeues_who_wants_it() {
    let index = known();
    see_namespace(&index, namespace("n", 1, "a"));
    let mut going = namespace("n", 2, "a");
    going.deletion_timestamp = serde_json::from_value(json!("2026-01-01T00:00:00Z")).unwrap();

    let wakes = see_namespace(&index, going);

    assert_eq!(wakes, [ces_retry("ces", Trigger::NamespaceChanged)]);
}

#[test]
fn a_deleted_namespace_requeues_who_wanted_it() {
    let index = known();
    see_namespace(&index, namespace("n", 1, "a"));

    let wakes = list(index.namespace_seen(deleted(namespace("n", 1, "a")), now()));

    assert_eq!(wakes, [ces_retry("ces", Trigger::NamespaceChanged)]);
}
