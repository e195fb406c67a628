//! Every wake-up rule as a test: an event goes in, and who is requeued comes out.

mod cluster_external_secret;
mod external_secret;
mod generator_state;
mod input;
mod namespace;
mod push_secret;
mod store;
mod store_finalizer;
mod target;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::keys::ANNOTATION_DATA_HASH;
use lockstep_api::{
    ClusterExternalSecret, ClusterSecretStore, ExternalSecret, PushSecret, SecretStore,
};
use lockstep_golang::fmt::data_hash;
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{StoreKey, StoreKind};
use serde_json::{Value, json};

use crate::index::Index;
use crate::key::ObjectKey;
use crate::rows::InputKind;
use crate::seen::Seen;
use crate::wake::{Queued, Requeue, Trigger, Wake, Wakes, When};

fn now() -> Timestamp {
    Timestamp::from_second(1_000).unwrap()
}

fn after(millis: i64) -> Timestamp {
    now() + SignedDuration::from_millis(millis)
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::new("ns", name)
}

fn applied<T>(object: T) -> Seen<T> {
    Seen::Applied(Box::new(object))
}

fn deleted<T>(object: T) -> Seen<T> {
    Seen::Deleted(Box::new(object))
}

fn metadata(name: &str, version: u32) -> ObjectMeta {
    let metadata = json!({
        "namespace": "ns", "name": name, "uid": name, "resourceVersion": version.to_string(),
    });
    serde_json::from_value(metadata).unwrap()
}

fn typed<T: serde::de::DeserializeOwned>(metadata: &ObjectMeta, spec: Value, status: Value) -> T {
    let mut object = json!({ "metadata": metadata });
    object["spec"] = spec;
    object["status"] = status;
    serde_json::from_value(object).unwrap()
}

fn condition(ready: &str) -> Value {
    json!({ "conditions": [{ "type": "Ready", "status": ready }] })
}

/// An ExternalSecret that reads through SecretStore `store` and is not ready.
fn external_secret(name: &str) -> ExternalSecret {
    let spec = json!({ "secretStoreRef": { "name": "store" } });
    typed(&metadata(name, 1), spec, Value::Null)
}

fn ready(name: &str) -> ExternalSecret {
    let spec = json!({ "secretStoreRef": { "name": "store" } });
    typed(&metadata(name, 1), spec, condition("True"))
}

/// The object after another write.
fn written(mut object: ExternalSecret) -> ExternalSecret {
    object.metadata.resource_version = Some("2".to_owned());
    object
}

/// A PushSecret that pushes Secret `source` to SecretStore `store`.
fn push_secret(name: &str) -> PushSecret {
    let spec = json!({
        "secretStoreRefs": [{ "name": "store" }],
        "selector": { "secret": { "name": "source" } },
    });
    typed(&metadata(name, 1), spec, Value::Null)
}

fn store_spec() -> Value {
    json!({ "provider": { "fake": { "data": [] } } })
}

fn store(version: u32, status: Value) -> StoreRecord {
    let mut metadata = metadata("store", version);
    metadata.generation = Some(1);
    StoreRecord::from(typed::<SecretStore>(&metadata, store_spec(), status))
}

fn cluster_store(version: u32, status: Value) -> StoreRecord {
    let mut metadata = metadata("store", version);
    metadata.namespace = None;
    StoreRecord::from(typed::<ClusterSecretStore>(&metadata, store_spec(), status))
}

fn store_key() -> StoreKey {
    StoreKey::namespaced("ns".to_owned(), "store".to_owned())
}

/// A Secret that holds `value`, last written with `written`.
fn secret(name: &str, version: u32, (value, written): (&str, &str)) -> Secret {
    let hash = data_hash([("k", written.as_bytes())]);
    let mut metadata = metadata(name, version);
    metadata.annotations = Some([(ANNOTATION_DATA_HASH.to_owned(), hash)].into());
    Secret {
        metadata,
        data: Some([("k".to_owned(), ByteString(value.as_bytes().to_vec()))].into()),
        ..Secret::default()
    }
}

/// A ClusterExternalSecret for namespaces with the label `team`.
fn cluster_external_secret(name: &str, status: Value) -> ClusterExternalSecret {
    let mut metadata = metadata(name, 1);
    metadata.namespace = None;
    let spec = json!({
        "externalSecretSpec": { "secretStoreRef": { "name": "store" } },
        "namespaceSelectors": [{ "matchLabels": { "team": "a" } }],
    });
    typed(&metadata, spec, status)
}

fn namespace(name: &str, version: u32, team: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        resource_version: Some(version.to_string()),
        labels: Some([("team".to_owned(), team.to_owned())].into()),
        ..ObjectMeta::default()
    }
}

/// An index with nothing in it whose first lists are complete.
fn index() -> Index {
    let index = Index::default();
    for wakes in [
        index.external_secret_seen(Seen::ListEnds, now()),
        index.push_secret_seen(Seen::ListEnds),
        index.cluster_external_secret_seen(Seen::ListEnds),
        index.store_seen(StoreKind::SecretStore, Seen::ListEnds, now()),
        index.store_seen(StoreKind::ClusterSecretStore, Seen::ListEnds, now()),
        index.target_seen(Seen::ListEnds, now()),
        index.namespace_seen(Seen::ListEnds, now()),
        index.input_kind_seen(&InputKind::ConfigMap, Seen::ListEnds, now()),
        index.input_kind_seen(&InputKind::Secret, Seen::ListEnds, now()),
    ] {
        assert!(wakes.is_empty());
    }
    index
}

/// The same after an object was seen.
fn knowing<T>(see: impl FnOnce(&Index, T) -> Vec<Wake>, object: T) -> Index {
    let index = index();
    see(&index, object);
    index
}

fn list(wakes: Wakes) -> Vec<Wake> {
    wakes.into_iter().collect()
}

fn see_external_secret(index: &Index, object: ExternalSecret) -> Vec<Wake> {
    list(index.external_secret_seen(applied(object), now()))
}

fn see_push_secret(index: &Index, object: PushSecret) -> Vec<Wake> {
    list(index.push_secret_seen(applied(object)))
}

fn see_store(index: &Index, store: StoreRecord) -> Vec<Wake> {
    list(index.store_seen(store.key.kind, applied(store), now()))
}

fn see_target(index: &Index, secret: Secret) -> Vec<Wake> {
    list(index.target_seen(applied(secret), now()))
}

fn see_namespace(index: &Index, metadata: ObjectMeta) -> Vec<Wake> {
    list(index.namespace_seen(applied(metadata), now()))
}

fn see_input(index: &Index, kind: InputKind, metadata: ObjectMeta) -> Vec<Wake> {
    list(index.input_kind_seen(&kind, applied(metadata), now()))
}

fn requeue(object: Queued, when: When, reset_backoff: bool, trigger: Trigger) -> Wake {
    Wake::Requeue(Requeue {
        object,
        when,
        reset_backoff,
        trigger,
    })
}

fn es_now(name: &str, trigger: Trigger) -> Wake {
    requeue(Queued::ExternalSecret(key(name)), When::Now, false, trigger)
}

fn es_retry(name: &str, trigger: Trigger) -> Wake {
    requeue(Queued::ExternalSecret(key(name)), When::Now, true, trigger)
}

fn es_at(name: &str, at: Timestamp, trigger: Trigger) -> Wake {
    requeue(
        Queued::ExternalSecret(key(name)),
        When::At(at),
        false,
        trigger,
    )
}

fn push_now(name: &str, trigger: Trigger) -> Wake {
    requeue(Queued::PushSecret(key(name)), When::Now, false, trigger)
}

fn push_retry(name: &str, trigger: Trigger) -> Wake {
    requeue(Queued::PushSecret(key(name)), When::Now, true, trigger)
}

fn push_at(name: &str, at: Timestamp, trigger: Trigger) -> Wake {
    requeue(Queued::PushSecret(key(name)), When::At(at), false, trigger)
}

fn store_now(trigger: Trigger) -> Wake {
    requeue(Queued::Store(store_key()), When::Now, false, trigger)
}

fn ces_retry(name: &str, trigger: Trigger) -> Wake {
    let object = Queued::ClusterExternalSecret(name.to_owned());
    requeue(object, When::Now, true, trigger)
}

fn forget_es(name: &str) -> Wake {
    Wake::Forget(Queued::ExternalSecret(key(name)))
}
