//! The state a cluster would hold, in memory: objects of the folder with their status, and the
//! Secrets made of them. Knows nothing of files or of how objects are run. A lock is never held
//! across an await.

mod load;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use lockstep_api::external_secret::{GeneratorKind, GeneratorRef};
use lockstep_api::{ExternalSecret, SecretStoreStatus, keys, reasons};
use lockstep_plan::conditions::{ready, set};
use lockstep_plan::external_secret::{Observed, ObservedTarget, TemplateSources, created_by};
use lockstep_plan::{Failure, Salt, StoreKey, StoreLookup, StoreView, TargetRow};
use lockstep_provider_api::SecretMap;
use lockstep_remote::StoreRecord;
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;

use super::name::Name;
pub(crate) use load::Changes;

/// Label every namespace carries.
const NAMESPACE_LABEL: &str = "kubernetes.io/metadata.name";

/// The state, shared by everything that runs.
#[derive(Default)]
pub(crate) struct Folder(Mutex<State>);

/// Everything that is known.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) external_secrets: BTreeMap<Name, Tracked>,
    pub(crate) stores: BTreeMap<StoreKey, TrackedStore>,
    /// Secrets as they are now, those of manifests and those that were made.
    pub(crate) secrets: BTreeMap<Name, Secret>,
    pub(crate) config_maps: BTreeMap<Name, SecretMap>,
    pub(crate) service_accounts: BTreeMap<Name, BTreeMap<String, String>>,
    pub(crate) generators: BTreeMap<(&'static str, Name), Value>,
    namespaces: BTreeMap<String, BTreeMap<String, String>>,
    /// Secrets as the manifests have them.
    given: BTreeMap<Name, Secret>,
    version: u64,
}

/// An ExternalSecret and what is known of its last run.
#[derive(Default)]
pub(crate) struct Tracked {
    pub(crate) object: ExternalSecret,
    /// When values were last fetched, also while a refresh is forced.
    pub(crate) last_sync: Option<Time>,
    /// Word for the cause of the last failure.
    pub(crate) cause: Option<&'static str>,
}

/// A store and what is known of its last check.
pub(crate) struct TrackedStore {
    pub(crate) record: Arc<StoreRecord>,
    /// Word for the cause of the last failure.
    pub(crate) cause: Option<&'static str>,
    /// Whether it belongs to another controller class.
    pub(crate) is_foreign: bool,
}

impl Folder {
    /// The state, for reading or one change.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // Every change is complete in itself, so a panic elsewhere leaves it usable.
        self.0.lock()
    }

    /// What a run of an ExternalSecret observes.
    pub(crate) fn observe(&self, name: &Name, salt: &Salt, now: Timestamp) -> Option<Observed<'_>> {
        let state = self.state();
        let object = state.external_secrets.get(name)?.object.clone();
        let target = state
            .secrets
            .get(&Name::new(&*name.namespace, object.target_name()));
        Some(Observed {
            namespace_labels: Some(Arc::new(state.namespace_labels(&name.namespace))),
            target: match target {
                None => ObservedTarget::Absent,
                Some(secret) if is_managed(secret) => {
                    ObservedTarget::Row(Arc::new(TargetRow::of(secret, salt)))
                }
                Some(_) => ObservedTarget::Unlabelled,
            },
            former_targets: state.former_targets(&object, salt),
            last_refresh: None,
            inputs_changed: false,
            stores: self,
            asked: now,
            sources: TemplateSources::new(),
            jitter: fastrand::f64(),
            object,
        })
    }

    /// Keeps the outcome of a check of a store.
    pub(crate) fn note_check(
        &self,
        key: &StoreKey,
        status: Option<SecretStoreStatus>,
        cause: Option<&'static str>,
    ) {
        if let Some(tracked) = self.state().stores.get_mut(key) {
            tracked.cause = cause;
            if let Some(status) = status {
                tracked.record = Arc::new(with_status(&tracked.record, status));
            }
        }
    }

    /// Keeps that a store belongs to another controller class.
    pub(crate) fn note_foreign_store(&self, key: &StoreKey) {
        if let Some(tracked) = self.state().stores.get_mut(key) {
            tracked.is_foreign = true;
        }
    }

    /// Keeps how a run ended.
    pub(crate) fn note_run(&self, name: &Name, failure: Option<&Failure>) {
        if let Some(tracked) = self.state().external_secrets.get_mut(name) {
            tracked.cause = failure.map(Failure::cause);
        }
    }

    /// Keeps that a run was cut off by its deadline or by a fault of the program.
    pub(crate) fn note_cut_off(&self, name: &Name, now: Timestamp) {
        if let Some(tracked) = self.state().external_secrets.get_mut(name) {
            let text = "the run was cut off by its deadline or by a fault of the program";
            let condition = ready(false, reasons::SECRET_SYNCED_ERROR, text);
            let status = tracked.object.status.get_or_insert_default();
            set(&mut status.conditions, condition, now);
            tracked.cause = Some("Internal");
        }
    }
}

impl State {
    /// The next version of anything.
    pub(crate) fn next_version(&mut self) -> String {
        self.version += 1;
        self.version.to_string()
    }

    fn namespace_labels(&self, namespace: &str) -> BTreeMap<String, String> {
        let mut labels = self.namespaces.get(namespace).cloned().unwrap_or_default();
        labels.insert(NAMESPACE_LABEL.to_owned(), namespace.to_owned());
        labels
    }

    fn former_targets(&self, object: &ExternalSecret, salt: &Salt) -> Vec<Arc<TargetRow>> {
        let namespace = object.metadata.namespace.as_deref();
        let owner = created_by(object);
        let mut rows = Vec::new();
        for (name, secret) in &self.secrets {
            if Some(name.namespace.as_str()) != namespace || name.name == object.target_name() {
                continue;
            }
            let labels = secret.metadata.labels.as_ref();
            let label = labels.and_then(|labels| labels.get(keys::LABEL_OWNER));
            if label.is_some_and(|label| *label == owner) {
                rows.push(Arc::new(TargetRow::of(secret, salt)));
            }
        }
        rows
    }
}

/// Whether a Secret carries the label of those an ExternalSecret looks after.
pub(crate) fn is_managed(secret: &Secret) -> bool {
    let labels = secret.metadata.labels.as_ref();
    let label = labels.and_then(|labels| labels.get(keys::LABEL_MANAGED));
    label.is_some_and(|label| label == keys::LABEL_MANAGED_VALUE)
}

/// The store as it is after a check.
fn with_status(record: &StoreRecord, status: SecretStoreStatus) -> StoreRecord {
    let mut record = StoreRecord {
        status,
        ..record.clone()
    };
    record.view = Arc::new(StoreView::of(record.object()));
    record
}

impl StoreLookup for Folder {
    fn store(&self, key: &StoreKey) -> Option<Arc<StoreView>> {
        self.state()
            .stores
            .get(key)
            .map(|tracked| Arc::clone(&tracked.record.view))
    }

    fn record(&self, key: &StoreKey) -> Option<Arc<StoreRecord>> {
        self.state()
            .stores
            .get(key)
            .map(|tracked| Arc::clone(&tracked.record))
    }

    fn generator_class(&self, namespace: &str, reference: &GeneratorRef) -> Option<String> {
        let state = self.state();
        let class = state.generator(namespace, reference)?.get("controller")?;
        class.as_str().map(str::to_owned)
    }
}

impl State {
    /// The spec of a generator that an object of `namespace` names.
    pub(crate) fn generator(&self, namespace: &str, reference: &GeneratorRef) -> Option<&Value> {
        let is_wide = reference.kind == GeneratorKind::ClusterGenerator;
        let name = Name::new(if is_wide { "" } else { namespace }, &*reference.name);
        let mut generators = self.generators.iter();
        let found =
            generators.find(|((kind, held), _)| *kind == reference.kind.as_str() && *held == name);
        found.map(|(_, spec)| spec)
    }
}

/// A moment as objects carry it.
pub(crate) fn time(now: Timestamp) -> Time {
    lockstep_plan::conditions::seconds(now)
}
