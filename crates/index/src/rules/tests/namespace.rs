//! Changes of namespaces, and what they mean for objects in them.

use super::*;

/// An index with namespace `ns`, an object that is ready there and one that waits.
fn inhabited() -> Index {
    let index = knowing(see_namespace, namespace("ns", 1, "a"));
    see_external_secret(&index, ready("ready"));
    see_external_secret(&index, external_secret("waiting"));
    index
}

#[test]
fn new_labels_requeue_those_who_wait_and_have_the_others_leave_shared_reads() {
    let wakes = see_namespace(&inhabited(), namespace("ns", 2, "b"));

    let waiting = es_retry("waiting", Trigger::NamespaceChanged);
    assert_eq!(wakes, [waiting, Wake::LeaveSharedReads(key("ready"))]);
}

#[test]
fn new_labels_requeue_pushers_that_wait() {
    let index = knowing(see_namespace, namespace("ns", 1, "a"));
    see_push_secret(&index, push_secret("p"));

    let wakes = see_namespace(&index, namespace("ns", 2, "b"));

    assert_eq!(wakes, [push_retry("p", Trigger::NamespaceChanged)]);
}

#[test]
fn labels_of_another_namespace_requeue_no_one() {
    assert_eq!(see_namespace(&inhabited(), namespace("other", 1, "b")), []);
}

#[test]
fn a_namespace_shown_again_requeues_no_one() {
    assert_eq!(see_namespace(&inhabited(), namespace("ns", 2, "a")), []);
}

#[test]
fn an_older_version_of_a_namespace_is_passed_over() {
    assert_eq!(see_namespace(&inhabited(), namespace("ns", 0, "b")), []);
}

#[test]
fn namespaces_of_the_first_list_requeue_no_one() {
    let index = Index::default();
    see_external_secret(&index, external_secret("waiting"));

    assert_eq!(see_namespace(&index, namespace("ns", 1, "a")), []);
}

#[test]
fn a_namespace_that_a_reconcile_asked_for_counts_even_in_the_first_list() {
    let index = Index::default();
    see_external_secret(&index, external_secret("waiting"));
    index.namespaces().awaits("ns");

    let wakes = see_namespace(&index, namespace("ns", 1, "a"));

    assert_eq!(wakes, [es_retry("waiting", Trigger::NamespaceChanged)]);
}

#[test]
fn a_deleted_namespace_requeues_no_object_in_it() {
    let wakes = list(inhabited().namespace_seen(deleted(namespace("ns", 2, "a")), now()));

    assert_eq!(wakes, []);
}

#[test]
fn what_a_reconcile_asked_for_is_dropped_with_the_last_object() {
    let index = knowing(see_external_secret, external_secret("a"));
    index.namespaces().awaits("ns");
    list(index.external_secret_seen(deleted(external_secret("a")), now()));
    see_external_secret(&index, ready("b"));

    let change = index.namespaces().apply(namespace("ns", 1, "a"));

    assert!(!change.awaited);
}
