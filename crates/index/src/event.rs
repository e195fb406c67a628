//! What watches show, one variant a kind. Knows no watch and no client.

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::{
    ClusterExternalSecret, ClusterPushSecret, ExternalSecret, GeneratorState, PushSecret,
};
use lockstep_plan::StoreKind;
use lockstep_plan::store::StoreRecord;

use crate::rows::{InputKind, ManifestKind};

/// What a watch shows of one kind.
#[derive(Debug)]
pub enum Seen<T> {
    /// A full list begins. What is not applied again before it ends is gone.
    ListBegins,
    /// The object is there: new, changed or listed.
    Applied(Box<T>),
    /// The object was deleted; this is its last state.
    Deleted(Box<T>),
    /// The list is complete.
    ListEnds,
}

impl<T> Seen<T> {
    /// Reduces the object to what the index takes of it.
    pub fn map<U>(self, part: impl FnOnce(T) -> U) -> Seen<U> {
        match self {
            Self::ListBegins => Seen::ListBegins,
            Self::Applied(object) => Seen::Applied(Box::new(part(*object))),
            Self::Deleted(object) => Seen::Deleted(Box::new(part(*object))),
            Self::ListEnds => Seen::ListEnds,
        }
    }
}

/// What a watch of some kind shows.
#[derive(Debug)]
pub enum Event {
    /// ExternalSecrets.
    ExternalSecret(Seen<ExternalSecret>),
    /// PushSecrets.
    PushSecret(Seen<PushSecret>),
    /// ClusterExternalSecrets.
    ClusterExternalSecret(Seen<ClusterExternalSecret>),
    /// ClusterPushSecrets.
    ClusterPushSecret(Seen<ClusterPushSecret>),
    /// GeneratorStates.
    GeneratorState(Seen<GeneratorState>),
    /// Stores of one kind.
    Store(StoreKind, Seen<StoreRecord>),
    /// Secrets with the operator's label.
    Target(Seen<Secret>),
    /// Targets of another kind than Secret, by their metadata.
    ManifestTarget(ManifestKind, Seen<ObjectMeta>),
    /// Namespaces, by their metadata.
    Namespace(Seen<ObjectMeta>),
    /// Objects of a kind that others read from, by their metadata. Secrets with the operator's label
    /// are not among them.
    Input(InputKind, Seen<ObjectMeta>),
}
