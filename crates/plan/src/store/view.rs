//! What users need to know of a store: a small row made once per change of the store,
//! so that nothing is parsed or compiled per use.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_api::conditions::{Condition, READY};
use lockstep_api::external_secret::GeneratorRef;
use lockstep_api::reasons;

use super::{Access, StoreKey, StoreKind, StoreObject, StoreRecord};
use crate::conditions::is_ready;

/// Reasons of stores that are not ready and may be used all the same.
const STAYING_OPEN: [&str; 2] = [
    reasons::STORE_UNREACHABLE,
    reasons::STORE_CREDENTIALS_REFUSED,
];

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
    /// What its Ready condition says while it does not hold.
    pub fault: Option<String>,
    /// Whether objects may use it although it is not ready: it is only known to be out of reach, or
    /// to have its credentials refused. Whoever uses it finds that out, and tells it, itself; the
    /// circuit breaker sees to it that the backend is not flooded.
    pub stays_open: bool,
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
        let told = store.status.map(|status| status.conditions.as_slice());
        let told = told.unwrap_or_default();
        let fault = Condition::find(told, READY).filter(|ready| !ready.is_true());
        let reason = fault.and_then(|ready| ready.reason.as_deref());
        Self {
            fault: fault.and_then(|ready| ready.message.clone()),
            stays_open: reason.is_some_and(|reason| STAYING_OPEN.contains(&reason)),
            key: store.key(),
            uid: store.metadata.uid.clone().unwrap_or_default(),
            generation: store.metadata.generation.unwrap_or_default(),
            labels: store.metadata.labels.clone().unwrap_or_default(),
            class: store.class().map(str::to_owned),
            ready: is_ready(told),
            deleting: store.metadata.deletion_timestamp.is_some(),
            access: Access::of(conditions),
        }
    }

    /// Whether objects may read and write through it.
    pub fn is_open(&self) -> bool {
        self.ready == Some(true) || self.stays_open
    }

    /// Whether a controller of this class leaves the store alone.
    pub fn is_foreign_to(&self, class: &str) -> bool {
        self.class.as_deref().is_some_and(|wanted| wanted != class)
    }
}

/// Where the stores and generators an object names are looked up.
pub trait StoreLookup: Send + Sync {
    /// The store, if it exists.
    fn store(&self, key: &StoreKey) -> Option<Arc<StoreView>>;

    /// The stores of a kind that objects of `namespace` may name.
    fn stores(&self, _kind: StoreKind, _namespace: &str) -> Vec<Arc<StoreView>> {
        Vec::new()
    }

    /// The whole store, as reads and writes through it need it; `None` where decisions alone are made.
    fn record(&self, _key: &StoreKey) -> Option<Arc<StoreRecord>> {
        None
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
