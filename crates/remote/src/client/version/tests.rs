//! Refreshes over a store that tells versions: when its value is read, and what the group learns.

use std::collections::BTreeSet;
use std::task::{Context, Waker};
use std::time::Duration;

use futures_util::FutureExt;
use jiff::Timestamp;
use lockstep_api::SecretStore;
use lockstep_plan::Salt;
use lockstep_plan::store::StoreRecord;
use lockstep_provider_api::conformance::{TestServices, block_on, services};
use lockstep_provider_api::context::Time;
use lockstep_provider_api::{Error, ErrorKind, RemoteRef, SecretValue, Store};
use lockstep_scheduling::groups::{Groups, Taken};
use tokio::sync::Semaphore;

use super::*;
use crate::connections::Connections;
use crate::credentials::Credential;
use crate::observer::RemoteObserver;

const SECOND: Duration = Duration::from_secs(1);
/// More turns than a test takes.
const TURNS: usize = 1_000;

/// A secret with a version, and what was asked about it.
#[derive(Default)]
struct Secret {
    version: Option<&'static str>,
    value: &'static str,
    failure: Option<ErrorKind>,
    asked: Vec<&'static str>,
}

/// Answers from the secret, for its version once there is a turn.
#[derive(Clone)]
struct Vault {
    secret: Arc<Mutex<Secret>>,
    turns: Arc<Semaphore>,
}

impl Vault {
    fn change(&self, version: &'static str, value: &'static str) {
        let mut secret = self.secret.lock();
        (secret.version, secret.value) = (Some(version), value);
    }

    fn asked(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.secret.lock().asked)
    }
}

impl Store for Vault {
    async fn get(&self, _: &RemoteRef) -> Result<SecretValue> {
        let mut secret = self.secret.lock();
        secret.asked.push("value");
        Ok(secret.value.into())
    }

    async fn version(&self, _: &RemoteRef, alone: bool) -> Result<Option<String>> {
        if !alone {
            return Ok(None);
        }
        self.secret.lock().asked.push("version");
        self.turns.acquire().await.unwrap().forget();
        let mut secret = self.secret.lock();
        match secret.failure.take() {
            Some(kind) => Err(Error::new(kind, "no version")),
            None => Ok(secret.version.map(str::to_owned)),
        }
    }
}

/// The groups, as the controllers keep them.
#[derive(Default)]
struct Ears {
    groups: Mutex<Groups<GroupKey, &'static str>>,
    woken: Mutex<usize>,
}

impl RemoteObserver for Ears {
    fn answered(&self, group: &GroupKey, fingerprint: u64, read_at: Timestamp) -> usize {
        let mut groups = self.groups.lock();
        let woken = groups.read(group, fingerprint, read_at, 0.5).len();
        *self.woken.lock() += woken;
        woken
    }

    fn connected(&self, _: &StoreKey, _: Option<&str>, _: &BTreeSet<Credential>) {}

    fn troubled(&self, _: &StoreKey) {}

    fn recovered(&self, _: &StoreKey) {}

    fn is_present(&self, _: &str, _: &str) -> bool {
        true
    }
}

struct Bench {
    services: TestServices,
    reads: Arc<RemoteClient>,
    ears: Arc<Ears>,
    vault: Vault,
    store: Arc<StoreRecord>,
}

impl Bench {
    /// An object that synced from the secret and refreshes every second.
    fn new() -> Self {
        let yaml = "
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: vault, namespace: a, uid: u1, generation: 1}
spec: {provider: {fake: {data: []}}}
";
        let store: SecretStore = serde_saphyr::from_str(yaml).unwrap();
        let services = services();
        let bench = Self {
            reads: RemoteClient::new(Connections::new(services.shared()), Salt::new([3; 16])),
            services,
            ears: Arc::default(),
            vault: Vault {
                secret: Arc::default(),
                turns: Arc::new(Semaphore::new(TURNS)),
            },
            store: Arc::new(store.into()),
        };
        let ears = Arc::downgrade(&bench.ears);
        bench.reads.observe(ears);
        bench.reads.allow_version_probes();
        bench.vault.change("1", "first");
        bench.connected();
        bench.subscribe();
        bench
    }

    /// A connection lasts a minute at most; this one is as good as another.
    fn connected(&self) {
        let vault = Arc::new(self.vault.clone());
        self.reads.connections().put(&self.store, vault);
    }

    /// Reads as a run does.
    fn read(&self) -> Arc<Answer> {
        let read = Read::Value(RemoteRef::key("k"));
        block_on(self.reads.read(self.request(&read)))
            .unwrap()
            .answer
    }

    fn request<'a>(&'a self, read: &'a Read) -> ReadRequest<'a> {
        ReadRequest {
            store: &self.store,
            caller: "a",
            object: None,
            read,
            asked: self.services.time.now(),
        }
    }

    fn subscribe(&self) {
        let answer = self.read();
        let taken = Taken {
            group: GroupKey::clone(&answer.group),
            fingerprint: answer.fingerprint,
            read_at: answer.read_at,
        };
        let mut groups = self.ears.groups.lock();
        assert!(groups.subscribe("es", SECOND, vec![taken], 0.5));
        self.vault.asked();
    }

    /// Waits for the next refresh.
    fn due(&self) -> Arc<GroupKey> {
        let due = self.ears.groups.lock().next_deadline();
        let due = due.expect("a group that falls due");
        let wait = due.duration_since(self.services.time.now());
        let wait = Duration::try_from(wait).unwrap_or_default();
        self.services.time.advance(wait);
        self.connected();
        let popped = self.ears.groups.lock().pop(self.services.time.now());
        popped.unwrap().0
    }

    /// The next refresh; returns what it asked for.
    fn refresh(&self, alone: bool) -> (Result<Option<Arc<Answer>>>, Vec<&'static str>) {
        let group = self.due();
        let refreshed = self.reads.refresh(self.request(&group.read), &group, alone);
        (block_on(refreshed), self.vault.asked())
    }

    fn woken(&self) -> usize {
        std::mem::take(&mut self.ears.woken.lock())
    }
}

#[test]
fn an_unchanged_version_keeps_the_group_fresh_refresh_after_refresh() {
    let bench = Bench::new();
    let (first, asked) = bench.refresh(true);
    assert!(first.unwrap().is_some());
    assert_eq!(asked, ["version", "value"], "no version is known yet");

    for _ in 0..100 {
        let (refreshed, asked) = bench.refresh(true);

        assert!(refreshed.unwrap().is_none());
        assert_eq!(asked, ["version"]);
        let groups = bench.ears.groups.lock();
        assert_eq!(groups.refreshed(&"es"), Some(bench.services.time.now()));
        assert_eq!(groups.stats().reading, 0);
    }
    assert_eq!(bench.woken(), 0);
}

#[test]
fn another_version_is_read_and_told_to_the_subscribers() {
    let bench = Bench::new();
    bench.refresh(true).0.unwrap();
    bench.vault.change("2", "second");

    let (refreshed, asked) = bench.refresh(true);
    assert!(refreshed.unwrap().is_some());
    assert_eq!(asked, ["version", "value"]);
    assert_eq!(bench.woken(), 1);
    // A stage that is moved back.
    bench.vault.change("1", "first");
    assert_eq!(bench.refresh(true).1, ["version", "value"]);
    assert_eq!(bench.woken(), 1);
    assert_eq!(bench.refresh(true).1, ["version"]);
}

#[test]
fn a_value_that_a_run_read_in_between_is_not_undone_by_a_known_version() {
    let bench = Bench::new();
    bench.refresh(true).0.unwrap();
    bench.vault.change("2", "second");
    bench.services.time.advance(Duration::from_millis(10));
    bench.read();
    assert_eq!(bench.woken(), 1);
    bench.vault.asked();

    assert_eq!(bench.refresh(true).1, ["version", "value"]);
    assert_eq!(bench.woken(), 0);
}

#[test]
fn a_value_read_before_the_look_never_stands_for_the_version_seen() {
    let bench = Bench::new();
    bench.vault.turns.forget_permits(TURNS);
    let group = bench.due();
    let request = bench.request(&group.read);
    let mut refresh = bench.reads.refresh(request, &group, true).boxed();
    let mut context = Context::from_waker(Waker::noop());
    assert!(refresh.poll_unpin(&mut context).is_pending());
    bench.services.time.advance(Duration::from_millis(10));
    let old = bench.read();
    bench.vault.change("2", "second");
    bench.services.time.advance(Duration::from_millis(10));

    bench.vault.turns.add_permits(TURNS);
    let new = block_on(refresh).unwrap().unwrap();

    assert_ne!(new.fingerprint, old.fingerprint);
    assert_eq!(bench.vault.asked(), ["version", "value", "value"]);
    assert_eq!(bench.woken(), 1);
    assert!(bench.refresh(true).0.unwrap().is_none());
    assert_eq!(bench.woken(), 0);
}

#[test]
fn a_look_that_fails_leads_to_a_read_unless_the_store_wants_peace() {
    let bench = Bench::new();
    bench.refresh(true).0.unwrap();
    let fail = |kind| bench.vault.secret.lock().failure = Some(kind);

    for kind in [ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Internal] {
        fail(kind);
        let (refreshed, asked) = bench.refresh(true);
        assert!(refreshed.unwrap().unwrap().error().is_none());
        assert_eq!(asked, ["version", "value"]);
    }
    fail(ErrorKind::Unreachable);
    let (refreshed, asked) = bench.refresh(true);

    let error = refreshed.err().unwrap();
    assert_eq!(error.kind(), &ErrorKind::Unreachable);
    assert_eq!(asked, ["version"]);
    assert_eq!(bench.woken(), 0);
    let mut calls = Vec::new();
    let counts = bench.reads.calls();
    counts.each(|call, count| calls.push((call.name, call.failed, count)));
    assert_eq!(
        calls,
        [
            ("get", false, 5),
            ("version", false, 1),
            ("version", true, 4)
        ]
    );
}

#[test]
fn reads_that_go_out_with_others_and_secrets_without_a_version_are_read() {
    let bench = Bench::new();
    bench.refresh(true).0.unwrap();

    assert_eq!(bench.refresh(false).1, ["value"]);
    bench.vault.secret.lock().version = None;
    for _ in 0..2 {
        assert_eq!(bench.refresh(true).1, ["version", "value"]);
    }
}

#[test]
fn a_version_is_forgotten_with_the_credentials_it_was_seen_with() {
    let bench = Bench::new();
    bench.refresh(true).0.unwrap();
    assert_eq!(bench.refresh(true).1, ["version"]);

    bench.reads.reconnect(&bench.store.key);

    assert_eq!(bench.refresh(true).1, ["version", "value"]);
}

#[test]
fn versions_are_not_looked_at_unless_that_is_allowed() {
    let bench = Bench::new();
    bench.reads.versions.allowed.store(false, Ordering::Relaxed);

    for _ in 0..3 {
        assert_eq!(bench.refresh(true).1, ["value"]);
    }
}
