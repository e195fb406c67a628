//! What a reconcile would write. Holds whole Secrets, so it is never printed: only what
//! [`crate::difference`] makes of it is.

use k8s_openapi::api::core::v1::Secret;
use lockstep_index::ObjectKey;
use lockstep_plan::StoreKey;
use lockstep_plan::manifest_target::ObjectRef;
use lockstep_provider_api::SecretValue;

/// One write that was not made.
pub(crate) enum Intent {
    /// A Secret: created without `before`, deleted without `after`.
    Secret {
        key: ObjectKey,
        before: Option<Box<Secret>>,
        after: Option<Box<Secret>>,
    },
    /// A target that is no Secret.
    Object { target: ObjectRef, verb: Verb },
    /// The finalizers of the object itself.
    Finalizers,
    /// The status of the object itself.
    Status,
    /// A credential that a generator would make.
    Generate { kind: String, name: String },
}

/// What would be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Create,
    Replace,
    Delete,
}

/// A write to a store that was not made.
pub(crate) struct RemoteIntent {
    pub(crate) store: StoreKey,
    /// Key at the backend.
    pub(crate) remote_key: String,
    /// Member of it, where one is named.
    pub(crate) property: Option<String>,
    /// What would be pushed; `None` for a deletion.
    pub(crate) value: Option<SecretValue>,
    /// Whether something is there, where the store told.
    pub(crate) there: Option<bool>,
}
