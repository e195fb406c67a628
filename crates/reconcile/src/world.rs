//! What a run may do to the world around it. One implementation talks to an API server, one to a
//! folder of manifests; the engine does not know which.

use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use lockstep_api::external_secret::GeneratorRef;
use lockstep_api::{ExternalSecret, ExternalSecretStatus, GeneratorState};
use lockstep_plan::external_secret::{SourceKey, TargetDelete};
use lockstep_plan::manifest_target::{Object, ObjectRef};
use lockstep_plan::{EventNote, StoreKey};
use lockstep_provider_api::{Error, SecretMap};

/// Reads and writes around one ExternalSecret. Every write is conditional on the version the object
/// was read at.
pub trait World: Send + Sync {
    /// Applies a merge patch to the object's finalizers and returns the object as it is then.
    fn patch(
        &self,
        object: &ExternalSecret,
        patch: &serde_json::Value,
    ) -> impl Future<Output = Result<ExternalSecret, WorldError>> + Send;

    /// Writes the object's status.
    fn write_status(
        &self,
        object: &ExternalSecret,
        status: &ExternalSecretStatus,
    ) -> impl Future<Output = Result<(), WorldError>> + Send;

    /// Reads a Secret, labelled or not.
    fn read_secret(
        &self,
        namespace: &str,
        name: &str,
    ) -> impl Future<Output = Result<Option<Secret>, WorldError>> + Send;

    /// Creates a target under a field manager.
    fn create_secret(
        &self,
        secret: Secret,
        manager: &str,
    ) -> impl Future<Output = Result<(), WorldError>> + Send;

    /// Writes a target in place of the version it carries.
    fn replace_secret(
        &self,
        secret: Secret,
        manager: &str,
    ) -> impl Future<Output = Result<(), WorldError>> + Send;

    /// Deletes a target, if it is still the one that was seen.
    fn delete_secret(
        &self,
        namespace: &str,
        delete: &TargetDelete,
    ) -> impl Future<Output = Result<(), WorldError>> + Send;

    /// Reads a target that is no Secret. [`WorldError::NotFound`] means that there is no such kind.
    fn read_object(
        &self,
        target: &ObjectRef,
    ) -> impl Future<Output = Result<Option<Object>, WorldError>> + Send {
        let error = no_objects(target);
        async { Err(error) }
    }

    /// Creates a target that is no Secret.
    fn create_object(
        &self,
        target: &ObjectRef,
        _object: Object,
    ) -> impl Future<Output = Result<(), WorldError>> + Send {
        let error = no_objects(target);
        async { Err(error) }
    }

    /// Writes a target that is no Secret in place of the version it carries, and tells whether that
    /// changed anything.
    fn replace_object(
        &self,
        target: &ObjectRef,
        _object: Object,
    ) -> impl Future<Output = Result<bool, WorldError>> + Send {
        let error = no_objects(target);
        async { Err(error) }
    }

    /// Deletes a target that is no Secret, if it is still the one that was seen.
    fn delete_object(
        &self,
        target: &ObjectRef,
        _delete: &TargetDelete,
    ) -> impl Future<Output = Result<(), WorldError>> + Send {
        let error = no_objects(target);
        async { Err(error) }
    }

    /// Reads the data of an object that templates take their texts from.
    fn template_source(
        &self,
        namespace: &str,
        source: &SourceKey,
    ) -> impl Future<Output = Result<SecretMap, String>> + Send;

    /// Reads a generator an object of `namespace` names.
    fn generator(
        &self,
        _namespace: &str,
        reference: &GeneratorRef,
    ) -> impl Future<Output = Result<Generator, Error>> + Send {
        let text = format!("generators of kind {} cannot be read here", reference.kind);
        async { Err(Error::unsupported(text)) }
    }

    /// Stores the state of a credential that a generator made, and returns its name.
    fn create_state(
        &self,
        state: &GeneratorState,
    ) -> impl Future<Output = Result<String, WorldError>> + Send {
        let kind = state
            .spec
            .resource
            .get("kind")
            .and_then(|kind| kind.as_str());
        let kind = kind.unwrap_or_default();
        let text = format!("generators of kind {kind} need a cluster that keeps their states");
        async { Err(WorldError::Failed(text)) }
    }

    /// Lists the states with this owner key.
    fn states(
        &self,
        _namespace: &str,
        _owner_key: &str,
    ) -> impl Future<Output = Result<Vec<GeneratorState>, WorldError>> + Send {
        async { Ok(Vec::new()) }
    }

    /// Says when a state is to be deleted. Its absence is success.
    fn flag_state(
        &self,
        _namespace: &str,
        _name: &str,
        _deadline: Timestamp,
    ) -> impl Future<Output = Result<(), WorldError>> + Send {
        async { Ok(()) }
    }

    /// The sources of the object are about to be read: what it synced from before no longer counts.
    fn fetching(&self, _object: &ExternalSecret) {}

    /// Asks whether the target may be deleted because its remote secrets are absent from `stores`.
    fn absent(&self, _object: &ExternalSecret, _stores: &BTreeSet<StoreKey>) -> Deletion {
        Deletion::Allowed
    }

    /// The remote secrets of the object are there.
    fn present(&self, _object: &ExternalSecret) {}

    /// Records an event about the object. Never waits and never fails a run.
    fn publish(&self, object: &ExternalSecret, event: EventNote);
}

fn no_objects(target: &ObjectRef) -> WorldError {
    WorldError::Failed(format!("targets of kind {} are not kept here", target.kind))
}

/// A generator as it stands in its manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    /// Its kind; never the cluster-scoped wrapper.
    pub kind: String,
    /// Its metadata; empty for one out of the cluster-scoped wrapper.
    pub metadata: serde_json::Value,
    /// Its spec.
    pub spec: serde_json::Value,
}

impl Generator {
    /// Whether it names a controller class other than `class`.
    pub fn is_foreign_to(&self, class: &str) -> bool {
        let named = self.spec.get("controller").and_then(|name| name.as_str());
        named.is_some_and(|named| !named.is_empty() && named != class)
    }
}

/// Whether a target may be deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// It may.
    Allowed,
    /// Read again then, and ask again.
    LookAgain(Timestamp),
    /// Too much of this store vanished at once.
    Held(StoreKey),
}

/// Why the world did not do as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorldError {
    /// The object changed meanwhile.
    Conflict(String),
    /// An object of that name is there already.
    AlreadyExists,
    /// There is no such object.
    NotFound,
    /// Anything else: refused, forbidden, unreachable.
    Failed(String),
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict(text) | Self::Failed(text) => f.write_str(text),
            Self::AlreadyExists => f.write_str("the object already exists"),
            Self::NotFound => f.write_str("the object was not found"),
        }
    }
}
