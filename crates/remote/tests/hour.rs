//! Hours of refreshes on a clock that is moved by hand: what is held does not grow, neither by count
//! nor in bytes. A process of its own, so that its memory is not blurred by other tests.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::future::join_all;
use http::{Request as HttpRequest, Response};
use jiff::{SignedDuration, Timestamp};
use lockstep_api::SecretStore;
use lockstep_plan::external_secret::Read;
use lockstep_plan::{Salt, StoreKey};
use lockstep_provider_api::RemoteRef;
use lockstep_provider_api::conformance::{TestServices, block_on, response, scripted, services};
use lockstep_provider_api::context::Time;
use lockstep_remote::{
    Connections, Credential, GroupKey, ReadRequest, RemoteClient, RemoteObserver, StoreRecord,
};
use lockstep_scheduling::groups::{Groups, Taken};
use lockstep_scheduling::schedule::{Job, Schedule};

const OBJECTS: u32 = 300;
const KEYS: u32 = 60;
const INTERVAL: Duration = Duration::from_mins(1);
const STEP: Duration = Duration::from_secs(1);

/// Everything that keeps objects fresh, without an API server.
struct Process {
    services: TestServices,
    reads: Arc<RemoteClient>,
    store: Arc<StoreRecord>,
    groups: Arc<Subscriptions>,
    schedule: Schedule<u32>,
    asked: BTreeMap<u32, Timestamp>,
    refreshes: u64,
}

#[derive(Default)]
struct Subscriptions {
    groups: Mutex<Groups<GroupKey, u32>>,
    woken: Mutex<Vec<(u32, Timestamp)>>,
}

impl RemoteObserver for Subscriptions {
    fn answered(&self, group: &GroupKey, fingerprint: u64, read_at: Timestamp) -> usize {
        let woken = self
            .groups
            .lock()
            .unwrap()
            .read(group, fingerprint, read_at, 0.5);
        let takers = woken.len();
        let mut list = self.woken.lock().unwrap();
        list.extend(woken.into_iter().map(|object| (object, read_at)));
        takers
    }

    fn connected(&self, _: &StoreKey, _: Option<&str>, _: &BTreeSet<Credential>) {}

    fn troubled(&self, _: &StoreKey) {}

    fn recovered(&self, _: &StoreKey) {}

    fn is_present(&self, _: &str, _: &str) -> bool {
        true
    }
}

fn store() -> Arc<StoreRecord> {
    let yaml = "
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: remote, namespace: ns, uid: u1, generation: 1}
spec:
  provider:
    kubernetes:
      remoteNamespace: remote
      server: {url: https://cluster.example}
      auth: {token: {bearerToken: {name: login, key: token}}}
";
    let store: SecretStore = serde_saphyr::from_str(yaml).unwrap();
    Arc::new(store.into())
}

/// A server whose secrets change now and then, each its own way.
fn server(calls: &AtomicU64, request: &HttpRequest<Bytes>) -> Response<Bytes> {
    let turn = calls.fetch_add(1, Ordering::Relaxed) / 500;
    let path = request.uri().path();
    let version = turn % (1 + path.len() as u64 % 3);
    let value = STANDARD.encode(format!("version-{version}"));
    let body = format!(r#"{{"metadata":{{"name":"x"}},"data":{{"v":"{value}"}}}}"#);
    response(200, body)
}

fn read_of(key: u32) -> Read {
    Read::Value(RemoteRef::key(format!("secret-{key}")).property("v"))
}

impl Process {
    fn new() -> Self {
        let calls = AtomicU64::default();
        let services = services().plugged(scripted(move |request| server(&calls, &request)));
        services.objects.put_secret("ns", "login", "token", "t");
        let reads = RemoteClient::new(Connections::new(services.shared()), Salt::new([5; 16]));
        let groups = Arc::<Subscriptions>::default();
        let observer: Arc<dyn RemoteObserver> = Arc::clone(&groups) as _;
        reads.observe(Arc::downgrade(&observer));
        let mut schedule = Schedule::default();
        for object in 0..OBJECTS {
            schedule.fresh(object, services.time.now());
        }
        Self {
            services,
            reads,
            store: store(),
            groups,
            schedule,
            asked: BTreeMap::new(),
            refreshes: 0,
        }
    }

    /// One second of the process's life.
    fn second(&mut self) {
        self.services.time.advance(STEP);
        let now = self.services.time.now();
        while let Some(job) = self.schedule.pop(now) {
            self.run(&job, now);
        }
        loop {
            let due = self.groups.groups.lock().unwrap().pop(now);
            let Some((group, _)) = due else { break };
            let answer = block_on(self.reads.read(self.request(&group.read, now)));
            assert!(answer.unwrap().outcome.is_ok());
            self.refreshes += 1;
        }
        let woken = std::mem::take(&mut *self.groups.woken.lock().unwrap());
        for (object, read_at) in woken {
            self.asked.insert(object, read_at);
            self.schedule.fresh(object, now);
        }
        self.reads.sweep();
    }

    /// One run of an object: three reads, then it subscribes to them.
    fn run(&mut self, job: &Job<u32>, now: Timestamp) {
        let object = job.key;
        self.groups.groups.lock().unwrap().unsubscribe(&object);
        let wanted = (0..3).map(|step| read_of((object + step) % KEYS));
        let wanted: Vec<Read> = wanted.collect();
        let asked = self.asked.remove(&object).unwrap_or(now);
        let reads = wanted
            .iter()
            .map(|read| self.reads.read(self.request(read, asked)));
        let taken = block_on(join_all(reads)).into_iter().map(|answer| {
            let answer = answer.unwrap().answer;
            Taken {
                group: GroupKey::clone(&answer.group),
                fingerprint: answer.fingerprint,
                read_at: answer.read_at,
            }
        });
        let taken = taken.collect();
        let mut groups = self.groups.groups.lock().unwrap();
        let current = groups.subscribe(object, INTERVAL, taken, 0.5);
        drop(groups);
        let next = now.saturating_add(SignedDuration::from_mins(10)).unwrap();
        self.schedule.finish(job.run, Some(next));
        if !current {
            self.schedule.fresh(object, now);
        }
    }

    fn request<'a>(&'a self, read: &'a Read, asked: Timestamp) -> ReadRequest<'a> {
        ReadRequest {
            store: &self.store,
            caller: "ns",
            object: None,
            read,
            asked,
        }
    }

    fn check(&self) {
        let reads = self.reads.stats();
        assert!(reads.reads <= KEYS as usize, "{reads:?}");
        assert!(reads.bytes <= 64 * KEYS as usize, "{reads:?}");
        assert_eq!((reads.connections, reads.open_breakers), (1, 0));
        let groups = self.groups.groups.lock().unwrap().stats();
        assert!(groups.groups <= KEYS as usize, "{groups:?}");
        assert!(groups.objects <= OBJECTS as usize, "{groups:?}");
        assert_eq!(groups.reading, 0);
        let stats = self.schedule.stats(self.services.time.now());
        assert_eq!(stats.running, 0);
        assert!(stats.fresh + stats.due + stats.scheduled <= 2 * OBJECTS as usize);
    }

    fn minutes(&mut self, minutes: u32) {
        for _ in 0..minutes {
            for _ in 0..60 {
                self.second();
            }
            self.check();
        }
    }
}

/// Memory of this process in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.unwrap().parse().unwrap()
}

#[test]
fn hours_of_refreshes_take_no_more_memory_than_the_first_minutes() {
    let mut process = Process::new();
    process.minutes(20);
    let (warm, before) = (process.refreshes, resident());

    process.minutes(60);

    let made = process.refreshes - warm;
    assert!(made >= 50 * u64::from(KEYS), "{made} refreshes");
    let grown = resident().saturating_sub(before);
    assert!(grown < 1024, "{grown} KiB more after {made} refreshes");
}
