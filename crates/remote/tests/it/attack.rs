//! Tenants who ask for the same remote secret at the same moment, over and over, while connections
//! end, credentials are read again and held answers are wiped: nobody ever gets another one's answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use lockstep_provider_api::SecretValue;
use lockstep_provider_api::conformance::block_on;
use lockstep_provider_api::context::Time;
use lockstep_remote::StoreRecord;

use crate::bench::{Bench, own_store, store};

const ROUNDS: usize = 400;

/// One tenant: asks, now for an answer of this moment, now for any, and compares.
fn tenant(bench: &Bench, store: &Arc<StoreRecord>, caller: &str) -> usize {
    let own = SecretValue::from(format!("token-of-{caller}").as_str());
    let mut answered = 0;
    for round in 0..ROUNDS {
        let asked = match round % 3 {
            0 => bench.services.time.now(),
            _ => Timestamp::MIN,
        };
        // A read may fail while connections are cut; it must not be answered with something else.
        if let Ok(value) = block_on(bench.asked(store, caller, asked)) {
            assert_eq!(value, own, "{caller} got what is not its own");
            answered += 1;
        }
    }
    answered
}

/// Runs all tenants at once, twice each, while the ground shakes.
fn attack(tenants: &[(Arc<StoreRecord>, &str)]) {
    let bench = Bench::new();
    let (over, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let shaker = scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                for (store, _) in tenants {
                    bench.services.time.advance(Duration::from_millis(250));
                    bench.reads.reconnect(&store.key);
                    bench.reads.sweep();
                    thread::yield_now();
                }
            }
        });
        let asking: Vec<_> = tenants
            .iter()
            .chain(tenants)
            .map(|(store, caller)| scope.spawn(|| tenant(&bench, store, caller)))
            .collect();
        let ended: Vec<_> = asking
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect();
        // Before any failure is reported, so that the test ends.
        over.store(true, Ordering::Relaxed);
        for one in ended {
            answered.fetch_add(one.unwrap(), Ordering::Relaxed);
        }
        shaker.join().unwrap();
    });
    let asked = tenants.len() * 2 * ROUNDS;
    let answered = answered.into_inner();
    assert!(answered * 2 > asked, "{answered} of {asked} were answered");
}

#[test]
fn stores_of_one_name_in_two_namespaces_never_answer_for_each_other() {
    attack(&[(own_store("a"), "a"), (own_store("b"), "b")]);
}

#[test]
fn callers_of_one_cluster_store_with_credentials_of_their_own_never_share_an_answer() {
    let store = store("''");
    attack(&[(Arc::clone(&store), "a"), (store, "b")]);
}

#[test]
fn a_namespaced_and_a_cluster_store_of_one_name_never_answer_for_each_other() {
    attack(&[(own_store("a"), "a"), (store("''"), "b")]);
}
