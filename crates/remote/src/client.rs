//! Reads of stores, shared by everyone who may see the answer. A read that several objects want at
//! the same time is made once; an answer counts for whoever asked before the read began, so nobody
//! gets a value from before its own trigger. Every call passes the store's governor. Answers are
//! held for moments and wiped when the last one has taken them.

mod fingerprint;
mod flight;
mod generate;
mod governed;
mod probe;
mod tally;
mod trouble;
mod version;
mod write;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use futures_util::FutureExt;
use jiff::Timestamp;
use lockstep_plan::external_secret::Read;
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{Salt, StoreKey};
use lockstep_provider_api::context::Time;
use lockstep_provider_api::{Error, ErrorKind, Result};
use lockstep_scheduling::governor::{Change, Ended};
use tokio::sync::Notify;

use crate::connections::{Connected, Connections};
use crate::identity::GroupKey;
use crate::observer::RemoteObserver;

pub use fingerprint::size_of;
pub use flight::{Answer, Reply};
pub use tally::{Call, CallCounter};
pub use write::RemoteStore;

use flight::{Errand, Flights};
use governed::{Governed, ProbeRead};
use version::Versions;

/// Most stores with a governor; one that is idle makes room.
const MOST_GOVERNORS: usize = 8_192;

/// All reads of the process.
pub struct RemoteClient {
    connections: Arc<Connections>,
    time: Arc<dyn Time>,
    salt: Salt,
    flights: Flights,
    versions: Versions,
    governors: Mutex<BTreeMap<StoreKey, Arc<Governed>>>,
    observer: OnceLock<Weak<dyn RemoteObserver>>,
    /// A breaker opened, or a store is suspected to be down.
    opened: Notify,
    calls: CallCounter,
}

/// One read to be made.
#[derive(Clone, Copy)]
pub struct ReadRequest<'a> {
    /// The store.
    pub store: &'a Arc<StoreRecord>,
    /// Namespace of the object that asks.
    pub caller: &'a str,
    /// Name of the ExternalSecret that asks; `None` where it is none.
    pub object: Option<&'a str>,
    /// What is read.
    pub read: &'a Read,
    /// Answers to reads that began earlier do not count.
    pub asked: Timestamp,
}

/// What is held at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemoteStats {
    /// Reads under way or held.
    pub flights: usize,
    /// Bytes of held values.
    pub bytes: usize,
    /// Stores with a connection.
    pub connections: usize,
    /// Stores whose breaker is open.
    pub open_breakers: usize,
}

impl RemoteClient {
    /// Reads over `connections`; fingerprints are made with `salt`.
    pub fn new(connections: Connections, salt: Salt) -> Arc<Self> {
        Arc::new(Self {
            time: connections.time(),
            connections: Arc::new(connections),
            salt,
            flights: Flights::default(),
            versions: Versions::default(),
            governors: Mutex::default(),
            observer: OnceLock::new(),
            opened: Notify::new(),
            calls: CallCounter::default(),
        })
    }

    /// Names the one who is told of answers; the first one named stays.
    pub fn observe(&self, observer: Weak<dyn RemoteObserver>) {
        self.connections.observe(Weak::clone(&observer));
        // A second observer would be a fault of the program; the first goes on as before.
        let _ = self.observer.set(observer);
    }

    /// The connections reads go through.
    pub fn connections(&self) -> &Connections {
        &self.connections
    }

    /// Makes a read, or takes part in one. Where the store can take the answer out of a wider one,
    /// that is what is read.
    pub async fn read(self: &Arc<Self>, request: ReadRequest<'_>) -> Result<Reply> {
        let connected = self.connect(request).await?;
        let store = Arc::clone(&connected.store);
        let whole = store.containing_read(request.read);
        let part = whole.is_some().then_some(request.read);
        let key = Arc::new(GroupKey {
            identity: Arc::clone(&connected.identity),
            caller: connected.caller.clone(),
            read: whole.unwrap_or_else(|| request.read.clone()),
        });
        let now = self.time.now();
        let flight = self.flights.join(&key, request.asked, now, |began| {
            let errand = Errand {
                reads: Arc::clone(self),
                key: Arc::clone(&key),
                record: Arc::clone(request.store),
                caller: request.caller.to_owned(),
                object: request.object.map(str::to_owned),
                began,
            };
            errand.run(connected).boxed()
        });
        Ok(Reply::new(flight.await, part, &store))
    }

    /// An open connection for a request. While the store's breaker is closed connecting takes no slot,
    /// so an attempt that hangs delays nobody else. While it is open the attempt is the probe; that it
    /// succeeds proves nothing, because many providers make no call for it.
    async fn connect(&self, request: ReadRequest<'_>) -> Result<Connected> {
        let (store, caller) = (request.store, request.caller);
        if let Some(ready) = self.connections.ready(store, caller) {
            return Ok(ready);
        }
        let governed = self.governed(&store.key);
        let call = governed::connect_call(caller);
        if governed.is_open() {
            let admitted = governed.admit(call, &*self.time, || ProbeRead::of(request));
            let permit = admitted.await?;
            let opened = self.attempt(request).await;
            if let Err(failure) = &opened {
                self.ended(&governed, permit, Some(failure), || ProbeRead::of(request));
            }
            return opened;
        }
        governed.refused(call, self.time.now())?;
        let opened = self.attempt(request).await;
        if let Err(failure) = &opened {
            self.note_credentials(&governed, store, Some(failure));
        }
        if let Err(failure) = &opened
            && flight::is_transient(failure)
        {
            let ended = match governed::ended(Some(failure)) {
                // Everybody would connect with the same credentials: it is the store that fails.
                Ended::Failed if !self.connections.depends_on_caller(store) => Ended::Unreachable,
                ended => ended,
            };
            let read = ProbeRead::of(request);
            let change = governed.failed_outside((call, ended, failure), self.time.now(), read);
            self.tell(&governed, change);
        }
        opened
    }

    async fn attempt(&self, request: ReadRequest<'_>) -> Result<Connected> {
        let (store, caller) = (request.store, request.caller);
        let opened = self.connections.open(store, Some(caller)).await;
        let failure = opened.as_ref().err();
        self.calls.count(&store.key, caller, "connect", failure);
        opened
    }

    /// Tells the governor how a call ended, and the observer when the store is back.
    fn ended(
        &self,
        governed: &Governed,
        permit: governed::Permit<'_>,
        failure: Option<&Error>,
        read: impl Fn() -> Arc<ProbeRead>,
    ) {
        let change = permit.done(failure, self.time.now(), &read);
        if governed.watches_credentials(failure) {
            self.note_credentials(governed, &read().record, failure);
        }
        self.tell(governed, change);
    }

    /// Notes whether a backend took the credentials that a store owns. Those of a caller are told of by
    /// the caller's objects.
    fn note_credentials(&self, governed: &Governed, store: &StoreRecord, failure: Option<&Error>) {
        let refused = failure.is_some_and(|error| *error.kind() == ErrorKind::Unauthenticated);
        if refused && self.connections.depends_on_caller(store) {
            return;
        }
        if governed.note_credentials(failure)
            && let Some(observer) = self.observer()
        {
            observer.troubled(&governed.store);
        }
    }

    /// What is wrong with a store as a whole, where its calls told: it cannot be reached, or its
    /// credentials are refused.
    pub fn trouble(&self, store: &StoreKey) -> Option<Error> {
        let governed = self.governors().get(store).cloned();
        governed.and_then(|governed| governed.trouble())
    }

    /// Stores whose breaker is open.
    pub fn open_stores(&self) -> Vec<StoreKey> {
        let governors = self.governors();
        let open = governors.iter().filter(|(_, one)| one.is_open());
        open.map(|(store, _)| store.clone()).collect()
    }

    /// Tells of a change of a store's breaker.
    fn tell(&self, governed: &Governed, change: Change) {
        let store = &governed.store;
        match change {
            Change::None => {}
            Change::Suspected => self.opened.notify_one(),
            Change::Opened => {
                let error = governed.trouble().map(|error| error.to_string());
                let error = error.unwrap_or_default();
                tracing::warn!(%store, error, "the store cannot be reached; probing");
                self.opened.notify_one();
                if let Some(observer) = self.observer() {
                    observer.troubled(store);
                }
            }
            Change::Closed => {
                tracing::info!(%store, "the store answers again");
                if let Some(observer) = self.observer() {
                    observer.recovered(store);
                }
            }
        }
    }

    /// Whether the object that wants a read is still there.
    fn is_wanted(&self, read: &ProbeRead) -> bool {
        match (&read.object, self.observer()) {
            (Some(object), Some(observer)) => observer.is_present(&read.caller, object),
            _ => true,
        }
    }

    /// Drops everything known of a store: connections, held answers, and what its governor learned.
    pub fn forget(&self, store: &StoreKey) {
        self.connections.drop_store(store);
        self.flights.drop_store(store);
        self.versions.drop_store(store);
        self.governors().remove(store);
        self.calls.forget(store);
    }

    /// Calls to stores, counted.
    pub fn calls(&self) -> &CallCounter {
        &self.calls
    }

    /// Drops connections and held answers of a store whose credentials changed.
    pub fn reconnect(&self, store: &StoreKey) {
        self.connections.drop_store(store);
        self.flights.drop_store(store);
        self.versions.drop_store(store);
    }

    /// Wipes answers that nobody will ask for any more, and drops connections that have ended.
    pub fn sweep(&self) {
        self.flights.sweep(self.time.now());
        self.connections.sweep();
    }

    /// Whether a store's breaker is open: it is probed, and whoever waits for it is woken.
    pub fn is_open(&self, store: &StoreKey) -> bool {
        let governed = self.governors().get(store).cloned();
        governed.is_some_and(|governed| governed.is_open())
    }

    /// What is held.
    pub fn stats(&self) -> RemoteStats {
        let open = self
            .governors()
            .values()
            .filter(|one| one.is_open())
            .count();
        let (flights, bytes) = self.flights.size();
        RemoteStats {
            flights,
            bytes,
            connections: self.connections.len(),
            open_breakers: open,
        }
    }

    fn governed(&self, store: &StoreKey) -> Arc<Governed> {
        let mut governors = self.governors();
        if let Some(known) = governors.get(store) {
            return Arc::clone(known);
        }
        if governors.len() >= MOST_GOVERNORS {
            governors.retain(|_, one| Arc::strong_count(one) > 1 || one.is_open());
        }
        let governed = Arc::new(Governed::new(store.clone()));
        governors.insert(store.clone(), Arc::clone(&governed));
        governed
    }

    fn governors(&self) -> MutexGuard<'_, BTreeMap<StoreKey, Arc<Governed>>> {
        self.governors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn observer(&self) -> Option<Arc<dyn RemoteObserver>> {
        self.observer.get()?.upgrade()
    }
}
