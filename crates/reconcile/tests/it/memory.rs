//! A world in memory with the API server's rules: versions, conflicts and names that are taken.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use lockstep_api::external_secret::GeneratorRef;
use lockstep_api::{ExternalSecret, SecretStore};
use lockstep_plan::external_secret::{
    Observed, ObservedTarget, SourceKey, SyncOutcome, TargetDelete, TemplateSources, created_by,
    decide,
};
use lockstep_plan::{EventNote, Salt, Settings, StoreKey, StoreLookup, StoreView, TargetRow};
use lockstep_provider_api::conformance::{block_on, services};
use lockstep_provider_api::{Error, SecretMap};
use lockstep_reconcile::external_secret::{
    Deletion, ExternalSecretWorld, Reconciler, outcome_after,
};
use lockstep_reconcile::{Generator, Planning, World};
use lockstep_remote::{Connections, RemoteClient, StoreRecord};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

/// The world, its stores, and a log of every write.
pub(crate) struct Memory {
    pub(crate) object: Mutex<ExternalSecret>,
    pub(crate) secrets: Mutex<BTreeMap<String, Secret>>,
    pub(crate) log: Mutex<Vec<String>>,
    pub(crate) events: Mutex<Vec<EventNote>>,
    pub(crate) refuse: Mutex<Option<ApiError>>,
    pub(crate) refuse_delete: Mutex<Option<ApiError>>,
    pub(crate) inputs_changed: Mutex<bool>,
    pub(crate) generator: Mutex<Option<Generator>>,
    /// Whether the deletion guard holds.
    pub(crate) held: Mutex<bool>,
    stores: BTreeMap<StoreKey, Arc<StoreRecord>>,
    reads: Arc<RemoteClient>,
    settings: Settings,
}

impl Memory {
    pub(crate) fn new(external_secret: &str, store: &str) -> Self {
        let mut object: ExternalSecret = serde_saphyr::from_str(external_secret).unwrap();
        object.metadata.uid = Some("es-uid".to_owned());
        object.metadata.generation = Some(1);
        object.metadata.resource_version = Some("1".to_owned());
        let store: SecretStore = serde_saphyr::from_str(store).unwrap();
        let record = Arc::new(StoreRecord::from(store));
        Self {
            object: Mutex::new(object),
            secrets: Mutex::default(),
            log: Mutex::default(),
            events: Mutex::default(),
            refuse: Mutex::default(),
            refuse_delete: Mutex::default(),
            inputs_changed: Mutex::default(),
            generator: Mutex::default(),
            held: Mutex::default(),
            stores: [(record.key.clone(), record)].into(),
            reads: RemoteClient::new(Connections::new(services().shared()), Salt::default()),
            settings: Settings {
                flood_gate: false,
                ..Settings::default()
            },
        }
    }

    /// Runs the object once, as the mirror would show it.
    pub(crate) fn run(&self, now: Timestamp) -> SyncOutcome {
        let object = self.object.lock().unwrap().clone();
        let row = self
            .secrets
            .lock()
            .unwrap()
            .get(object.target_name())
            .map(|secret| Arc::new(TargetRow::of(secret, &self.settings.salt)));
        let observed = Observed {
            former_targets: self.made_by(&object),
            object,
            namespace_labels: Some(Arc::default()),
            stores: self,
            target: row.map_or(ObservedTarget::Absent, ObservedTarget::Row),
            last_refresh: None,
            inputs_changed: *self.inputs_changed.lock().unwrap(),
            asked: now,
            sources: TemplateSources::new(),
            jitter: 0.5,
        };
        let reconciler = Reconciler {
            world: self,
            remote: &self.reads,
            settings: &self.settings,
            planning: &Planning::default(),
        };
        let verdict = decide(&observed, &self.settings, now);
        let report = block_on(reconciler.reconcile(observed, verdict, now)).report;
        self.events.lock().unwrap().extend(report.events);
        let written = report.status.map_or(Ok(()), |status| {
            self.write("status".to_owned())?;
            self.object.lock().unwrap().status = Some(status);
            Ok(())
        });
        outcome_after(written, report.outcome)
    }

    /// Secrets that carry the object's mark.
    fn made_by(&self, object: &ExternalSecret) -> Vec<Arc<TargetRow>> {
        let mark = created_by(object);
        let secrets = self.secrets.lock().unwrap();
        let rows = secrets
            .values()
            .map(|secret| TargetRow::of(secret, &self.settings.salt));
        let marked = rows.filter(|row| row.created_by.as_deref() == Some(mark.as_str()));
        marked.map(Arc::new).collect()
    }

    pub(crate) fn put_secret(&self, mut secret: Secret) {
        secret.metadata.namespace = Some("ns".to_owned());
        secret.metadata.resource_version = Some("7".to_owned());
        secret.metadata.uid.get_or_insert("secret-uid".to_owned());
        let name = secret.metadata.name.clone().unwrap();
        self.secrets.lock().unwrap().insert(name, secret);
    }

    pub(crate) fn value(&self, name: &str, key: &str) -> Option<String> {
        let secrets = self.secrets.lock().unwrap();
        let value = secrets.get(name)?.data.as_ref()?.get(key)?;
        Some(String::from_utf8(value.0.clone()).unwrap())
    }

    pub(crate) fn taken_log(&self) -> Vec<String> {
        std::mem::take(&mut self.log.lock().unwrap())
    }

    pub(crate) fn ready(&self) -> (String, String) {
        let object = self.object.lock().unwrap();
        let condition = &object.status.as_ref().unwrap().conditions[0];
        (
            condition.status.clone(),
            condition.message.clone().unwrap_or_default(),
        )
    }

    fn write(&self, entry: String) -> Result<(), ApiError> {
        self.log.lock().unwrap().push(entry);
        self.refuse.lock().unwrap().take().map_or(Ok(()), Err)
    }
}

impl World for Memory {
    async fn template_source(&self, _: &str, _: &SourceKey) -> Result<SecretMap, String> {
        Err("no template sources here".to_owned())
    }

    async fn generator(&self, _: &str, _: &GeneratorRef) -> Result<Generator, Error> {
        let known = self.generator.lock().unwrap().clone();
        known.ok_or_else(|| Error::invalid_spec("no generator"))
    }
}

impl ExternalSecretWorld for Memory {
    async fn patch(
        &self,
        _: &ExternalSecret,
        patch: &serde_json::Value,
    ) -> Result<ExternalSecret, ApiError> {
        self.write("patch finalizers".to_owned())?;
        let mut object = self.object.lock().unwrap();
        let finalizers = patch["metadata"]["finalizers"].clone();
        object.metadata.finalizers = serde_json::from_value(finalizers).unwrap();
        Ok(object.clone())
    }

    async fn read_secret(&self, _: &str, name: &str) -> Result<Option<Secret>, ApiError> {
        self.log.lock().unwrap().push(format!("read {name}"));
        Ok(self.secrets.lock().unwrap().get(name).cloned())
    }

    async fn create_secret(&self, secret: Secret, _: &str) -> Result<(), ApiError> {
        let name = secret.metadata.name.clone().unwrap();
        self.write(format!("create {name}"))?;
        if self.secrets.lock().unwrap().contains_key(&name) {
            return Err(ApiError::new(ApiErrorKind::AlreadyExists, "exists"));
        }
        self.put_secret(secret);
        Ok(())
    }

    async fn replace_secret(&self, secret: Secret, _: &str) -> Result<(), ApiError> {
        self.write(format!(
            "replace {}",
            secret.metadata.name.as_deref().unwrap()
        ))?;
        self.put_secret(secret);
        Ok(())
    }

    async fn delete_secret(&self, _: &str, delete: &TargetDelete) -> Result<(), ApiError> {
        self.write(format!("delete {}", delete.name))?;
        if let Some(refusal) = self.refuse_delete.lock().unwrap().take() {
            return Err(refusal);
        }
        let removed = self.secrets.lock().unwrap().remove(&delete.name);
        removed
            .map(drop)
            .ok_or(ApiError::new(ApiErrorKind::NotFound, "not found"))
    }

    fn absent(&self, _: &ExternalSecret, stores: &BTreeSet<StoreKey>) -> Deletion {
        let store = stores.first().cloned();
        let held = store.filter(|_| *self.held.lock().unwrap());
        held.map_or(Deletion::Allowed, Deletion::Held)
    }
}

impl StoreLookup for Memory {
    fn store(&self, key: &StoreKey) -> Option<Arc<StoreView>> {
        self.stores.get(key).map(|record| Arc::clone(&record.view))
    }

    fn record(&self, key: &StoreKey) -> Option<Arc<StoreRecord>> {
        self.stores.get(key).cloned()
    }
}
