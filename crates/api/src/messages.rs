//! Messages of conditions and events that never change, spelled as upstream spells them.
//! A failing condition may carry detail behind a colon; the text in front of it is one of these.

/// ExternalSecret synced.
pub const SECRET_SYNCED: &str = "secret synced";
/// No data at the provider, target kept.
pub const SECRET_RETAINED: &str = "secret retained due to DeletionPolicy=Retain";
/// No data at the provider, target deleted.
pub const SECRET_DELETED: &str = "secret deleted due to DeletionPolicy=Delete";
/// No target to merge into.
pub const SECRET_MISSING: &str = "secret will not be created due to CreationPolicy=Merge";

/// Fetching failed.
pub const COULD_NOT_GET_DATA: &str = "could not get secret data from provider";
/// Deleting the target failed.
pub const COULD_NOT_DELETE: &str = "could not delete secret";
/// Deleting former targets failed.
pub const COULD_NOT_DELETE_ORPHANS: &str = "could not delete orphaned secrets";
/// Another controller owns the target.
pub const COULD_NOT_TAKE_OWNERSHIP: &str = "failed to take ownership of target secret";
/// Another ExternalSecret owns the target.
pub const OWNED_BY_ANOTHER: &str = "target is owned by another ExternalSecret";
/// The target is immutable.
pub const TARGET_IMMUTABLE: &str = "could not update secret, target is immutable";
/// Writing the target failed.
pub const COULD_NOT_UPDATE: &str = "could not update secret";

/// A target that is no Secret, where none is allowed.
pub const INVALID_GENERIC_TARGET: &str = "invalid generic target";
/// Reading a target that is no Secret failed.
pub const COULD_NOT_GET_RESOURCE: &str = "could not get target resource";
/// Deleting a target that is no Secret failed.
pub const COULD_NOT_DELETE_RESOURCE: &str = "could not delete resource";
/// The template of a target that is no Secret failed.
pub const COULD_NOT_APPLY_MANIFEST: &str = "could not apply template to manifest";
/// No target to merge into, and it is no Secret.
pub const RESOURCE_MISSING: &str = "resource will not be created due to CreationPolicy=Merge";

/// Event: target made.
pub const EVENT_CREATED: &str = "secret created";
/// Event: target changed.
pub const EVENT_UPDATED: &str = "secret updated";
/// Event: former target deleted.
pub const EVENT_ORPHAN_DELETED: &str = "secret deleted because it was orphaned";

/// Store accepted by its provider.
pub const STORE_VALIDATED: &str = "store validated";
/// Store whose provider client could not be made.
pub const STORE_NO_CLIENT: &str = "unable to create client";
/// Store whose provider refused it.
pub const STORE_NOT_VALIDATED: &str = "unable to validate store";
/// Store whose provider could not tell.
pub const STORE_UNKNOWN: &str = "could not determine validation status";
/// Event: nobody maintains the provider.
pub const STORE_UNMAINTAINED: &str =
    "store isn't currently maintained. Please plan and prepare accordingly.";
/// Event: the provider goes away.
pub const STORE_DEPRECATED: &str = "store is deprecated and will be removed on the next minor release. Please plan and prepare accordingly.";

/// PushSecret synced.
pub const PUSH_SYNCED: &str = "PushSecret synced successfully";
/// Added to [`PUSH_SYNCED`] when existing remote secrets are left alone.
pub const PUSH_UNCHANGED_SUFFIX: &str = ". Existing secrets in providers unchanged.";
/// PushSecret whose source is gone.
pub const PUSH_SOURCE_DELETED: &str = "source secret deleted; provider secrets cleaned up";
/// PushSecret whose source cannot be read.
pub const PUSH_NO_SOURCE: &str = "could not get source secret";
/// Namespace of a ClusterExternalSecret where the name of its child is taken.
pub const CHILD_EXISTS: &str = "external secret already exists in namespace";
/// Namespace of a ClusterPushSecret where the name of its child is taken.
pub const PUSH_CHILD_EXISTS: &str = "push secret already exists in namespace";
/// ClusterPushSecret whose selectors cannot be read.
pub const NO_TARGET_NAMESPACES: &str = "failed to get target Namespaces";
/// ClusterExternalSecret or ClusterPushSecret with failures.
pub const NAMESPACES_FAILED: &str = "one or more namespaces failed";
