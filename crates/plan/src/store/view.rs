//! What users need to know of a store: a small row made once per change of the store,
//! so that nothing is parsed or compiled per use.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_api::external_secret::GeneratorRef;

use super::{Access, StoreKey, StoreKind, StoreObject};
use crate::conditions::is_ready;

/// A store as its users see it.
#[derive(Clone, Debug)]
pub struct StoreView {
    /// Identity.
    pub key: StoreKey,
    /// Unique id of the object.
    pub uid: String,
    /// Generation of the spec.
    pub generation: i64,
    /// Its labels, by which PushSecrets select stores.
    pub labels: BTreeMap<String, String>,
    /// Controller class it asks for.
    pub class: Option<String>,
    /// Its Ready condition; `None` before the first check.
    pub ready: Option<bool>,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// Namespaces that may use it.
    pub access: Access,
}

impl StoreView {
    /// The view of a store.
    pub fn of<'a>(store: impl Into<StoreObject<'a>>) -> Self {
        let store = store.into();
        let conditions = match store.kind {
            StoreKind::ClusterSecretStore => store.spec.conditions.as_slice(),
            // Only cluster stores restrict their users; conditions of others have no effect.
            StoreKind::SecretStore => &[],
        };
        Self {
            key: store.key(),
            uid: store.metadata.uid.clone().unwrap_or_default(),
            generation: store.metadata.generation.unwrap_or_default(),
            labels: store.metadata.labels.clone().unwrap_or_default(),
            class: store.class().map(str::to_owned),
            ready: store.status.and_then(|status| is_ready(&status.conditions)),
            deleting: store.metadata.deletion_timestamp.is_some(),
            access: Access::of(conditions),
        }
    }

    /// Whether a controller of this class leaves the store alone.
    pub fn is_foreign_to(&self, class: &str) -> bool {
        self.class.as_deref().is_some_and(|wanted| wanted != class)
    }
}

/// Where the stores and generators an object names are looked up.
pub trait StoreLookup: Sync {
    /// The store, if it exists.
    fn store(&self, key: &StoreKey) -> Option<Arc<StoreView>>;

    /// The stores of a kind that objects of `namespace` may name.
    fn stores(&self, _kind: StoreKind, _namespace: &str) -> Vec<Arc<StoreView>> {
        Vec::new()
    }

    /// Controller class a generator asks for, if it exists and asks for one.
    fn generator_class(&self, _namespace: &str, _reference: &GeneratorRef) -> Option<String> {
        None
    }
}

impl StoreLookup for BTreeMap<StoreKey, Arc<StoreView>> {
    fn store(&self, key: &StoreKey) -> Option<Arc<StoreView>> {
        self.get(key).cloned()
    }

    fn stores(&self, kind: StoreKind, namespace: &str) -> Vec<Arc<StoreView>> {
        let named = |key: &StoreKey| {
            key.kind == kind && key.namespace.as_deref().is_none_or(|own| own == namespace)
        };
        let stores = self.iter().filter(|(key, _)| named(key));
        stores.map(|(_, view)| Arc::clone(view)).collect()
    }
}
