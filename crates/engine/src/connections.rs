//! Open connections, one per store identity. A connection is shared by everyone its answers are the
//! same for: all users of a SecretStore, all users of a ClusterSecretStore whose credentials do not
//! depend on the caller, and otherwise the users of one namespace. A failed attempt answers those
//! who waited for it, and nobody else.

mod slot;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Either, select};
use jiff::Timestamp;
use lockstep_plan::{StoreKey, StoreKind};
use lockstep_provider::context::Time;
use lockstep_provider::retry::RetrySettings;
use lockstep_provider::{Ctx, Error, Result, Scope, Services, SharedStore, StoreName, layer};
use tokio::sync::Mutex;

use crate::batch::batched;
use crate::credentials::Noting;
use crate::reads::Observer;
use crate::store_record::StoreRecord;

use slot::Slot;

/// Longest time to connect, and for one call to a backend.
pub(crate) const CALL_DEADLINE: Duration = Duration::from_secs(30);
/// Most stores with an open connection; the one whose connections end first makes room.
const CAPACITY: usize = 4096;

type Slots = BTreeMap<Identity, Arc<Mutex<Slot>>>;

/// Cache of open connections.
pub struct Connections {
    services: Arc<Services>,
    slots: std::sync::Mutex<Slots>,
    /// The second of the last sweep.
    swept: AtomicI64,
    observer: OnceLock<Weak<dyn Observer>>,
}

/// A store as it was when it was connected to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// The store.
    pub store: StoreKey,
    /// Its unique id: a store made again under the same name is another one.
    pub uid: String,
    /// Generation of its spec.
    pub generation: i64,
}

impl Identity {
    /// The identity of a store as it is now.
    pub fn of(store: &StoreRecord) -> Self {
        Self {
            store: store.key.clone(),
            uid: store.view.uid.clone(),
            generation: store.view.generation,
        }
    }
}

/// An open connection, and for whom it is.
#[derive(Clone)]
pub struct Connected {
    /// The connection.
    pub store: SharedStore,
    /// The namespace whose credentials it uses; `None` where it is the same for all callers.
    pub caller: Option<Arc<str>>,
    /// The store it was made for, in one allocation for everyone who reads from it.
    pub identity: Arc<Identity>,
}

impl Connections {
    pub fn new(services: Arc<Services>) -> Self {
        Self {
            services,
            slots: std::sync::Mutex::default(),
            swept: AtomicI64::new(i64::MIN),
            observer: OnceLock::new(),
        }
    }

    /// A connection to `store` for an object of namespace `caller`; `None` while the store itself
    /// is checked.
    pub async fn open(&self, store: &StoreRecord, caller: Option<&str>) -> Result<Connected> {
        let slot = self.slot(store);
        let asked = self.services.time.now();
        let mut slot = slot.lock().await;
        let now = self.services.time.now();
        if let Some(open) = slot.usable(caller, now) {
            return Ok(open);
        }
        if let Some(error) = slot.failure_since(caller, asked) {
            return Err(error);
        }
        let (services, noting) = Noting::around(&self.services);
        let ctx = context(services, store, caller)?;
        let connected = self.connect(store, ctx.clone()).await;
        let whose = caller.filter(|_| ctx.depends_on_caller());
        if let Some(observer) = self.observer.get().and_then(Weak::upgrade) {
            observer.connected(&store.key, whose, &noting.seen());
        }
        let connected = match connected {
            Ok(connected) => connected,
            Err(error) => {
                let ended = self.services.time.now();
                slot.note_failure(caller, ended, &error);
                return Err(error);
            }
        };
        let open = slot.opened(connected, whose, now);
        let connected = open.connected.clone();
        // A cluster store's own check says nothing for its callers when it depends on them.
        if whose.is_some() || !ctx.depends_on_caller() {
            slot.keep(open);
        }
        Ok(connected)
    }

    /// The edges that connections are made with.
    pub(crate) fn services(&self) -> &Arc<Services> {
        &self.services
    }

    /// The connection that [`Connections::open`] would give without any waiting.
    pub fn ready(&self, store: &StoreRecord, caller: &str) -> Option<Connected> {
        let slot = Arc::clone(self.locked().get(&Identity::of(store))?);
        let slot = slot.try_lock().ok()?;
        slot.usable(Some(caller), self.services.time.now())
    }

    /// Puts a connection in place of one that would be opened.
    #[cfg(test)]
    pub(crate) fn put(&self, store: &StoreRecord, connection: SharedStore) {
        let slot = self.slot(store);
        let mut slot = slot.try_lock().expect("nobody opens it");
        let now = self.services.time.now();
        let open = slot.opened(connection, None, now);
        slot.keep(open);
    }

    /// Names the one who is told of credentials.
    pub(crate) fn observe(&self, observer: Weak<dyn Observer>) {
        // The first one named stays; a second would be a fault of the program.
        let _ = self.observer.set(observer);
    }

    /// The time.
    pub(crate) fn now(&self) -> Timestamp {
        self.services.time.now()
    }

    /// The clock.
    pub(crate) fn time(&self) -> Arc<dyn Time> {
        Arc::clone(&self.services.time)
    }

    /// Number of stores with a connection.
    pub fn len(&self) -> usize {
        self.locked().len()
    }

    /// Whether nothing is open.
    pub fn is_empty(&self) -> bool {
        self.locked().is_empty()
    }

    /// Drops connections that ended a while ago, so that no credential is held for a store that nobody
    /// reads from any more. Looks once a second at most, however often it is asked to.
    pub fn sweep(&self) {
        let now = self.services.time.now();
        if self.swept.swap(now.as_second(), Ordering::Relaxed) == now.as_second() {
            return;
        }
        self.locked().retain(|_, slot| {
            Arc::strong_count(slot) > 1 || slot.try_lock().is_ok_and(|mut slot| slot.sweep(now))
        });
    }

    /// Drops the connections of a store, after its credentials were refused or it changed.
    pub fn drop_store(&self, store: &StoreKey) {
        self.locked().retain(|identity, _| identity.store != *store);
    }

    fn slot(&self, store: &StoreRecord) -> Arc<Mutex<Slot>> {
        let identity = Identity::of(store);
        let mut slots = self.locked();
        if slots.len() >= CAPACITY && !slots.contains_key(&identity) {
            make_room(&mut slots);
        }
        let slot = slots.entry(identity);
        let slot = slot.or_insert_with_key(|identity| Arc::new(Mutex::new(Slot::of(identity))));
        Arc::clone(slot)
    }

    async fn connect(&self, store: &StoreRecord, ctx: Ctx) -> Result<SharedStore> {
        let (name, spec) = store.spec.provider.only().map_err(|error| {
            Error::invalid_spec(format!("store error for {}: {error}", store.key.name))
        })?;
        let entry = lockstep_providers::lookup(name)
            .map_err(|error| Error::invalid_spec(error.for_store(&store.key.name)))?;
        let patience = self.services.time.sleep(CALL_DEADLINE);
        let connecting = AssertUnwindSafe(entry.connect(spec.clone(), ctx)).catch_unwind();
        let connected = match select(connecting, patience).await {
            Either::Left((Ok(connected), _)) => connected?,
            Either::Left((Err(_), _)) => return Err(layer::broken("connect")),
            Either::Right(_) => {
                let text = format!("{} did not connect within {CALL_DEADLINE:?}", store.key);
                return Err(Error::unreachable(text));
            }
        };
        let settings = retry_settings(store)?.filter(|_| !entry.repeats());
        Ok(self.layered(connected, settings, store.batch()))
    }

    /// Puts the shared layers around a fresh connection: panics end the call alone, every call has a
    /// deadline, is repeated where the store asks for that, and goes out with others where the
    /// backend reads many at once.
    fn layered(
        &self,
        connected: SharedStore,
        settings: Option<RetrySettings>,
        batch: usize,
    ) -> SharedStore {
        let time = || -> Arc<dyn Time> { Arc::clone(&self.services.time) };
        let contained = layer::contain(connected);
        let mut layered = layer::timeout(contained, CALL_DEADLINE, time());
        if let Some(settings) = settings {
            layered = layer::retry(layered, settings, time());
        }
        if batch > 1 {
            layered = batched(layered, batch, time());
        }
        layered
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Slots> {
        self.slots
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Takes out the store whose connections end first; one that is being connected to stays.
fn make_room(slots: &mut Slots) {
    let end = |slot: &Arc<Mutex<Slot>>| Some(slot.try_lock().ok()?.ends());
    let ends = slots
        .iter()
        .filter_map(|(key, slot)| Some((end(slot)?, key)));
    if let Some(first) = ends.min().map(|(_, key)| key.clone()) {
        slots.remove(&first);
    }
}

fn context(services: Arc<Services>, store: &StoreRecord, caller: Option<&str>) -> Result<Ctx> {
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
    let ctx = Ctx::new(services, name, scope);
    Ok(match retry_settings(store)? {
        Some(settings) => ctx.with_retry(settings),
        None => ctx,
    })
}

fn retry_settings(store: &StoreRecord) -> Result<Option<RetrySettings>> {
    let Some(settings) = &store.spec.retry_settings else {
        return Ok(None);
    };
    let interval = settings.retry_interval.as_deref();
    RetrySettings::parse(settings.max_retries, interval).map(Some)
}

#[cfg(test)]
mod tests;
