//! The spec of an ExternalSecret: default store, refresh, windows, and the lists of what to fetch.
//! How often and when something is fetched is decided by the planner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CreationPolicy, DataEntry, DataFromEntry, DeletionPolicy, Target};
use crate::choice::choice;

/// What to fetch, from where, how often, and where to put it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ExternalSecretSpec {
    /// Store used by every entry of data and dataFrom that names no other source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_store_ref: Option<StoreRef>,
    /// The object to write, normally a Secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = { "creationPolicy": "Owner", "deletionPolicy": "Retain" }))]
    pub target: Option<Target>,
    /// When values are fetched again: CreatedOnce, Periodic (used when absent) or OnChange.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_policy: Option<RefreshPolicy>,
    /// Time between two fetches as a duration such as 30s, 15m or 1h30m. Zero or less fetches once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "1h0m0s"))]
    pub refresh_interval: Option<String>,
    /// Times at which periodic refreshes are allowed or denied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_windows: Option<Box<SyncWindows>>,
    /// Single values, each stored under a key of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<DataEntry>,
    /// Sets of values: all properties of one remote secret, a search, or a generator.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data_from: Vec<DataFromEntry>,
}

impl ExternalSecretSpec {
    /// The creation policy in force; an absent one means `Owner`.
    pub fn creation_policy(&self) -> &CreationPolicy {
        let given = self
            .target
            .as_ref()
            .and_then(|target| target.creation_policy.as_ref());
        given.unwrap_or(&CreationPolicy::Owner)
    }

    /// The deletion policy in force; an absent one means `Retain`.
    pub fn deletion_policy(&self) -> &DeletionPolicy {
        let given = self
            .target
            .as_ref()
            .and_then(|target| target.deletion_policy.as_ref());
        given.unwrap_or(&DeletionPolicy::Retain)
    }

    /// The refresh policy in force; an absent one means `Periodic`.
    pub fn refresh_policy(&self) -> &RefreshPolicy {
        self.refresh_policy
            .as_ref()
            .unwrap_or(&RefreshPolicy::Periodic)
    }
}

/// Reference to a SecretStore or ClusterSecretStore.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase", default)]
pub struct StoreRef {
    /// Name of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::object_name")]
    pub name: Option<String>,
    /// SecretStore (used when absent) or ClusterSecretStore.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<StoreKind>,
}

impl StoreRef {
    /// The name, empty when absent.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// The kind in force; an absent one means `SecretStore`.
    pub fn kind(&self) -> &StoreKind {
        self.kind.as_ref().unwrap_or(&StoreKind::SecretStore)
    }
}

choice! {
    /// Kind of a store.
    pub enum StoreKind {
        /// A store of one namespace.
        SecretStore = "SecretStore",
        /// A store for all namespaces its conditions admit.
        ClusterSecretStore = "ClusterSecretStore",
    }
}

choice! {
    /// When values are fetched again.
    pub enum RefreshPolicy {
        /// Once, for ever.
        CreatedOnce = "CreatedOnce",
        /// Every interval, and when the object changes.
        Periodic = "Periodic",
        /// Only when the object changes.
        OnChange = "OnChange",
    }
}

/// Windows for periodic refreshes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncWindows {
    /// Whether refreshes run only inside the windows (allow) or only outside of them (deny).
    pub kind: SyncWindowKind,
    /// The windows; one that is open is enough.
    #[schemars(length(min = 1))]
    pub windows: Vec<SyncWindow>,
}

choice! {
    /// What a sync window does.
    pub enum SyncWindowKind {
        /// Refreshes run only while a window is open.
        Allow = "allow",
        /// Refreshes do not run while a window is open.
        Deny = "deny",
    }
}

/// One window: when it opens and for how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncWindow {
    /// Five cron fields in UTC, or a word such as @daily, or @every with a duration.
    #[schemars(
        length(min = 1),
        extend("pattern" = r"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|@every [^\s]+.*|[^\s]+( [^\s]+){4})$")
    )]
    pub schedule: String,
    /// How long the window stays open, as a duration such as 8h.
    pub duration: String,
}
