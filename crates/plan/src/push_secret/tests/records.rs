//! What is recorded, reported and deleted after a push.

use lockstep_api::push_secret::{PushConversion, PushData, SyncedPushSecrets};
use lockstep_provider_api::Error;
use serde_json::json;

use super::*;
use crate::next_run::NextRun;
use crate::{EventNote, StoreKey};

fn denied(entry: &Entry) -> Done {
    let error = Error::new(lockstep_provider_api::ErrorKind::Denied, "not allowed");
    Done::Failed(push_failed(
        &StoreKey::namespaced(NAMESPACE, "s"),
        &entry.data,
        &error,
    ))
}

const TWO: &str = "secretStoreRefs: [{name: s}]\n\
    selector: {secret: {name: src}}\n\
    deletionPolicy: Delete\n\
    data: [{match: {secretKey: a, remoteRef: {remoteKey: r}}}, \
           {match: {secretKey: a, remoteRef: {remoteKey: q}}}]";

#[test]
fn a_push_is_recorded_and_told_once() {
    let mut scene = Scene::of(one_key(""));

    let first = scene.written();
    let second = scene.push(map([("a", "1")]), |_| Done::Written, noon());

    assert_eq!(recorded(&scene.object), ["SecretStore/s: r"]);
    assert_eq!(
        condition(&scene.object),
        "True Synced: PushSecret synced successfully"
    );
    let told = EventNote::normal("Synced", "PushSecret synced successfully");
    assert_eq!(first.events, [told]);
    assert_eq!((second.events, second.status), (vec![], None));
}

#[test]
fn defaults_in_the_record_alone_are_no_change() {
    let mut scene = Scene::of(one_key(""));
    scene.written();
    for entry in recorded_entries(&mut scene) {
        entry.conversion_strategy = Some(PushConversion::None);
        entry.match_.remote_ref.property = Some(String::new());
    }

    let again = scene.push(map([("a", "1")]), |_| Done::Written, noon());

    assert_eq!((again.events, again.status), (vec![], None));
}

#[test]
fn another_conversion_is_a_change_of_the_record() {
    let mut scene = Scene::of(one_key(""));
    scene.written();
    for entry in recorded_entries(&mut scene) {
        entry.conversion_strategy = Some(PushConversion::ReverseUnicode);
    }

    let again = scene.push(map([("a", "1")]), |_| Done::Written, noon());

    assert!(again.status.is_some());
}

fn recorded_entries(scene: &mut Scene) -> impl Iterator<Item = &mut PushData> {
    let status = scene.object.status.as_mut().unwrap();
    let stores = status.synced_push_secrets.values_mut();
    stores.flat_map(std::collections::BTreeMap::values_mut)
}

#[test]
fn a_failed_entry_keeps_what_was_recorded_and_the_others_are_recorded() {
    let mut scene = Scene::of(one_key(""));
    scene.written();
    scene.object.spec = push_secret(TWO).spec;
    let fail_r = |entry: &Entry| match entry.id.as_str() {
        "r" => denied(entry),
        _ => Done::Written,
    };

    let report = scene.push(map([("a", "1")]), fail_r, noon());

    assert_eq!(
        recorded(&scene.object),
        ["SecretStore/s: q", "SecretStore/s: r"]
    );
    assert_eq!(
        condition(&scene.object),
        "False Errored: set secret failed: could not write remote ref a to target secretstore s: \
         not allowed (Denied)"
    );
    assert_eq!(report.outcome.next, NextRun::Backoff);
    assert_eq!(
        report.events[0].message,
        "set secret failed: could not write remote ref a to target secretstore s: not allowed"
    );
}

#[test]
fn an_entry_that_is_gone_is_obsolete_and_leaves_no_trace_in_the_patch() {
    let mut scene = Scene::of(finalized(push_secret(TWO)));
    scene.written();
    let before = scene.object.status.clone();
    scene.object.spec.data.pop();

    let plan = scene.plan(map([("a", "1")])).unwrap();
    let (record, _) = settle(
        &scene.observed(),
        &scene.resolved(),
        plan,
        vec![vec![Done::Written]],
    );

    let obsolete = obsolete(&scene.object, &record);
    assert_eq!(obsolete.len(), 1);
    assert_eq!(obsolete[0].target.remote_key, "q");
    let after = lockstep_api::push_secret::PushSecretStatus {
        synced_push_secrets: record.clone(),
        ..before.clone().unwrap()
    };
    let patch = status_patch(before.as_ref(), &after);
    assert_eq!(
        patch["syncedPushSecrets"]["SecretStore/s"]["q"],
        json!(null)
    );

    let mut kept = record;
    obsolete[0].keep_in(&mut kept, &scene.object);
    assert_eq!(kept["SecretStore/s"].len(), 2);
}

#[test]
fn what_was_there_before_is_never_recorded_for_deletion() {
    let mut scene = Scene::of(finalized(one_key(
        "deletionPolicy: Delete\nupdatePolicy: IfNotExists",
    )));

    scene.push(map([("a", "1")]), |_| Done::Existed, noon());

    assert_eq!(recorded(&scene.object), Vec::<String>::new());
    assert_eq!(
        condition(&scene.object),
        "True Synced: PushSecret synced successfully. Existing secrets in providers unchanged."
    );
}

#[test]
fn what_we_wrote_stays_recorded_when_it_is_found_again() {
    let mut scene = Scene::of(finalized(one_key(
        "deletionPolicy: Delete\nupdatePolicy: IfNotExists",
    )));
    scene.written();

    scene.push(map([("a", "1")]), |_| Done::Existed, noon());

    assert_eq!(recorded(&scene.object), ["SecretStore/s: r"]);
}

#[test]
fn without_policy_delete_existing_secrets_are_recorded_as_upstream_does() {
    let mut scene = Scene::of(one_key("updatePolicy: IfNotExists"));

    scene.push(map([("a", "1")]), |_| Done::Existed, noon());

    assert_eq!(recorded(&scene.object), ["SecretStore/s: r"]);
}

#[test]
fn what_was_pushed_to_a_store_that_is_being_deleted_stays_recorded() {
    let mut going = ready_store("t");
    going.metadata.deletion_timestamp =
        Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(noon()));
    let mut scene = Scene::of(finalized(one_key("deletionPolicy: Delete")));
    scene.object.spec.secret_store_refs = serde_saphyr::from_str("[{name: s}, {name: t}]").unwrap();
    scene.stores = lookup([&ready_store("s"), &ready_store("t")].map(StoreView::of));
    scene.written();
    scene.stores = lookup([&ready_store("s"), &going].map(StoreView::of));

    scene.push(map([("a", "1")]), |_| Done::Written, noon());

    assert_eq!(
        recorded(&scene.object),
        ["SecretStore/s: r", "SecretStore/t: r"]
    );
}

#[test]
fn a_source_that_is_gone_is_followed_only_with_policy_delete_and_a_record() {
    let mut scene = Scene::of(finalized(one_key("deletionPolicy: Delete")));
    assert!(!scene.observed().follows_source());
    scene.written();
    assert!(scene.observed().follows_source());

    let applied = Applied {
        record: SyncedPushSecrets::new(),
        settled: Settled::SourceDeleted,
        pending: None,
    };
    let report = report(&scene.observed(), applied, &scene.settings, noon());
    scene.object.status = report.status;

    assert_eq!(
        condition(&scene.object),
        "False SourceDeleted: source secret deleted; provider secrets cleaned up"
    );
    assert!(scene.observed().follows_source());
    scene.object.spec.deletion_policy = None;
    assert!(!scene.observed().follows_source());
}

#[test]
fn a_source_that_cannot_be_read_is_a_failure_that_keeps_the_record() {
    let mut scene = Scene::of(finalized(one_key("deletionPolicy: Delete")));
    scene.written();
    let failure = no_source(&Error::unreachable("no answer"));

    let applied = Applied::failed(&scene.observed(), failure);
    let report = report(&scene.observed(), applied, &scene.settings, noon());
    scene.object.status = report.status;

    assert_eq!(recorded(&scene.object), ["SecretStore/s: r"]);
    assert_eq!(
        condition(&scene.object),
        "False Errored: could not get source secret: Unreachable: no answer; check server, address and network; \
         it goes on when the provider answers"
    );
    assert_eq!(
        report.events[0].message,
        "could not get source secret: no answer"
    );
}

#[test]
fn an_entry_sent_to_another_namespace_is_obsolete_where_it_was() {
    let into = |namespace: &str| json!({"kind": "PushSecretMetadata", "spec": {"remoteNamespace": namespace}});
    let mut scene = Scene::of(finalized(one_key("deletionPolicy: Delete")));
    scene.object.spec.data[0].metadata = Some(into("before"));
    scene.written();
    let gone = obsolete(&scene.object, &SyncedPushSecrets::new());
    assert_eq!(gone[0].target.metadata, Some(into("before")));

    scene.object.spec.data[0].metadata = Some(into("after"));
    let plan = scene.plan(map([("a", "1")])).unwrap();
    let done = vec![vec![Done::Written]];
    let (record, _) = settle(&scene.observed(), &scene.resolved(), plan, done);

    let left = obsolete(&scene.object, &record);
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].target.metadata, Some(into("before")));
    let entry = &record["SecretStore/s"]["r"];
    assert_eq!(entry.metadata, Some(into("after")));
}

#[test]
fn other_metadata_does_not_make_an_entry_obsolete() {
    let mut scene = Scene::of(finalized(one_key("deletionPolicy: Delete")));
    scene.written();

    scene.object.spec.data[0].metadata = Some(json!({"spec": {"labels": {"a": "b"}}}));
    let plan = scene.plan(map([("a", "1")])).unwrap();
    let done = vec![vec![Done::Written]];
    let (record, _) = settle(&scene.observed(), &scene.resolved(), plan, done);

    assert!(obsolete(&scene.object, &record).is_empty());
}
