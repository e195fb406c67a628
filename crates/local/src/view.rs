//! What is shown of the state: one line an object, in the order of their names, and the Secrets
//! that were delivered. Tables, JSON, files and the notes of `--watch` are all made from this.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use lockstep_api::conditions::{Condition, READY};
use lockstep_api::{ExternalSecret, reasons};
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::store_keys;

use super::folder::{Folder, State, Tracked, TrackedStore};
use super::hints;
use super::manifests::Kind;
use super::name::Name;

/// Interval the CRD fills in where a manifest names none.
const DEFAULT_INTERVAL: &str = "1h0m0s";

/// The state at a moment.
pub(crate) struct View {
    pub(crate) stores: Vec<StoreLine>,
    pub(crate) objects: Vec<ObjectLine>,
    pub(crate) secrets: BTreeMap<Name, Secret>,
    /// Targets that are not to be taken away, delivered or not.
    pub(crate) claimed: BTreeSet<Name>,
}

/// A store.
pub(crate) struct StoreLine {
    pub(crate) key: StoreKey,
    pub(crate) created: Option<Time>,
    pub(crate) capabilities: String,
    pub(crate) health: Health,
}

/// An ExternalSecret.
pub(crate) struct ObjectLine {
    pub(crate) name: Name,
    pub(crate) store_kind: String,
    pub(crate) store: String,
    pub(crate) interval: String,
    pub(crate) target: String,
    pub(crate) last_sync: Option<Time>,
    pub(crate) health: Health,
}

/// How an object stands.
pub(crate) struct Health {
    /// The Ready condition; `None` before there is one.
    pub(crate) ready: Option<Condition>,
    /// Whether it belongs to another controller class.
    pub(crate) is_foreign: bool,
    /// What to do about a failure.
    pub(crate) hint: Option<String>,
}

impl StoreLine {
    /// Kind, namespace and name.
    pub(crate) fn label(&self) -> String {
        let StoreKey {
            kind,
            namespace,
            name,
        } = &self.key;
        let name = Name::new(namespace.as_deref().unwrap_or_default(), &**name);
        format!("{kind} {name}")
    }
}

impl Health {
    /// Whether something is wrong.
    pub(crate) fn is_failed(&self) -> bool {
        !self.is_foreign && !self.ready.as_ref().is_some_and(Condition::is_true)
    }

    pub(crate) fn reason(&self) -> &str {
        let reason = self
            .ready
            .as_ref()
            .and_then(|ready| ready.reason.as_deref());
        reason.unwrap_or_default()
    }

    pub(crate) fn status(&self) -> &str {
        self.ready
            .as_ref()
            .map(|ready| ready.status.as_str())
            .unwrap_or_default()
    }

    pub(crate) fn message(&self) -> &str {
        let message = self
            .ready
            .as_ref()
            .and_then(|ready| ready.message.as_deref());
        message.unwrap_or("no run came to an end")
    }
}

impl View {
    /// The state of a folder. `broken` names the objects whose manifest has a fault.
    pub(crate) fn of(folder: &Folder, broken: &BTreeSet<(Kind, Name)>) -> Self {
        let state = folder.state();
        let stores = state
            .stores
            .iter()
            .map(|(key, tracked)| store_line(key, tracked));
        let objects = state.external_secrets.iter();
        let objects = objects.map(|(name, tracked)| object_line(name, tracked, &state, broken));
        let (stores, objects): (Vec<_>, Vec<_>) = (stores.collect(), objects.collect());
        let mut secrets = BTreeMap::new();
        let mut claimed = BTreeSet::new();
        for (name, tracked) in &state.external_secrets {
            let target = Name::new(&*name.namespace, tracked.object.target_name());
            if is_delivered(&tracked.object, &target.name)
                && let Some(secret) = state.secrets.get(&target)
            {
                secrets.insert(target.clone(), secret.clone());
            }
            if !was_deleted(&tracked.object) {
                claimed.insert(target);
            }
        }
        Self {
            stores,
            objects,
            secrets,
            claimed,
        }
    }

    /// Whether everything is as it should be.
    pub(crate) fn is_ready(&self) -> bool {
        !self.stores.iter().any(|store| store.health.is_failed())
            && !self.objects.iter().any(|object| object.health.is_failed())
    }
}

fn store_line(key: &StoreKey, tracked: &TrackedStore) -> StoreLine {
    let record = &tracked.record;
    let capabilities = record.status.capabilities.as_ref();
    StoreLine {
        key: key.clone(),
        created: record.metadata.creation_timestamp.clone(),
        capabilities: capabilities
            .map(|word| word.as_str().to_owned())
            .unwrap_or_default(),
        health: Health {
            ready: Condition::find(&record.status.conditions, READY).cloned(),
            is_foreign: tracked.is_foreign,
            hint: tracked.cause.and_then(hints::store),
        },
    }
}

fn object_line(
    name: &Name,
    tracked: &Tracked,
    state: &State,
    broken: &BTreeSet<(Kind, Name)>,
) -> ObjectLine {
    let object = &tracked.object;
    let reference = object.spec.secret_store_ref.as_ref();
    let is_foreign = store_keys(object)
        .iter()
        .any(|key| state.stores.get(key).is_some_and(|store| store.is_foreign));
    let hint = tracked
        .cause
        .and_then(|cause| hints::object(cause, object, state, broken));
    ObjectLine {
        name: name.clone(),
        store_kind: reference
            .map(|store| store.kind().to_string())
            .unwrap_or_default(),
        store: reference
            .map(|store| store.name().to_owned())
            .unwrap_or_default(),
        interval: object
            .spec
            .refresh_interval
            .as_deref()
            .unwrap_or(DEFAULT_INTERVAL)
            .to_owned(),
        target: object.target_name().to_owned(),
        last_sync: tracked.last_sync.clone(),
        health: Health {
            ready: ready(object),
            is_foreign,
            hint,
        },
    }
}

fn ready(object: &ExternalSecret) -> Option<Condition> {
    Condition::find(&object.status.as_ref()?.conditions, READY).cloned()
}

/// Whether the object wrote, or found as wished, a Secret of this name.
fn is_delivered(object: &ExternalSecret, target: &str) -> bool {
    let binding = object
        .status
        .as_ref()
        .and_then(|status| status.binding.as_ref());
    binding.is_some_and(|binding| binding.name == target)
}

/// Whether the provider has no data and the policy said to delete the target.
fn was_deleted(object: &ExternalSecret) -> bool {
    ready(object).is_some_and(|ready| {
        ready.is_true() && ready.reason.as_deref() == Some(reasons::SECRET_DELETED)
    })
}
