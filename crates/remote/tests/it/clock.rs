//! A clock that is set forward or back while objects are served: nothing gets stuck, and nobody is
//! flooded.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lockstep_provider_api::conformance::{Fault, Faults, block_on, response};
use lockstep_provider_api::context::Time;

use crate::bench::{Bench, store};

const DAY: SignedDuration = SignedDuration::from_hours(24);

#[test]
fn reads_go_on_after_the_clock_was_set_back() {
    let (bench, store) = (Bench::new(), store("vault"));
    block_on(bench.whose(&store, "a")).unwrap();

    bench.services.time.set_by(-DAY);

    // The held answer is from the future: it is wiped, and the next one is read.
    bench.reads.sweep();
    assert_eq!(bench.reads.stats().reads, 0);
    for _ in 0..5 {
        bench.services.time.advance(Duration::from_secs(1));
        block_on(bench.whose(&store, "a")).unwrap();
    }
    assert_eq!(bench.sent(), 6);
}

#[test]
fn a_credential_rotated_after_the_clock_was_set_back_is_used_within_a_minute() {
    let (bench, store) = (Bench::new(), store("vault"));
    block_on(bench.whose(&store, "a")).unwrap();
    bench.services.time.set_by(-DAY);
    let objects = &bench.services.objects;
    objects.put_secret("vault", "login", "token", "rotated");

    bench.services.time.advance(Duration::from_secs(61));

    let answer = block_on(bench.whose(&store, "a")).unwrap();
    assert_eq!(answer, "rotated".into());
}

#[test]
fn a_pause_a_backend_asked_for_ends_whatever_the_clock_does() {
    for set_by in [DAY, -DAY] {
        let (bench, store) = (Bench::new(), store("vault"));
        block_on(bench.whose(&store, "a")).unwrap();
        let mut slow_down = response(429, "");
        let after = http::HeaderValue::from_static("20");
        let headers = slow_down.headers_mut();
        headers.insert(http::header::RETRY_AFTER, after);
        bench.services.wire.fail_after(0, Fault::Answer(slow_down));
        bench.services.time.advance(Duration::from_millis(10));
        assert!(block_on(bench.whose(&store, "a")).is_err());
        bench.services.wire.heal();

        bench.services.time.set_by(set_by);
        bench.services.time.advance(Duration::from_secs(21));

        assert!(block_on(bench.whose(&store, "a")).is_ok(), "{set_by:#}");
    }
}

#[test]
fn a_store_that_was_down_is_found_again_after_the_clock_was_set() {
    for set_by in [DAY, -DAY] {
        let (bench, store) = (Bench::new(), store("vault"));
        block_on(bench.whose(&store, "a")).unwrap();
        bench.services.wire.fail_after(0, Fault::Drop);
        for _ in 0..5 {
            bench.services.time.advance(Duration::from_millis(10));
            assert!(block_on(bench.whose(&store, "a")).is_err());
        }
        assert!(bench.reads.is_open(&store.key));
        bench.services.wire.heal();

        bench.services.time.set_by(set_by);
        bench.services.time.advance(Duration::from_secs(31));

        assert!(block_on(bench.whose(&store, "a")).is_ok(), "{set_by:#}");
    }
}

#[test]
fn a_clock_set_forward_makes_each_read_due_once() {
    let (bench, store) = (Bench::new(), store("vault"));
    block_on(bench.whose(&store, "a")).unwrap();

    bench.services.time.set_by(DAY);
    let asked: Timestamp = bench.services.time.now();
    for _ in 0..100 {
        block_on(bench.asked(&store, "a", asked)).unwrap();
    }

    assert_eq!(bench.sent(), 2, "everyone who is due shares one read");
}
