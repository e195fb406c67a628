//! Each layer around a store whose answers are prescribed.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::conformance::{ManualTime, block_on};
use crate::context::StoreName;
use crate::error::{Error, ErrorKind};
use crate::retry::RetrySettings;

/// Answers reads in the prescribed order, then with its own call count; `None` never answers.
#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<Option<Error>>>,
    calls: Mutex<Vec<String>>,
}

impl Script {
    fn of(answers: impl IntoIterator<Item = Option<Error>>) -> Arc<Self> {
        Arc::new(Self {
            answers: Mutex::new(answers.into_iter().collect()),
            calls: Mutex::default(),
        })
    }

    fn calls(&self) -> usize {
        self.calls.lock().unwrap().len()
    }
}

impl Store for Script {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        self.calls.lock().unwrap().push(reference.key.clone());
        let next = self.answers.lock().unwrap().pop_front();
        match next {
            None => Ok(SecretValue::from("value")),
            Some(Some(error)) => Err(error),
            Some(None) => std::future::pending().await,
        }
    }

    async fn check(&self) -> Check {
        match Store::get(self, &RemoteRef::default()).await {
            Ok(_) => Check::Healthy(crate::request::Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }
}

fn reference() -> RemoteRef {
    RemoteRef::key("k")
}

fn down() -> Error {
    Error::unreachable("down")
}

fn settings(retries: u32) -> RetrySettings {
    RetrySettings {
        max_retries: Some(retries),
        interval: Some(Duration::from_secs(2)),
    }
}

fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn a_call_without_an_answer_in_time_is_unreachable() {
    let time = ManualTime::new();
    let store = timeout(
        Script::of([None]),
        Duration::from_secs(30),
        Arc::new(time.clone()),
        Arc::default(),
    );
    let reference = reference();
    let mut call = pin!(store.get(&reference));

    assert!(poll(call.as_mut()).is_pending());
    time.advance(Duration::from_secs(29));
    assert!(poll(call.as_mut()).is_pending());
    time.advance(Duration::from_secs(1));

    let Poll::Ready(Err(error)) = poll(call.as_mut()) else {
        panic!("the call must have ended");
    };
    assert_eq!(error.kind(), &ErrorKind::Unreachable);
    assert_eq!(error.to_string(), "get: no answer within 30s");
}

#[test]
fn a_batch_without_an_answer_in_time_fails_for_every_reference() {
    let time = Arc::new(ManualTime::hasty());
    let store = timeout(
        Script::of([None]),
        Duration::from_secs(1),
        time,
        Arc::default(),
    );

    let answers = block_on(store.get_many(&[reference(), reference()]));

    assert_eq!(answers.len(), 2);
    for answer in answers {
        assert_eq!(answer.unwrap_err().kind(), &ErrorKind::Unreachable);
    }
}

#[test]
fn an_outage_is_repeated_at_the_interval() {
    let time = ManualTime::hasty();
    let script = Script::of([Some(down()), Some(down())]);
    let store = retry(script.clone(), settings(3), Arc::new(time.clone()));

    assert!(block_on(store.get(&reference())).is_ok());
    assert_eq!(script.calls(), 3);
    assert_eq!(time.passed(), Duration::from_secs(4));
}

#[test]
fn repeats_end_with_the_last_error() {
    let script = Script::of([Some(down()), Some(down()), Some(down())]);
    let store = retry(script.clone(), settings(2), Arc::new(ManualTime::hasty()));

    assert!(block_on(store.get(&reference())).is_err());
    assert_eq!(script.calls(), 3);
}

#[test]
fn what_fails_the_same_way_again_is_not_repeated() {
    for kind in [
        ErrorKind::NotFound,
        ErrorKind::Denied,
        ErrorKind::Unauthenticated,
        ErrorKind::InvalidSpec,
        ErrorKind::Conflict,
    ] {
        let script = Script::of([Some(Error::new(kind.clone(), "no"))]);
        let store = retry(script.clone(), settings(3), Arc::new(ManualTime::hasty()));

        assert_eq!(block_on(store.get(&reference())).unwrap_err().kind(), &kind);
        assert_eq!(script.calls(), 1, "{kind:?}");
    }
}

#[test]
fn the_time_a_backend_gives_is_waited_for_unless_it_is_long() {
    let throttled = |seconds| {
        let error = Error::new(ErrorKind::Throttled, "slow down");
        Some(error.with_retry_after(Duration::from_secs(seconds)))
    };
    let time = ManualTime::hasty();
    let soon = retry(
        Script::of([throttled(7)]),
        settings(1),
        Arc::new(time.clone()),
    );
    let late = Script::of([throttled(300)]);
    let store = retry(late.clone(), settings(1), Arc::new(time.clone()));

    assert!(block_on(soon.get(&reference())).is_ok());
    assert_eq!(time.passed(), Duration::from_secs(7));
    assert!(block_on(store.get(&reference())).is_err());
    assert_eq!(late.calls(), 1);
}

#[test]
fn only_the_failed_part_of_a_batch_is_read_again() {
    let missing = Some(Error::not_found());
    let script = Script::of([Some(down()), missing, Some(down())]);
    let store = retry(script.clone(), settings(3), Arc::new(ManualTime::hasty()));
    let references = ["a", "b", "c"].map(RemoteRef::key);

    let answers = block_on(store.get_many(&references));

    assert!(answers[0].is_ok() && answers[2].is_ok());
    assert_eq!(
        answers[1].as_ref().unwrap_err().kind(),
        &ErrorKind::NotFound
    );
    assert_eq!(*script.calls.lock().unwrap(), ["a", "b", "c", "a", "c"]);
}

#[test]
fn a_failed_check_is_repeated_too() {
    let script = Script::of([Some(down())]);
    let store = retry(script.clone(), settings(1), Arc::new(ManualTime::hasty()));

    assert!(matches!(block_on(store.check()), Check::Healthy(_)));
    assert_eq!(script.calls(), 2);
}

#[test]
fn only_so_many_calls_run_at_once_and_a_dropped_one_makes_room() {
    let script = Script::of([None, None]);
    let store = limit(script.clone(), 1);
    let reference = reference();
    let mut first = Box::pin(store.get(&reference));
    let mut second = Box::pin(store.get(&reference));

    assert!(poll(first.as_mut()).is_pending());
    assert!(poll(second.as_mut()).is_pending());
    assert_eq!(script.calls(), 1);

    drop(first);
    assert!(poll(second.as_mut()).is_pending());
    assert_eq!(script.calls(), 2);

    drop(second);
    assert!(block_on(store.get(&reference)).is_ok());
}

#[derive(Default)]
struct Notes(Mutex<Vec<(Call, Option<&'static str>, Duration)>>);

impl Meter for Notes {
    fn observe(&self, seen: &Observation<'_>) {
        assert_eq!(seen.store.name, "prod");
        let note = (seen.call, seen.cause, seen.took);
        self.0.lock().unwrap().push(note);
    }
}

#[test]
fn calls_are_counted_with_their_cause_and_time() {
    let time = Arc::new(ManualTime::hasty());
    let notes = Arc::new(Notes::default());
    let name = StoreName {
        namespace: None,
        name: "prod".to_owned(),
    };
    let inner = retry(
        Script::of([Some(down()), Some(Error::not_found())]),
        settings(1),
        time.clone(),
    );
    let store = metrics(inner, name, notes.clone(), time);

    let _ = block_on(store.get(&reference()));
    block_on(store.get_many(&[reference()]));

    assert_eq!(
        *notes.0.lock().unwrap(),
        [
            (Call::Get, Some("NotFound"), Duration::from_secs(2)),
            (Call::GetMany, None, Duration::ZERO),
        ]
    );
}

struct Broken;

impl Store for Broken {
    async fn get(&self, _: &RemoteRef) -> Result<SecretValue> {
        panic!("a fault that names k7canary0f")
    }
}

#[test]
fn a_panic_is_the_failure_of_its_call_alone_and_its_text_is_not_told() {
    let store = contain(Arc::new(Broken));

    let one = block_on(store.get(&reference())).unwrap_err();
    let many = block_on(store.get_many(&[reference(), reference()]));

    assert_eq!(one.kind(), &ErrorKind::Internal);
    assert!(one.to_string().starts_with("get: "), "{one}");
    assert_eq!(many.len(), 2);
    for answer in many {
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Internal);
        assert!(!error.to_string().contains("k7canary0f"), "{error}");
    }
}
