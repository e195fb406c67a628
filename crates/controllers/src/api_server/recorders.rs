//! Event recorders, one a component name, and events about our own objects.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::{ClusterSecretStore, ExternalSecret, PushSecret, SecretStore};
use lockstep_plan::{EventNote, Severity, StoreKind};
use lockstep_remote::StoreRecord;
use lockstep_runtime::events::{EventType, Events, ObjectRef, Recorder};

/// Event recorders, one a component name.
pub(crate) struct Recorders {
    external_secret: Recorder,
    push_secret: Recorder,
    secret_store: Recorder,
    cluster_store: Recorder,
    pub(crate) cluster_external_secret: Recorder,
    pub(crate) cluster_push_secret: Recorder,
    /// Objects of kinds that are switched off.
    pub(crate) not_served: Recorder,
    /// What all of them send to.
    pub(crate) all: Events,
}

impl Recorders {
    pub(crate) fn new(events: Events) -> Self {
        Self {
            external_secret: events.recorder("external-secrets"),
            push_secret: events.recorder("pushsecret"),
            secret_store: events.recorder("secret-store"),
            cluster_store: events.recorder("cluster-secret-store"),
            cluster_external_secret: events.recorder("cluster-external-secret"),
            cluster_push_secret: events.recorder("cluster-push-secret"),
            not_served: events.recorder("external-secrets"),
            all: events,
        }
    }

    /// Records an event about an ExternalSecret.
    pub(crate) fn external_secret(&self, object: &ExternalSecret, event: &EventNote) {
        let kind = (ExternalSecret::API_VERSION, ExternalSecret::KIND);
        let object = reference(kind, &object.metadata);
        publish(&self.external_secret, &object, event);
    }

    /// Records an event about a PushSecret.
    pub(crate) fn push_secret(&self, object: &PushSecret, event: &EventNote) {
        let kind = (PushSecret::API_VERSION, PushSecret::KIND);
        let object = reference(kind, &object.metadata);
        publish(&self.push_secret, &object, event);
    }

    /// Records an event about a store.
    pub(crate) fn store(&self, store: &StoreRecord, event: &EventNote) {
        let (recorder, kind) = match store.key.kind {
            StoreKind::SecretStore => (
                &self.secret_store,
                (SecretStore::API_VERSION, SecretStore::KIND),
            ),
            StoreKind::ClusterSecretStore => (
                &self.cluster_store,
                (ClusterSecretStore::API_VERSION, ClusterSecretStore::KIND),
            ),
        };
        publish(recorder, &reference(kind, &store.metadata), event);
    }
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
