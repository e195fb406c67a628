//! The cluster as it would be: what is there, manifests laid over it, and what the runs of this command
//! would have written so far. Everything that reconciles read comes from here; nothing leaves it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::{Selector, SelectorExt};
use lockstep_api::keys::LABEL_NAMESPACE_NAME;
use lockstep_api::{ExternalSecret, SecretStoreStatus};
use lockstep_index::ObjectKey;
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{StoreKey, StoreKind, StoreLookup, StoreView};
use lockstep_runtime::api_error::ApiError;
use parking_lot::Mutex;

use crate::deletion_guard::DeletionGuard;
use crate::merged::merged_texts;
use crate::objects::{Objects, Texts};
use crate::owners::Owners;
use crate::present::Present;

/// What is there with what would be.
pub(crate) struct Scene {
    /// Manifests to be applied.
    pub(crate) given: Objects,
    /// What is there.
    pub(crate) present: Present,
    /// All stores, those of the manifests in place of those that are there.
    stores: Mutex<BTreeMap<StoreKey, Arc<StoreRecord>>>,
    /// Secrets that were written here; `None` for one that was deleted.
    written: Mutex<BTreeMap<ObjectKey, Option<Secret>>>,
    /// Whether what one run would write is there for the next.
    builds_up: bool,
    /// Asked before an object loses data; `None` where every loss is to be seen.
    pub(crate) deletions: Option<DeletionGuard>,
}

impl Scene {
    /// What is there, and nothing else: a run sees nothing of what another would write.
    pub(crate) fn as_it_is(present: Present) -> Self {
        Self {
            builds_up: false,
            deletions: None,
            ..Self::new(Objects::default(), present)
        }
    }

    /// Lays manifests over what is there. A run sees what those before it would have written.
    pub(crate) fn new(given: Objects, present: Present) -> Self {
        let mut stores = BTreeMap::new();
        for (key, store) in &present.objects.stores {
            stores.insert(key.clone(), Arc::new(store.clone()));
        }
        for (key, store) in &given.stores {
            stores.insert(key.clone(), Arc::new(store.clone()));
        }
        Self {
            deletions: Some(DeletionGuard::new(&given, &present.objects)),
            given,
            present,
            stores: Mutex::new(stores),
            written: Mutex::default(),
            builds_up: true,
        }
    }

    /// The Secret as it would be.
    pub(crate) async fn secret(&self, key: &ObjectKey) -> Result<Option<Secret>, ApiError> {
        if let Some(written) = self.written.lock().get(key) {
            return Ok(written.clone());
        }
        let live = self.present.secret(key).await?;
        Ok(match self.given.secrets.get(key) {
            Some(given) => Some(over(given, live.as_ref())),
            None => live,
        })
    }

    /// The Secrets of a namespace that a selector matches, as they would be.
    pub(crate) async fn secrets(
        &self,
        namespace: &str,
        selector: &Selector,
    ) -> Result<Vec<Secret>, ApiError> {
        let live = self.present.secrets(namespace, selector).await?;
        let mut found: BTreeMap<ObjectKey, Secret> = live
            .into_iter()
            .map(|secret| (ObjectKey::of(&secret.metadata), secret))
            .collect();
        for (key, given) in &self.given.secrets {
            if key.namespace() == namespace {
                let laid = over(given, found.get(key));
                put(&mut found, key, Some(laid), selector);
            }
        }
        for (key, written) in self.written.lock().iter() {
            if key.namespace() == namespace {
                put(&mut found, key, written.clone(), selector);
            }
        }
        Ok(found.into_values().collect())
    }

    /// The ConfigMap as it would be.
    pub(crate) async fn config_map(&self, key: &ObjectKey) -> Result<Option<ConfigMap>, ApiError> {
        match self.given.config_maps.get(key) {
            Some(given) => Ok(Some(given.clone())),
            None => self.present.config_map(key).await,
        }
    }

    /// The ExternalSecret as it would be.
    pub(crate) fn external_secret(&self, key: &ObjectKey) -> Option<&ExternalSecret> {
        let given = self.given.external_secrets.get(key);
        given.or_else(|| self.present.objects.external_secrets.get(key))
    }

    /// Notes a Secret as written, or as deleted.
    pub(crate) fn write(&self, key: ObjectKey, secret: Option<Secret>) {
        if self.builds_up {
            self.written.lock().insert(key, secret);
        }
    }

    /// How many Secrets were written here.
    pub(crate) fn writes(&self) -> usize {
        self.written.lock().len()
    }

    /// Labels of a namespace, as cluster stores admit by.
    pub(crate) fn namespace_labels(&self, name: &str) -> Texts {
        let given = self.given.namespaces.get(name);
        let namespace = given.or_else(|| self.present.objects.namespaces.get(name));
        let labels = namespace.and_then(|namespace| namespace.metadata.labels.clone());
        let mut labels = labels.unwrap_or_default();
        labels.insert(LABEL_NAMESPACE_NAME.to_owned(), name.to_owned());
        labels
    }

    /// Names and labels of all namespaces.
    pub(crate) fn namespaces(&self) -> BTreeSet<String> {
        let known = self.present.objects.namespaces.keys();
        known.chain(self.given.namespaces.keys()).cloned().collect()
    }

    /// Keeps what a check of a store said.
    pub(crate) fn note_check(&self, key: &StoreKey, status: SecretStoreStatus) {
        if let Some(store) = self.stores.lock().get_mut(key) {
            let mut record = StoreRecord {
                status,
                ..StoreRecord::clone(store)
            };
            record.view = Arc::new(StoreView::of(record.object()));
            *store = Arc::new(record);
        }
    }

    /// All stores.
    pub(crate) fn records(&self) -> Vec<Arc<StoreRecord>> {
        self.stores.lock().values().cloned().collect()
    }
}

/// A manifest laid over the Secret that is there: its contents, under the identity of that one.
fn over(given: &Secret, live: Option<&Secret>) -> Secret {
    let mut laid = given.clone();
    if let Some(live) = live {
        let owners = Owners::of(&live.metadata);
        let (old, new) = (&live.metadata, &given.metadata);
        let texts = |field: &str, old: Option<&Texts>, new: Option<&Texts>| {
            Some(merged_texts(field, old, new, &owners))
        };
        laid.metadata = ObjectMeta {
            labels: texts("labels", old.labels.as_ref(), new.labels.as_ref()),
            annotations: texts(
                "annotations",
                old.annotations.as_ref(),
                new.annotations.as_ref(),
            ),
            ..old.clone()
        };
    }
    laid
}

fn put(
    found: &mut BTreeMap<ObjectKey, Secret>,
    key: &ObjectKey,
    secret: Option<Secret>,
    selector: &Selector,
) {
    found.remove(key);
    if let Some(secret) = secret
        && selector.matches(&secret.metadata.labels.clone().unwrap_or_default())
    {
        found.insert(key.clone(), secret);
    }
}

impl StoreLookup for Scene {
    fn store(&self, key: &StoreKey) -> Option<Arc<StoreView>> {
        let stores = self.stores.lock();
        stores.get(key).map(|store| Arc::clone(&store.view))
    }

    fn stores(&self, kind: StoreKind, namespace: &str) -> Vec<Arc<StoreView>> {
        let named = |key: &StoreKey| {
            key.kind == kind && key.namespace.as_deref().is_none_or(|own| own == namespace)
        };
        let stores = self.stores.lock();
        let stores = stores.iter().filter(|(key, _)| named(key));
        stores.map(|(_, store)| Arc::clone(&store.view)).collect()
    }

    fn record(&self, key: &StoreKey) -> Option<Arc<StoreRecord>> {
        self.stores.lock().get(key).cloned()
    }
}
