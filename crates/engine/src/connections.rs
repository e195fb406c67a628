//! Open connections, one per store identity. A connection is shared by everyone its answers are the
//! same for: all users of a SecretStore, all users of a ClusterSecretStore whose credentials do not
//! depend on the caller, and otherwise the users of one namespace. Failed attempts are not kept.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use jiff::{SignedDuration, Timestamp};
use lockstep_plan::{StoreKey, StoreKind};
use lockstep_provider::context::Time;
use lockstep_provider::retry::RetrySettings;
use lockstep_provider::{Ctx, Error, Result, Scope, Services, SharedStore, StoreName, layer};
use tokio::sync::Mutex;

use crate::store_record::StoreRecord;

/// Longest life of a connection: a rotated credential is picked up after this time at the latest.
const LIFETIME: Duration = Duration::from_mins(1);
/// Part of a credential's life after which it is renewed.
const RENEW_AT: f64 = 0.8;
/// Longest time to connect, and for one call to a backend.
pub(crate) const CALL_DEADLINE: Duration = Duration::from_secs(30);
/// Calls to one store at once.
const CALLS_AT_ONCE: usize = 32;
/// Most stores with an open connection; the ones that end soonest make room.
const CAPACITY: usize = 4096;

/// Cache of open connections.
pub struct Connections {
    services: Arc<Services>,
    slots: std::sync::Mutex<BTreeMap<Identity, Arc<Mutex<Slot>>>>,
}

/// What must be equal for two users to share a slot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    store: StoreKey,
    uid: String,
    generation: i64,
}

/// Connections of one store: one for all, or one a calling namespace.
#[derive(Default)]
struct Slot {
    shared: Option<Open>,
    by_caller: BTreeMap<String, Open>,
}

#[derive(Clone)]
struct Open {
    store: SharedStore,
    ends: Timestamp,
}

impl Connections {
    pub fn new(services: Arc<Services>) -> Self {
        Self {
            services,
            slots: std::sync::Mutex::default(),
        }
    }

    /// A connection to `store` for an object of namespace `caller`; `None` while the store itself
    /// is checked.
    pub async fn open(&self, store: &StoreRecord, caller: Option<&str>) -> Result<SharedStore> {
        let slot = self.slot(store);
        let mut slot = slot.lock().await;
        let now = self.services.time.now();
        if let Some(open) = slot.usable(caller, now) {
            return Ok(open);
        }
        let ctx = self.context(store, caller);
        let connected = self.connect(store, ctx.clone()).await?;
        let open = Open {
            ends: ends(now, &connected),
            store: Arc::clone(&connected),
        };
        match caller {
            // A cluster store's own check says nothing for its callers when it depends on them.
            None if ctx.depends_on_caller() => {}
            Some(caller) if ctx.depends_on_caller() => {
                slot.by_caller.insert(caller.to_owned(), open);
            }
            _ => slot.shared = Some(open),
        }
        Ok(connected)
    }

    /// The edges that connections are made with.
    pub(crate) fn services(&self) -> &Arc<Services> {
        &self.services
    }

    /// Drops the connections of a store, after its credentials were refused or it changed.
    pub fn drop_store(&self, store: &StoreKey) {
        self.locked().retain(|identity, _| identity.store != *store);
    }

    fn slot(&self, store: &StoreRecord) -> Arc<Mutex<Slot>> {
        let identity = Identity {
            store: store.key.clone(),
            uid: store.view.uid.clone(),
            generation: store.view.generation,
        };
        let mut slots = self.locked();
        if slots.len() >= CAPACITY && !slots.contains_key(&identity) {
            slots.pop_first();
        }
        Arc::clone(slots.entry(identity).or_default())
    }

    fn context(&self, store: &StoreRecord, caller: Option<&str>) -> Ctx {
        let scope = match store.key.kind {
            StoreKind::SecretStore => Scope::Namespaced {
                namespace: store.key.namespace.clone().unwrap_or_default(),
            },
            StoreKind::ClusterSecretStore => Scope::Cluster {
                caller: caller.map(str::to_owned),
            },
        };
        let name = StoreName {
            namespace: store.key.namespace.clone(),
            name: store.key.name.clone(),
        };
        Ctx::new(Arc::clone(&self.services), name, scope)
    }

    async fn connect(&self, store: &StoreRecord, ctx: Ctx) -> Result<SharedStore> {
        let (name, spec) = store.spec.provider.only().map_err(|error| {
            Error::invalid_spec(format!("store error for {}: {error}", store.key.name))
        })?;
        let entry = lockstep_providers::lookup(name)
            .map_err(|error| Error::invalid_spec(error.for_store(&store.key.name)))?;
        let patience = self.services.time.sleep(CALL_DEADLINE);
        let connected = match select(entry.connect(spec.clone(), ctx), patience).await {
            Either::Left((connected, _)) => connected?,
            Either::Right(_) => {
                let text = format!("{} did not connect within {CALL_DEADLINE:?}", store.key);
                return Err(Error::unreachable(text));
            }
        };
        self.layered(connected, store)
    }

    /// Puts the shared layers around a fresh connection: a deadline on every call, repeats where
    /// the store asks for them, and a bound on calls at once.
    fn layered(&self, connected: SharedStore, store: &StoreRecord) -> Result<SharedStore> {
        let time = || -> Arc<dyn Time> { Arc::clone(&self.services.time) };
        let mut layered = layer::timeout(connected, CALL_DEADLINE, time());
        if let Some(settings) = &store.spec.retry_settings {
            let interval = settings.retry_interval.as_deref();
            let settings = RetrySettings::parse(settings.max_retries, interval)?;
            layered = layer::retry(layered, settings, time());
        }
        Ok(layer::limit(layered, CALLS_AT_ONCE))
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, BTreeMap<Identity, Arc<Mutex<Slot>>>> {
        self.slots
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Slot {
    fn usable(&mut self, caller: Option<&str>, now: Timestamp) -> Option<SharedStore> {
        self.by_caller.retain(|_, open| open.ends > now);
        let own = caller.and_then(|caller| self.by_caller.get(caller));
        let open = own
            .or(self.shared.as_ref())
            .filter(|open| open.ends > now)?;
        Some(Arc::clone(&open.store))
    }
}

fn ends(now: Timestamp, store: &SharedStore) -> Timestamp {
    let renewed = store.renew_after().map(|life| life.mul_f64(RENEW_AT));
    let life = renewed.map_or(LIFETIME, |life| life.min(LIFETIME));
    let life = SignedDuration::try_from(life).unwrap_or(SignedDuration::from_secs(60));
    now.checked_add(life).unwrap_or(now)
}
