//! Caches open connections by store and caller. All users of a SecretStore share a connection, and so do
//! all users of a ClusterSecretStore whose credentials do not depend on the caller; otherwise each
//! calling namespace has its own. A refused credential drops the connection of that caller alone, and
//! connecting for one namespace never blocks another.

mod slot;
mod store;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Either, select};
use jiff::Timestamp;
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{StoreKey, StoreKind};
use lockstep_provider_api::context::Time;
use lockstep_provider_api::http::LastRequest;
use lockstep_provider_api::retry::RetrySettings;
use lockstep_provider_api::{Ctx, Error, Result, Scope, Services, SharedStore, StoreName, layer};

use crate::batch::batched;
use crate::batch_size::batch_size;
use crate::credentials::CredentialTracker;
use crate::identity::StoreIdentity;
use crate::observer::RemoteObserver;

use parking_lot::Mutex;
use store::{Dependence, StoreConnections};

/// Longest time to connect, and for one call to a backend.
pub(crate) const CALL_DEADLINE: Duration = Duration::from_secs(30);
/// Most stores with an open connection; the one whose connections end first makes room.
const CAPACITY: usize = 4096;

type Stores = BTreeMap<StoreIdentity, Arc<StoreConnections>>;

/// Cache of open connections.
pub struct Connections {
    services: Arc<Services>,
    stores: Mutex<Stores>,
    /// The second of the last sweep.
    swept: AtomicI64,
    observer: OnceLock<Weak<dyn RemoteObserver>>,
}

/// An open connection, and for whom it is.
#[derive(Clone)]
pub struct Connected {
    /// The connection.
    pub store: SharedStore,
    /// The namespace whose credentials it uses; `None` where it is the same for all callers.
    pub caller: Option<Arc<str>>,
    /// The store it was made for, in one allocation for everyone who reads from it.
    pub identity: Arc<StoreIdentity>,
}

impl Connections {
    pub fn new(services: Arc<Services>) -> Self {
        Self {
            services,
            stores: Mutex::default(),
            swept: AtomicI64::new(i64::MIN),
            observer: OnceLock::new(),
        }
    }

    /// Returns a connection to `store` for an object of the namespace `caller`; `None` for the check of
    /// the store itself.
    pub async fn open(&self, store: &StoreRecord, caller: Option<&str>) -> Result<Connected> {
        let all = self.of(store);
        let asked = self.services.time.now();
        let attempt = all.attempt(caller, &*self.services.time).await;
        let now = self.services.time.now();
        if let Some(open) = all.usable(caller, now) {
            return Ok(open);
        }
        let slot = &attempt.slot;
        if let Some(error) = slot.failure_since(caller, asked) {
            return Err(error);
        }
        let (services, tracker) = CredentialTracker::wrap(&self.services);
        let ctx = context(services, store, caller)?;
        let connected = {
            // It is never closed, so there is always a permit to come.
            let _permit = all.attempts.acquire().await;
            self.connect(store, ctx.clone()).await
        };
        let by_caller = ctx.depends_on_caller();
        let whose = caller.filter(|_| by_caller);
        if let Some(observer) = self.observer.get().and_then(Weak::upgrade) {
            observer.connected(&store.key, whose, &tracker.seen());
        }
        // A failed attempt may not have come to the point where it matters who asks.
        if connected.is_ok() || by_caller {
            all.learned(by_caller);
        }
        let connected = match connected {
            Ok(connected) => connected,
            Err(error) => {
                slot.note_failure(caller, self.services.time.now(), &error);
                return Err(error);
            }
        };
        let connected = Connected {
            store: connected,
            caller: whose.map(Arc::from),
            identity: Arc::clone(&all.identity),
        };
        if whose.is_some() {
            all.slot(whose).keep(connected.clone(), now);
        } else if !by_caller {
            all.shared.keep(connected.clone(), now);
        }
        // A cluster store's own check says nothing for its callers when it depends on them.
        Ok(connected)
    }

    /// A new connection for a check of the store itself, which is there to notice changed credentials.
    /// Connections of calling namespaces stay.
    pub async fn reopen(&self, store: &StoreRecord) -> Result<Connected> {
        self.of(store).shared.clear();
        self.open(store, None).await
    }

    /// Whether connections to a store are known to depend on the caller.
    pub(crate) fn depends_on_caller(&self, store: &StoreRecord) -> bool {
        self.of(store).dependence() == Dependence::ByCaller
    }

    /// The services that connections are made with.
    pub(crate) fn services(&self) -> &Arc<Services> {
        &self.services
    }

    /// The connection that [`Connections::open`] would give without any waiting.
    pub fn ready(&self, store: &StoreRecord, caller: &str) -> Option<Connected> {
        let all = Arc::clone(self.stores.lock().get(&StoreIdentity::of(store))?);
        all.usable(Some(caller), self.services.time.now())
    }

    /// Puts a connection in place of one that would be opened.
    #[cfg(test)]
    pub(crate) fn put(&self, store: &StoreRecord, connection: SharedStore) {
        let all = self.of(store);
        let connected = Connected {
            store: connection,
            caller: None,
            identity: Arc::clone(&all.identity),
        };
        all.learned(false);
        all.shared.keep(connected, self.services.time.now());
    }

    /// Sets the observer, which learns which objects credentials came from.
    pub(crate) fn observe(&self, observer: Weak<dyn RemoteObserver>) {
        // A second observer would be a bug; the first one stays.
        let _ = self.observer.set(observer);
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.services.time.now()
    }

    /// The clock.
    pub(crate) fn time(&self) -> Arc<dyn Time> {
        Arc::clone(&self.services.time)
    }

    /// Number of stores with a connection.
    pub fn len(&self) -> usize {
        self.stores.lock().len()
    }

    /// Whether nothing is open.
    pub fn is_empty(&self) -> bool {
        self.stores.lock().is_empty()
    }

    /// Drops connections that ended a while ago, so that no credential is held for a store that nobody
    /// reads from any more. Looks once a second at most, however often it is asked to.
    pub fn sweep(&self) {
        let now = self.services.time.now();
        if self.swept.swap(now.as_second(), Ordering::Relaxed) == now.as_second() {
            return;
        }
        self.stores
            .lock()
            .retain(|_, all| Arc::strong_count(all) > 1 || all.sweep(now));
    }

    /// Drops all connections of a store that changed.
    pub fn drop_store(&self, store: &StoreKey) {
        self.stores
            .lock()
            .retain(|identity, _| identity.store != *store);
    }

    /// Drops one connection, whose credential was refused. Those of other callers stay.
    pub(crate) fn drop_one(&self, connected: &Connected) {
        let all = self.stores.lock().get(&*connected.identity).cloned();
        if let Some(all) = all {
            all.drop_one(connected);
        }
    }

    fn of(&self, store: &StoreRecord) -> Arc<StoreConnections> {
        let identity = StoreIdentity::of(store);
        let mut stores = self.stores.lock();
        if stores.len() >= CAPACITY && !stores.contains_key(&identity) {
            make_room(&mut stores);
        }
        let all = stores.entry(identity);
        let all = all.or_insert_with_key(|identity| Arc::new(StoreConnections::of(identity)));
        Arc::clone(all)
    }

    async fn connect(&self, store: &StoreRecord, ctx: Ctx) -> Result<SharedStore> {
        let (name, spec) = store.spec.provider.only().map_err(|error| {
            Error::invalid_spec(format!("store error for {}: {error}", store.key.name))
        })?;
        let entry = lockstep_provider_registry::lookup(name)
            .map_err(|error| Error::invalid_spec(error.for_store(&store.key.name)))?;
        let patience = self.services.time.sleep(CALL_DEADLINE);
        let last = ctx.last_request();
        let connecting = AssertUnwindSafe(entry.connect(spec.clone(), ctx)).catch_unwind();
        let connected = match select(connecting, patience).await {
            Either::Left((Ok(connected), _)) => connected?,
            Either::Left((Err(_), _)) => return Err(layer::broken("connect")),
            Either::Right(_) => {
                let connect = format_args!("connecting {}", store.key);
                return Err(last.out_of_time(connect, CALL_DEADLINE));
            }
        };
        let settings = retry_settings(store)?.filter(|_| !entry.repeats());
        Ok(self.layered((connected, last), settings, batch_size(store)))
    }

    /// Puts the shared layers around a fresh connection: panics end the call alone, every call has a
    /// deadline, is repeated where the store asks for that, and goes out with others where the
    /// backend reads many at once.
    fn layered(
        &self,
        (connected, last): (SharedStore, Arc<LastRequest>),
        settings: Option<RetrySettings>,
        batch: usize,
    ) -> SharedStore {
        let time = || -> Arc<dyn Time> { Arc::clone(&self.services.time) };
        let contained = layer::contain(connected);
        let mut layered = layer::timeout(contained, CALL_DEADLINE, time(), last);
        if let Some(settings) = settings {
            layered = layer::retry(layered, settings, time());
        }
        if batch > 1 {
            layered = batched(layered, batch, time());
        }
        layered
    }
}

/// Takes out the store whose connections end first; one that is being connected to stays.
fn make_room(stores: &mut Stores) {
    let idle = stores.iter().filter(|(_, all)| Arc::strong_count(all) == 1);
    let ends = idle.map(|(identity, all)| (all.ends(), identity));
    if let Some(first) = ends.min().map(|(_, identity)| identity.clone()) {
        stores.remove(&first);
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
