//! Shared reads over a real provider and a wire under control: who gets whose answer, how often the
//! wire is used, and what happens while nobody answers.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::join_all;
use jiff::Timestamp;
use lockstep_plan::external_secret::{Payload, Read};
use lockstep_plan::{Salt, StoreKey};
use lockstep_provider_api::conformance::{Fault, Faults, block_on, response, scripted, services};
use lockstep_provider_api::context::Time;
use lockstep_provider_api::{ErrorKind, RemoteRef, Result, SecretValue};
use lockstep_remote::{
    Connections, Credential, GroupKey, ReadRequest, RemoteClient, RemoteObserver,
};

use crate::bench::{Bench, echo, own_store, store};

#[test]
fn tenants_with_their_own_credentials_never_get_each_others_answer() {
    let (bench, store) = (Bench::new(), store("''"));

    let callers = ["a", "b", "a", "b", "b", "a"];
    let attack = callers.map(|caller| bench.whose(&store, caller));
    let answers = block_on(join_all(attack));
    let late = block_on(bench.asked(&store, "b", Timestamp::MIN)).unwrap();

    for (caller, answer) in callers.iter().zip(answers) {
        let own = format!("token-of-{caller}");
        assert_eq!(answer.unwrap(), SecretValue::from(own.as_str()));
    }
    assert_eq!(late, SecretValue::from("token-of-b"));
    assert_eq!(bench.sent(), 2, "one read an identity");
}

#[test]
fn a_read_with_one_identity_is_made_once_for_all_namespaces() {
    let (bench, store) = (Bench::new(), store("vault"));

    let callers: Vec<String> = (0..100).map(|number| format!("team-{number}")).collect();
    let reads = callers.iter().map(|caller| bench.whose(&store, caller));
    let answers = block_on(join_all(reads));

    let own = SecretValue::from("token-of-vault");
    assert!(
        answers
            .iter()
            .all(|answer| answer.as_ref().unwrap() == &own)
    );
    assert_eq!(bench.sent(), 1);
}

#[test]
fn all_properties_of_a_secret_are_parts_of_one_read() {
    let (bench, store) = (Bench::new(), store("vault"));
    let reference = |property: &str| RemoteRef::key("db").property(property);
    let reads = [
        Read::Value(reference("whose")),
        Read::Value(reference("other")),
        Read::Value(reference("nope")),
        Read::Map(RemoteRef::key("db")),
    ];
    let asked = bench.services.time.now();
    let all = reads.iter().map(|read| {
        let request = ReadRequest {
            store: &store,
            caller: "a",
            object: None,
            read,
            asked,
        };
        bench.reads.read(request)
    });

    let replies: Vec<_> = block_on(join_all(all))
        .into_iter()
        .map(Result::unwrap)
        .collect();

    assert_eq!(bench.sent(), 1);
    let group = &replies[0].answer.group;
    assert!(replies.iter().all(|reply| reply.answer.group == *group));
    let value = |at: usize| match &replies[at].outcome {
        Ok(Payload::Value(value)) => value.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(value(0), "token-of-vault".into());
    assert_eq!(value(1), "x".into());
    assert_eq!(
        replies[2].outcome.as_ref().unwrap_err().to_string(),
        "property nope does not exist in data of secret \"db\""
    );
    let Ok(Payload::Map(map)) = &replies[3].outcome else {
        panic!("no map");
    };
    assert_eq!(map.keys().collect::<Vec<_>>(), ["other", "whose"]);
}

#[test]
fn an_answer_from_before_the_question_does_not_count() {
    let (bench, store) = (Bench::new(), store("vault"));
    let first = bench.services.time.now();
    block_on(bench.whose(&store, "a")).unwrap();
    bench.services.time.advance(Duration::from_secs(1));

    block_on(bench.asked(&store, "a", first)).unwrap();
    assert_eq!(bench.sent(), 1, "asked before the read began");
    block_on(bench.whose(&store, "a")).unwrap();
    assert_eq!(bench.sent(), 2, "asked after it");
}

#[test]
fn a_changed_credential_is_used_at_once_and_old_answers_are_gone() {
    let (bench, store) = (Bench::new(), store("vault"));
    let first = bench.services.time.now();
    block_on(bench.whose(&store, "a")).unwrap();
    let objects = &bench.services.objects;
    objects.put_secret("vault", "login", "token", "rotated");

    bench.reads.reconnect(&store.key);

    let answer = block_on(bench.asked(&store, "a", first)).unwrap();
    assert_eq!(answer, SecretValue::from("rotated"));
}

#[test]
fn held_answers_are_wiped_after_moments() {
    let (bench, store) = (Bench::new(), store("vault"));
    block_on(bench.whose(&store, "a")).unwrap();
    assert!(bench.reads.stats().bytes > 0);

    bench.services.time.advance(Duration::from_secs(6));
    bench.reads.sweep();

    let stats = bench.reads.stats();
    assert_eq!((stats.reads, stats.bytes), (0, 0));
}

#[derive(Default)]
struct Ears(Mutex<Vec<StoreKey>>, AtomicUsize);

impl RemoteObserver for Ears {
    fn answered(&self, _: &GroupKey, _: u64, _: Timestamp) -> usize {
        0
    }

    fn connected(&self, _: &StoreKey, caller: Option<&str>, read: &BTreeSet<Credential>) {
        assert_eq!(caller, None);
        let names: Vec<&str> = read.iter().map(|read| &*read.namespace).collect();
        assert_eq!(names, ["vault"]);
    }

    fn troubled(&self, _: &StoreKey) {
        self.1.fetch_add(1, Ordering::Relaxed);
    }

    fn recovered(&self, store: &StoreKey) {
        self.0.lock().unwrap().push(store.clone());
    }

    fn is_present(&self, _: &str, object: &str) -> bool {
        object != "deleted"
    }
}

#[test]
fn an_outage_costs_few_calls_and_its_end_is_told_once() {
    let (bench, store) = (Bench::new(), store("vault"));
    let ears = Arc::new(Ears::default());
    let weak = Arc::downgrade(&ears);
    bench.reads.observe(weak);
    block_on(bench.whose(&store, "a")).unwrap();
    bench.services.wire.fail_after(0, Fault::Drop);

    bench.services.time.advance(Duration::from_millis(10));
    let before = bench.sent();
    for _ in 0..50 {
        let error = block_on(bench.whose(&store, "a")).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Unreachable);
        bench.services.time.advance(Duration::from_millis(10));
    }
    let failing = bench.sent() - before;
    assert!(bench.reads.is_open(&store.key));
    let refused = block_on(bench.whose(&store, "b")).unwrap_err();
    let trouble = bench.reads.trouble(&store.key).unwrap();
    assert!(refused.is_unasked());
    assert!(
        refused.to_string().ends_with(": connection reset by peer"),
        "{refused}"
    );
    assert!(
        trouble.to_string().ends_with("connection reset by peer"),
        "{trouble}"
    );
    assert_eq!(bench.reads.open_stores(), std::slice::from_ref(&store.key));
    assert_eq!(ears.1.load(Ordering::Relaxed), 1, "told once");
    bench.services.wire.heal();
    bench.services.time.advance(Duration::from_secs(2));
    block_on(bench.whose(&store, "b")).unwrap();

    assert_eq!(failing, 3, "calls until the breaker opened");
    let heard = ears.0.lock().unwrap();
    assert_eq!(*heard, std::slice::from_ref(&store.key));
    assert!(!bench.reads.is_open(&store.key));
    assert!(bench.reads.trouble(&store.key).is_none());
}

/// A server that refuses everything until the flag is taken down.
fn overloaded() -> (Bench, Arc<AtomicBool>) {
    let down = Arc::new(AtomicBool::new(true));
    let is_down = Arc::clone(&down);
    let bench = Bench::over(move |request| {
        if is_down.load(Ordering::Relaxed) {
            response(503, Bytes::new())
        } else {
            echo(request)
        }
    });
    (bench, down)
}

#[test]
fn a_probe_that_hangs_holds_up_no_other_store() {
    let (bench, down) = overloaded();
    let (lively, hung) = (own_store("a"), own_store("b"));
    bench.trip(&lively, "a");
    bench.trip(&hung, "b");
    let mut prober = Box::pin(Arc::clone(&bench.reads).keep_probing());
    assert!((&mut prober).now_or_never().is_none());

    // The first probe of the one is refused, that of the other hangs.
    bench.services.wire.fail_after(1, Fault::Hang);
    bench.services.time.advance(Duration::from_secs(1));
    assert!((&mut prober).now_or_never().is_none());
    bench.services.wire.heal();
    down.store(false, Ordering::Relaxed);
    for _ in 0..3 {
        bench.services.time.advance(Duration::from_secs(1));
        assert!((&mut prober).now_or_never().is_none());
    }

    assert!(!bench.reads.is_open(&lively.key));
    assert!(bench.reads.is_open(&hung.key));
}

#[test]
fn a_store_that_failed_somebody_elses_probe_is_probed_on() {
    let (bench, down) = overloaded();
    let (store, ears) = (store("vault"), Arc::new(Ears::default()));
    let weak = Arc::downgrade(&ears);
    bench.reads.observe(weak);
    bench.trip(&store, "a");

    // A read that somebody makes is the probe, and is under way when the prober looks.
    bench.services.time.advance(Duration::from_secs(1));
    bench.services.wire.fail_after(0, Fault::Stall);
    let mut read = Box::pin(bench.whose(&store, "a"));
    assert!((&mut read).now_or_never().is_none());
    let mut prober = Box::pin(Arc::clone(&bench.reads).keep_probing());
    assert!((&mut prober).now_or_never().is_none());
    read.now_or_never().expect("an answer").unwrap_err();
    bench.services.wire.heal();
    down.store(false, Ordering::Relaxed);

    for _ in 0..5 {
        bench.services.time.advance(Duration::from_secs(1));
        assert!((&mut prober).now_or_never().is_none());
    }

    assert_eq!(*ears.0.lock().unwrap(), std::slice::from_ref(&store.key));
    assert!(!bench.reads.is_open(&store.key));
}

#[test]
fn a_connection_that_takes_no_call_does_not_end_an_outage() {
    let (bench, store) = (Bench::new(), store("vault"));
    let ears = Arc::new(Ears::default());
    let weak = Arc::downgrade(&ears);
    bench.reads.observe(weak);
    bench.services.wire.fail_after(0, Fault::Drop);
    for _ in 0..4 {
        bench.reads.reconnect(&store.key);
        bench.services.time.advance(Duration::from_secs(1));
        block_on(bench.whose(&store, "a")).unwrap_err();
    }

    assert!(bench.reads.is_open(&store.key));
    assert!(ears.0.lock().unwrap().is_empty());
}

#[test]
fn a_throttled_store_is_left_alone_for_as_long_as_it_asked() {
    let (bench, store) = (Bench::new(), store("vault"));
    block_on(bench.whose(&store, "a")).unwrap();
    let mut slow_down = response(429, Bytes::new());
    let after = http::HeaderValue::from_static("20");
    slow_down
        .headers_mut()
        .insert(http::header::RETRY_AFTER, after);
    bench.services.wire.fail_after(0, Fault::Answer(slow_down));
    bench.services.time.advance(Duration::from_millis(10));
    let first = block_on(bench.whose(&store, "a")).unwrap_err();
    bench.services.time.advance(Duration::from_millis(10));
    block_on(bench.whose(&store, "b")).unwrap_err();
    bench.services.wire.heal();
    let sent = bench.sent();

    bench.services.time.advance(Duration::from_secs(5));
    let second = block_on(bench.whose(&store, "c")).unwrap_err();

    assert_eq!(first.kind(), &ErrorKind::Throttled);
    assert_eq!(second.kind(), &ErrorKind::Throttled);
    assert_eq!(second.retry_after(), Some(Duration::from_secs(15)));
    assert_eq!(bench.sent(), sent);
    bench.services.time.advance(Duration::from_secs(15));
    assert!(block_on(bench.whose(&store, "b")).is_ok());
}

#[test]
fn everyone_who_waits_for_a_failing_store_gets_an_answer() {
    let services = services().plugged(scripted(|_| response(503, Bytes::new())));
    services
        .objects
        .put_secret("vault", "login", "token", "token");
    services.wire.fail_after(0, Fault::Stall);
    let reads = RemoteClient::new(Connections::new(services.shared()), Salt::default());
    let (store, asked) = (store("vault"), services.time.now());
    let keys: Vec<Read> = (0..300)
        .map(|number| Read::Value(RemoteRef::key(format!("key-{number}"))))
        .collect();

    let all = keys.iter().map(|read| {
        let request = ReadRequest {
            store: &store,
            caller: "a",
            object: None,
            read,
            asked,
        };
        reads.read(request)
    });
    let answers = block_on(join_all(all));

    let failed = answers.into_iter().filter(|answer| match answer {
        Ok(reply) => reply.outcome.is_err(),
        Err(_) => true,
    });
    assert_eq!(failed.count(), 300);
    assert!(services.wire.sent() <= 64, "{}", services.wire.sent());
}
