//! Events about our own objects, handed to the recorder of their controller.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::{ClusterSecretStore, ExternalSecret, PushSecret, SecretStore};
use lockstep_plan::{EventNote, Severity, StoreKind};
use lockstep_remote::StoreRecord;
use lockstep_runtime::events::{EventType, ObjectRef, Recorder};

use crate::shared::Recorders;

/// Records an event about an ExternalSecret.
pub(crate) fn about_external_secret(
    recorders: &Recorders,
    object: &ExternalSecret,
    event: &EventNote,
) {
    let kind = (ExternalSecret::API_VERSION, ExternalSecret::KIND);
    publish(
        &recorders.external_secret,
        &reference(kind, &object.metadata),
        event,
    );
}

/// Records an event about a PushSecret.
pub(crate) fn about_push_secret(recorders: &Recorders, object: &PushSecret, event: &EventNote) {
    let kind = (PushSecret::API_VERSION, PushSecret::KIND);
    publish(
        &recorders.push_secret,
        &reference(kind, &object.metadata),
        event,
    );
}

/// Records an event about a store.
pub(crate) fn about_store(recorders: &Recorders, store: &StoreRecord, event: &EventNote) {
    let (recorder, kind) = match store.key.kind {
        StoreKind::SecretStore => (
            &recorders.secret_store,
            (SecretStore::API_VERSION, SecretStore::KIND),
        ),
        StoreKind::ClusterSecretStore => (
            &recorders.cluster_store,
            (ClusterSecretStore::API_VERSION, ClusterSecretStore::KIND),
        ),
    };
    publish(recorder, &reference(kind, &store.metadata), event);
}

/// Records an event about an object of any kind, given as its `apiVersion` and kind.
pub(crate) fn about(
    recorder: &Recorder,
    kind: (&'static str, &'static str),
    (metadata, event): (&ObjectMeta, &EventNote),
) {
    publish(recorder, &reference(kind, metadata), event);
}

fn publish(recorder: &Recorder, object: &ObjectRef, event: &EventNote) {
    let severity = match event.severity {
        Severity::Normal => EventType::Normal,
        Severity::Warning => EventType::Warning,
    };
    recorder.publish(object, severity, event.reason, &event.message);
}

fn reference((api_version, kind): (&'static str, &'static str), meta: &ObjectMeta) -> ObjectRef {
    let text = |part: &Option<String>| part.clone().unwrap_or_default();
    ObjectRef {
        api_version: api_version.into(),
        kind: kind.into(),
        namespace: text(&meta.namespace),
        name: text(&meta.name),
        uid: text(&meta.uid),
        resource_version: text(&meta.resource_version),
    }
}
