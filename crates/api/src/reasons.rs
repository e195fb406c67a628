//! Reasons of conditions and events, spelled as upstream spells them.
//! Dashboards and alerts match on them; which reason applies is decided by the planner.

/// ExternalSecret: the target holds what the provider has.
pub const SECRET_SYNCED: &str = "SecretSynced";
/// ExternalSecret: the target could not be brought up to date.
pub const SECRET_SYNCED_ERROR: &str = "SecretSyncedError";
/// ExternalSecret: the target was deleted because the provider has no data.
pub const SECRET_DELETED: &str = "SecretDeleted";
/// ExternalSecret: there is no target to merge into.
pub const SECRET_MISSING: &str = "SecretMissing";

/// ExternalSecret: the target, which is no Secret, holds what the provider has.
pub const RESOURCE_SYNCED: &str = "ResourceSynced";
/// ExternalSecret: the target, which is no Secret, could not be brought up to date.
pub const RESOURCE_SYNCED_ERROR: &str = "ResourceSyncedError";
/// ExternalSecret: the target, which is no Secret, was deleted because the provider has no data.
pub const RESOURCE_DELETED: &str = "ResourceDeleted";
/// ExternalSecret: there is no target to merge into, and it would be no Secret.
pub const RESOURCE_MISSING: &str = "ResourceMissing";

/// Event of an ExternalSecret: the target was made.
pub const EVENT_CREATED: &str = "Created";
/// Event of an ExternalSecret: the target was changed.
pub const EVENT_UPDATED: &str = "Updated";
/// Event of an ExternalSecret: a target was deleted.
pub const EVENT_DELETED: &str = "Deleted";
/// Event of an ExternalSecret: the sync failed.
pub const EVENT_UPDATE_FAILED: &str = "UpdateFailed";
/// Event of an ExternalSecret: the provider lacks a secret and the policy allows it.
pub const EVENT_MISSING_PROVIDER_SECRET: &str = "MissingProviderSecret";

/// Store: the provider accepted its settings.
pub const STORE_VALID: &str = "Valid";
/// Store: the provider refused its settings.
pub const STORE_INVALID_PROVIDER_CONFIG: &str = "InvalidProviderConfig";
/// Store: the provider could not tell.
pub const STORE_VALIDATION_UNKNOWN: &str = "ValidationUnknown";
/// Store: its backend cannot be reached, as the reads through it found out.
pub const STORE_UNREACHABLE: &str = "ProviderUnreachable";
/// Store: its backend refuses its credentials, as the reads through it found out.
pub const STORE_CREDENTIALS_REFUSED: &str = "CredentialsRefused";
/// Store that is being deleted: it waits for PushSecrets.
pub const STORE_NEEDED: &str = "NeededByPushSecret";
/// Event of a store: nobody maintains its provider.
pub const EVENT_STORE_UNMAINTAINED: &str = "StoreUnmaintained";
/// Event of a store: a selector names another namespace and its own is read.
pub const EVENT_STORE_NAMESPACE_IGNORED: &str = "NamespaceIgnored";
/// Event of a store: its provider goes away.
pub const EVENT_STORE_DEPRECATED: &str = "StoreDeprecated";

/// PushSecret: everything was pushed.
pub const PUSH_SYNCED: &str = "Synced";
/// PushSecret: something failed.
pub const PUSH_ERRORED: &str = "Errored";
/// PushSecret: its source is gone and the provider was cleaned up.
pub const PUSH_SOURCE_DELETED: &str = "SourceDeleted";
/// Event of a PushSecret: what it pushed is deleted soon, because its source no longer has it.
pub const EVENT_PUSH_DELETION_PENDING: &str = "DeletionPending";

/// Event of a ClusterExternalSecret or ClusterPushSecret: a selector of namespaces is invalid.
pub const EVENT_INVALID_SELECTOR: &str = "InvalidSelector";
/// Event of an object whose kind is switched off by a flag.
pub const EVENT_NOT_SERVED: &str = "NotServed";
