//! Who asks for a token, how often, and what a failure means for the others.

use std::sync::atomic::AtomicUsize;

use futures_util::future::join_all;

use super::*;
use crate::conformance::{ManualTime, block_on};

const HOUR: u64 = 3600;

struct Endpoint {
    asked: AtomicUsize,
    time: ManualTime,
}

impl Endpoint {
    fn new(time: &ManualTime) -> Self {
        Self {
            asked: AtomicUsize::new(0),
            time: time.clone(),
        }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    async fn answer(&self) -> Result<AccessToken> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        yield_now().await;
        let value = SecretValue::from(format!("token {number}"));
        Ok(AccessToken::lasting(value, HOUR, self.time.now()))
    }

    async fn refuse(&self, kind: ErrorKind) -> Result<AccessToken> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        yield_now().await;
        Err(Error::new(kind, "no"))
    }
}

fn key(name: &str) -> Fingerprint {
    Fingerprint::of(["test", name])
}

/// Lets the others run first.
async fn yield_now() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return std::task::Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

#[test]
fn many_callers_cause_one_request() {
    let (cache, time) = (TokenCache::default(), ManualTime::new());
    let endpoint = Endpoint::new(&time);

    let all = (0..50).map(|_| cache.get(key("a"), &time, || endpoint.answer()));
    let tokens = block_on(join_all(all));

    assert_eq!(endpoint.asked(), 1);
    assert!(
        tokens
            .into_iter()
            .all(|token| token.unwrap() == "token 1".into())
    );
}

#[test]
fn another_identity_gets_another_token() {
    let (cache, time) = (TokenCache::default(), ManualTime::new());
    let endpoint = Endpoint::new(&time);

    let one = block_on(cache.get(key("a"), &time, || endpoint.answer())).unwrap();
    let other = block_on(cache.get(key("b"), &time, || endpoint.answer())).unwrap();

    assert_ne!(one, other);
    assert_ne!(Fingerprint::of(["ab", "c"]), Fingerprint::of(["a", "bc"]));
}

#[test]
fn a_token_is_renewed_before_it_ends() {
    let (cache, time) = (TokenCache::default(), ManualTime::new());
    let endpoint = Endpoint::new(&time);
    let get = || block_on(cache.get(key("a"), &time, || endpoint.answer())).unwrap();

    get();
    time.advance(Duration::from_secs(HOUR * 69 / 100));
    assert_eq!(get(), "token 1".into());
    time.advance(Duration::from_secs(HOUR * 12 / 100));

    assert_eq!(get(), "token 2".into());
}

#[test]
fn an_old_token_serves_while_its_renewal_fails_and_the_endpoint_gets_a_pause() {
    let (cache, time) = (TokenCache::default(), ManualTime::new());
    let endpoint = Endpoint::new(&time);
    block_on(cache.get(key("a"), &time, || endpoint.answer())).unwrap();
    time.advance(Duration::from_secs(HOUR * 85 / 100));

    let broken =
        || block_on(cache.get(key("a"), &time, || endpoint.refuse(ErrorKind::Unreachable)));
    for _ in 0..5 {
        assert_eq!(broken().unwrap(), "token 1".into());
    }
    assert_eq!(endpoint.asked(), 2);

    time.advance(Duration::from_secs(HOUR * 15 / 100));
    assert_eq!(broken().unwrap_err().kind(), &ErrorKind::Unreachable);
}

#[test]
fn a_failure_is_shared_by_those_who_waited_and_a_refusal_is_believed_for_a_moment() {
    let (cache, time) = (TokenCache::default(), ManualTime::new());
    let endpoint = Endpoint::new(&time);
    let denied = || {
        cache.get(key("a"), &time, || {
            endpoint.refuse(ErrorKind::Unauthenticated)
        })
    };

    let answers = block_on(join_all((0..50).map(|_| denied())));
    block_on(denied()).unwrap_err();
    assert_eq!(endpoint.asked(), 1);
    assert!(answers.iter().all(Result::is_err));

    time.advance(Duration::from_secs(4));
    block_on(denied()).unwrap_err();
    assert_eq!(endpoint.asked(), 2);
}

#[test]
fn a_refused_token_is_dropped_unless_a_newer_one_is_there() {
    let (cache, time) = (TokenCache::default(), ManualTime::new());
    let endpoint = Endpoint::new(&time);
    let get = || block_on(cache.get(key("a"), &time, || endpoint.answer())).unwrap();

    let first = get();
    cache.forget(key("a"), &first);
    let second = get();
    cache.forget(key("a"), &first);

    assert_eq!(second, "token 2".into());
    assert_eq!(get(), second);
}
