//! Reads that go out together.

use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use futures_util::future::{join, join_all};
use lockstep_provider_api::conformance::{ManualTime, block_on};

use super::*;

/// Answers each key with itself once there is a turn, and notes what was asked together.
#[derive(Clone)]
struct Echo {
    asked: Arc<Mutex<Vec<Vec<String>>>>,
    turns: Arc<Semaphore>,
}

impl Echo {
    fn with_turns(turns: usize) -> Self {
        Self {
            asked: Arc::default(),
            turns: Arc::new(Semaphore::new(turns)),
        }
    }

    fn asked(&self) -> Vec<Vec<String>> {
        self.asked.lock().unwrap().clone()
    }
}

impl Store for Echo {
    async fn get(&self, _: &RemoteRef) -> Result<SecretValue> {
        Err(Error::new(ErrorKind::Internal, "not one by one"))
    }

    async fn get_many(&self, references: &[RemoteRef]) -> Vec<Result<SecretValue>> {
        let keys = references.iter().map(|reference| reference.key.clone());
        self.asked.lock().unwrap().push(keys.collect());
        self.turns.acquire().await.unwrap().forget();
        let answers = references.iter().map(|reference| match &*reference.key {
            "gone" => Err(Error::not_found()),
            key => Ok(SecretValue::from(key)),
        });
        answers.collect()
    }
}

fn open(turns: usize, size: usize) -> (Echo, ManualTime, SharedStore) {
    let (echo, time) = (Echo::with_turns(turns), ManualTime::new());
    let store = batched(Arc::new(echo.clone()), size, Arc::new(time.clone()));
    (echo, time, store)
}

fn text(answer: Result<SecretValue>) -> String {
    match answer {
        Ok(value) => value.expose_utf8().unwrap().to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Polls once.
fn polled<T>(future: &mut BoxFuture<'_, T>) -> Poll<T> {
    future.poll_unpin(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn reads_at_the_same_time_go_out_together_and_each_gets_its_own_answer() {
    let (echo, time, store) = open(2, 3);
    let keys = ["a", "gone", "b", "c"].map(RemoteRef::key);

    let reads = join_all(keys.iter().map(|key| store.get(key)));
    let (answers, ()) = block_on(join(reads, async { time.advance(BUSY_WINDOW) }));

    let texts: Vec<String> = answers.into_iter().map(text).collect();
    assert_eq!(texts, ["a", "Secret does not exist", "b", "c"]);
    assert_eq!(echo.asked(), [vec!["a", "gone", "b"], vec!["c"]]);
}

#[test]
fn a_full_batch_waits_for_nothing() {
    let (echo, _time, store) = open(1, 2);
    let keys = ["a", "b"].map(RemoteRef::key);

    let answers = block_on(join_all(keys.iter().map(|key| store.get(key))));

    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(echo.asked(), [["a", "b"]]);
}

#[test]
fn while_a_batch_is_under_way_the_next_one_collects_until_it_returns() {
    let (echo, time, store) = open(0, 20);
    let keys = ["a", "b", "c", "d"].map(RemoteRef::key);
    let mut reads: Vec<_> = keys.iter().map(|key| store.get(key)).collect();
    assert!(polled(&mut reads[0]).is_pending());
    time.advance(WINDOW);
    assert!(polled(&mut reads[0]).is_pending());
    assert_eq!(echo.asked(), [["a"]], "under way");

    for read in &mut reads[1..] {
        assert!(polled(read).is_pending());
        time.advance(BUSY_WINDOW);
        assert!(polled(read).is_pending());
    }
    assert_eq!(echo.asked(), [["a"]], "they wait for the first");
    echo.turns.add_permits(2);
    let answers = block_on(join_all(reads));

    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(echo.asked(), [vec!["a"], vec!["b", "c", "d"]]);
}

#[test]
fn a_batch_that_does_not_return_holds_the_next_one_up_for_a_second_at_most() {
    let (echo, time, store) = open(0, 20);
    let (a, b) = (RemoteRef::key("a"), RemoteRef::key("b"));
    let (mut first, mut second) = (store.get(&a), store.get(&b));
    assert!(polled(&mut first).is_pending());
    time.advance(WINDOW);
    assert!(polled(&mut first).is_pending());
    assert!(polled(&mut second).is_pending());
    time.advance(BUSY_WINDOW);
    assert!(polled(&mut second).is_pending());
    assert_eq!(echo.asked(), [["a"]]);

    time.advance(PATIENCE);
    assert!(polled(&mut second).is_pending());

    assert_eq!(echo.asked(), [["a"], ["b"]]);
}

#[test]
fn a_batch_that_everyone_left_gives_its_turn_back() {
    let (echo, time, store) = open(0, 20);
    let (a, b) = (RemoteRef::key("a"), RemoteRef::key("b"));
    let mut left = store.get(&a);
    assert!(polled(&mut left).is_pending());
    time.advance(WINDOW);
    assert!(polled(&mut left).is_pending());
    drop(left);

    let mut next = store.get(&b);
    assert!(polled(&mut next).is_pending());
    time.advance(BUSY_WINDOW);
    assert!(polled(&mut next).is_pending());

    assert_eq!(echo.asked(), [["a"], ["b"]]);
    echo.turns.add_permits(1);
    assert_eq!(text(block_on(next)), "b");
}

#[test]
fn a_finished_batch_keeps_no_value() {
    let (_echo, time, batched) = {
        let (echo, time) = (Echo::with_turns(1), ManualTime::new());
        let batched = Batched::new(Arc::new(echo.clone()), 20, Arc::new(time.clone()));
        (echo, time, batched)
    };
    let key = RemoteRef::key("a");

    let (answer, ()) = block_on(join(Store::get(&batched, &key), async {
        time.advance(WINDOW);
    }));

    assert!(answer.is_ok());
    assert!(batched.open.lock().is_none());
}
