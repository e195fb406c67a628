//! The client through which the program talks to stores. A read that several objects want at the same
//! time is made once, and its answer goes to every object that asked before the read started. Every
//! call passes the store's governor. Answers are held for a moment and wiped when the last caller has
//! taken them.

mod answer;
mod call_counter;
mod connect;
mod fingerprint;
mod generate;
mod probe;
mod probe_read;
mod read_task;
mod rehearsal;
mod shared_reads;
mod store_governor;
mod trouble;
mod version;
mod write;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};

use futures_util::FutureExt;
use jiff::Timestamp;
use lockstep_plan::external_secret::Read;
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{Salt, StoreKey};
use lockstep_provider_api::context::Time;
use lockstep_provider_api::{Error, Result};
use lockstep_scheduling::governor::Change;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use crate::connections::Connections;
use crate::identity::GroupKey;
use crate::observer::RemoteObserver;

pub use answer::{Answer, ReadReply};
pub use call_counter::{CallCounter, CallSeries};
pub use fingerprint::size_of;
pub use rehearsal::Rehearsal;
pub use write::RemoteStore;

use probe_read::ProbeRead;
use read_task::ReadTask;
use shared_reads::SharedReads;
use store_governor::{Permit, StoreGovernor};
use version::Versions;

/// Most stores with a governor; one that is idle makes room.
const MOST_GOVERNORS: usize = 8_192;

/// The client of all stores, one for the process.
pub struct RemoteClient {
    connections: Arc<Connections>,
    time: Arc<dyn Time>,
    salt: Salt,
    reads: SharedReads,
    versions: Versions,
    governors: Mutex<BTreeMap<StoreKey, Arc<StoreGovernor>>>,
    observer: OnceLock<Weak<dyn RemoteObserver>>,
    /// Notified when a breaker opens or an outage has to be confirmed.
    probe_needed: Notify,
    calls: CallCounter,
    /// Set where nothing is to be written.
    rehearsal: OnceLock<Arc<dyn Rehearsal>>,
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
    pub reads: usize,
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
            reads: SharedReads::default(),
            versions: Versions::default(),
            governors: Mutex::default(),
            observer: OnceLock::new(),
            probe_needed: Notify::new(),
            calls: CallCounter::default(),
            rehearsal: OnceLock::new(),
        })
    }

    /// Sets the observer. A second call changes nothing.
    pub fn observe(&self, observer: Weak<dyn RemoteObserver>) {
        self.connections.observe(Weak::clone(&observer));
        // A second observer would be a bug; the first one stays.
        let _ = self.observer.set(observer);
    }

    /// The connections reads go through.
    pub fn connections(&self) -> &Connections {
        &self.connections
    }

    /// Makes a read, or joins one that is under way. Where the store can extract the answer from that
    /// of a containing read, the containing read is made.
    pub async fn read(self: &Arc<Self>, request: ReadRequest<'_>) -> Result<ReadReply> {
        let connected = self.connect(request).await?;
        let store = Arc::clone(&connected.store);
        let containing = store.containing_read(request.read);
        let part = containing.is_some().then_some(request.read);
        let key = Arc::new(GroupKey {
            identity: Arc::clone(&connected.identity),
            caller: connected.caller.clone(),
            read: containing.unwrap_or_else(|| request.read.clone()),
        });
        let times = (request.asked, self.time.now());
        let answer = self.reads.answer(&key, times, |id| {
            let task = ReadTask {
                client: Arc::clone(self),
                key: Arc::clone(&key),
                id,
                record: Arc::clone(request.store),
                caller: request.caller.to_owned(),
                object: request.object.map(str::to_owned),
            };
            task.run(connected).boxed()
        });
        Ok(ReadReply::new(answer.await, part, &store))
    }

    /// Tells the governor how a call ended, and the observer when the store is back.
    fn finish_call(
        &self,
        governor: &StoreGovernor,
        permit: Permit<'_>,
        failure: Option<&Error>,
        read: impl Fn() -> Arc<ProbeRead>,
    ) {
        let change = permit.done(failure, self.time.now(), &read);
        if governor.watches_credentials(failure) {
            self.note_credentials(governor, &read().record, failure);
        }
        self.breaker_changed(governor, change);
    }

    /// Logs a change of a store's breaker and tells the observer.
    fn breaker_changed(&self, governor: &StoreGovernor, change: Change) {
        let store = &governor.store;
        match change {
            Change::None => {}
            Change::ConfirmOutage => self.probe_needed.notify_one(),
            Change::Opened => {
                let error = governor.trouble().map(|error| error.to_string());
                let error = error.unwrap_or_default();
                tracing::warn!(store = %store.qualified(), error, "the store cannot be reached; probing");
                self.probe_needed.notify_one();
                if let Some(observer) = self.observer() {
                    observer.troubled(store);
                }
            }
            Change::Closed => {
                tracing::info!(store = %store.qualified(), "the store answers again");
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

    /// Drops everything known about a store: connections, held answers, versions and its governor.
    pub fn forget(&self, store: &StoreKey) {
        self.connections.drop_store(store);
        self.reads.drop_store(store);
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
        self.reads.drop_store(store);
        self.versions.drop_store(store);
    }

    /// Wipes answers that no caller will ask for, and drops connections that have ended.
    pub fn sweep(&self) {
        self.reads.sweep(self.time.now());
        self.connections.sweep();
    }

    /// Whether a store's breaker is open: the store is probed, and the observer hears of its recovery.
    pub fn is_open(&self, store: &StoreKey) -> bool {
        let governor = self.governors().get(store).cloned();
        governor.is_some_and(|governor| governor.is_open())
    }

    /// What is held.
    pub fn stats(&self) -> RemoteStats {
        let open = self
            .governors()
            .values()
            .filter(|one| one.is_open())
            .count();
        let (reads, bytes) = self.reads.size();
        RemoteStats {
            reads,
            bytes,
            connections: self.connections.len(),
            open_breakers: open,
        }
    }

    fn governor(&self, store: &StoreKey) -> Arc<StoreGovernor> {
        let mut governors = self.governors();
        if let Some(known) = governors.get(store) {
            return Arc::clone(known);
        }
        if governors.len() >= MOST_GOVERNORS {
            governors.retain(|_, one| Arc::strong_count(one) > 1 || one.is_open());
        }
        let governor = Arc::new(StoreGovernor::new(store.clone()));
        governors.insert(store.clone(), Arc::clone(&governor));
        governor
    }

    fn governors(&self) -> MutexGuard<'_, BTreeMap<StoreKey, Arc<StoreGovernor>>> {
        self.governors.lock()
    }

    fn observer(&self) -> Option<Arc<dyn RemoteObserver>> {
        self.observer.get()?.upgrade()
    }
}
