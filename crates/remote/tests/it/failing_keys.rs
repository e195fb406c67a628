//! Keys that fail while their store answers for others: whom that concerns, what an outage still costs,
//! and what an open breaker is probed with.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use lockstep_plan::StoreKey;
use lockstep_provider_api::ErrorKind;
use lockstep_provider_api::conformance::{block_on, response};
use lockstep_remote::{Credential, GroupKey, RemoteObserver};

use crate::bench::{Bench, echo, store};

/// A server that fails for keys that begin with `bad`, and for all while it is down; it notes the keys
/// it was asked for.
struct Server {
    bench: Bench,
    down: Arc<AtomicBool>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new() -> Self {
        let (down, asked) = (
            Arc::new(AtomicBool::new(false)),
            Arc::<Mutex<Vec<String>>>::default(),
        );
        let (is_down, noted) = (Arc::clone(&down), Arc::clone(&asked));
        let bench = Bench::over(move |request| {
            let key = request.uri().path().rsplit('/').next().unwrap_or_default();
            noted.lock().unwrap().push(key.to_owned());
            if key.starts_with("bad") || is_down.load(Ordering::Relaxed) {
                return response(500, Bytes::new());
            }
            echo(request)
        });
        Self { bench, down, asked }
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::Relaxed);
    }

    /// Advances the clock, with the prober at work.
    fn pass(&self, prober: &mut BoxFuture<'_, ()>, time: Duration) {
        self.bench.services.time.advance(time);
        assert!(prober.now_or_never().is_none());
    }

    fn prober(&self) -> BoxFuture<'static, ()> {
        Arc::clone(&self.bench.reads).keep_probing().boxed()
    }
}

/// Knows which objects are there.
struct Cluster;

impl RemoteObserver for Cluster {
    fn answered(&self, _: &GroupKey, _: u64, _: Timestamp) -> usize {
        0
    }

    fn connected(&self, _: &StoreKey, _: Option<&str>, _: &BTreeSet<Credential>) {}

    fn troubled(&self, _: &StoreKey) {}

    fn recovered(&self, _: &StoreKey) {}

    fn is_present(&self, _: &str, object: &str) -> bool {
        object != "deleted"
    }
}

#[test]
fn one_objects_failing_keys_leave_everybody_else_alone() {
    let (server, store) = (Server::new(), store("vault"));
    let mut prober = server.prober();
    block_on(server.bench.key(&store, ("good", "es"), "g0")).unwrap();

    for round in 0..600 {
        for bad in ["bad-1", "bad-2", "bad-3"] {
            let error = block_on(server.bench.key(&store, ("hostile", "es"), bad)).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::Unreachable);
        }
        server.pass(&mut prober, Duration::from_millis(100));
        if round % 50 == 0 {
            let key = format!("g{}", round % 7);
            block_on(server.bench.key(&store, ("good", "es"), &key)).unwrap();
        }
        assert!(!server.bench.reads.is_open(&store.key));
    }

    // Three tries, then after 1, 2, 4, 8, 16 and 30 seconds, of which a minute holds eight or nine.
    let asked = server.asked();
    let of = |key: &str| asked.iter().filter(|asked| *asked == key).count();
    assert!((7..=9).contains(&of("bad-1")), "{}", of("bad-1"));
}

#[test]
fn an_outage_opens_the_breaker_once_no_key_answers_that_did() {
    let (server, store) = (Server::new(), store("vault"));
    let mut prober = server.prober();
    for key in ["a", "b", "c", "d", "e", "f"] {
        block_on(server.bench.key(&store, (key, "es"), key)).unwrap();
    }
    server.set_down(true);
    server.asked();
    server.pass(&mut prober, Duration::from_millis(10));

    for key in ["a", "b", "c"] {
        block_on(server.bench.key(&store, (key, "es"), key)).unwrap_err();
    }
    server.pass(&mut prober, Duration::from_millis(10));

    assert!(server.bench.reads.is_open(&store.key));
    assert_eq!(server.asked(), ["a", "b", "c", "d", "e", "f"]);
}

#[test]
fn probes_take_turns_and_an_answer_to_any_of_them_ends_the_outage() {
    let (server, store) = (Server::new(), store("vault"));
    let mut prober = server.prober();
    for bad in ["bad-1", "bad-2", "bad-3"] {
        block_on(server.bench.key(&store, ("hostile", bad), bad)).unwrap_err();
    }
    assert!(
        server.bench.reads.is_open(&store.key),
        "nobody was answered yet"
    );
    block_on(server.bench.key(&store, ("good", "es"), "good")).unwrap_err();

    for _ in 0..6 {
        server.pass(&mut prober, Duration::from_secs(1));
    }

    assert!(!server.bench.reads.is_open(&store.key));
    assert_eq!(server.asked().last().map(String::as_str), Some("good"));
}

#[test]
fn a_probe_read_whose_object_is_gone_is_dropped() {
    let (server, store) = (Server::new(), store("vault"));
    let cluster = Arc::new(Cluster);
    let weak = Arc::downgrade(&cluster);
    server.bench.reads.observe(weak);
    let mut prober = server.prober();
    for bad in ["bad-1", "bad-2", "bad-3"] {
        block_on(server.bench.key(&store, ("hostile", "deleted"), bad)).unwrap_err();
    }
    assert!(server.bench.reads.is_open(&store.key));
    server.asked();

    for _ in 0..120 {
        server.pass(&mut prober, Duration::from_secs(1));
    }

    let asked = server.asked();
    assert!(!asked.iter().any(|key| key.starts_with("bad")), "{asked:?}");
    // Whoever comes next is the probe.
    let found = (0..40).any(|_| {
        server.pass(&mut prober, Duration::from_secs(1));
        block_on(server.bench.key(&store, ("good", "es"), "good")).is_ok()
    });
    assert!(found);
}
