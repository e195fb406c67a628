use super::*;

type Reads = SingleFlight<&'static str, u32>;

fn at(seconds: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds)
}

/// Joins a read of `key` that a caller asked for at `asked`; a new read has the handle `new`.
fn join(reads: &mut Reads, key: &'static str, asked: i64, new: u32) -> Joined<u32> {
    reads.join(&key, at(asked), |_| new)
}

/// A read of `k` that started at 10 s and was answered for `expected` announced callers.
fn answered(expected: usize) -> (Reads, ReadId) {
    let mut reads = Reads::default();
    let read = join(&mut reads, "k", 9, 1);
    reads.started(&"k", read.id, at(10));
    reads.answered(&"k", read.id, expected);
    (reads, read.id)
}

#[test]
fn callers_of_one_key_join_the_read_that_waits_for_a_slot() {
    let mut reads = Reads::default();

    let first = join(&mut reads, "k", 1, 1);
    let second = join(&mut reads, "k", 100, 2);
    let other = join(&mut reads, "other", 1, 3);

    assert!(first.is_new && other.is_new && !second.is_new);
    assert_eq!((second.id, second.read), (first.id, 1));
    assert_eq!(reads.len(), 2);
}

#[test]
fn a_caller_that_asks_after_the_start_gets_a_read_of_its_own() {
    let mut reads = Reads::default();
    let first = join(&mut reads, "k", 1, 1);
    reads.started(&"k", first.id, at(10));

    let before = join(&mut reads, "k", 10, 2);
    let after = join(&mut reads, "k", 11, 3);

    assert_eq!((before.read, before.is_new), (1, false));
    assert_eq!((after.read, after.is_new), (3, true));
}

#[test]
fn a_held_answer_serves_callers_that_asked_before_its_read_started() {
    let (mut reads, id) = answered(0);

    assert_eq!(join(&mut reads, "k", 10, 2).id, id);
    assert!(join(&mut reads, "k", 11, 2).is_new);
}

#[test]
fn a_read_that_was_replaced_changes_nothing_any_more() {
    let (mut reads, old) = answered(0);
    let new = join(&mut reads, "k", 20, 2);

    reads.started(&"k", old, at(30));
    reads.answered(&"k", old, 7);
    reads.remove(&"k", old);

    let joined = join(&mut reads, "k", 100, 3);
    assert_eq!(
        (joined.id, joined.read),
        (new.id, 2),
        "it still waits for a slot"
    );
}

#[test]
fn an_answer_is_held_for_five_seconds() {
    let (mut reads, _) = answered(0);

    reads.sweep(at(14), |_| true);
    assert_eq!(reads.len(), 1);
    reads.sweep(at(15), |_| true);

    assert!(reads.is_empty());
}

#[test]
fn an_answer_is_held_for_a_minute_while_announced_callers_are_missing() {
    let (mut reads, id) = answered(2);

    reads.taken(&"k", id);
    reads.sweep(at(69), |_| true);
    assert_eq!(reads.len(), 1, "one caller is missing");
    reads.taken(&"k", id);
    reads.sweep(at(69), |_| true);

    assert!(reads.is_empty());

    let (mut reads, _) = answered(2);
    reads.sweep(at(70), |_| true);
    assert!(reads.is_empty(), "a minute is the longest time");
}

#[test]
fn a_clock_that_is_set_back_drops_held_answers() {
    let (mut reads, _) = answered(1);

    reads.sweep(at(9), |_| true);

    assert!(reads.is_empty());
}

#[test]
fn a_read_without_an_answer_is_kept_as_long_as_somebody_awaits_it() {
    let mut reads = Reads::default();
    let queued = join(&mut reads, "queued", 1, 1);
    let started = join(&mut reads, "started", 1, 2);
    reads.started(&"started", started.id, at(2));

    reads.sweep(at(1_000), |_| true);
    assert_eq!(reads.len(), 2);
    reads.sweep(at(1_000), |handle| *handle == queued.read);

    assert_eq!(join(&mut reads, "queued", 1, 9).id, queued.id);
    assert!(join(&mut reads, "started", 1, 9).is_new);
}

#[test]
fn sweeps_are_a_second_apart_unless_the_clock_is_set_back() {
    let (mut reads, _) = answered(0);
    reads.sweep(at(14), |_| true);

    reads.sweep_if_due(at(14) + SignedDuration::from_millis(999), |_| true);
    assert_eq!(reads.len(), 1);
    reads.sweep_if_due(at(15), |_| true);
    assert!(reads.is_empty());

    let (mut reads, _) = answered(0);
    reads.sweep(at(14), |_| true);
    reads.sweep_if_due(at(8), |_| true);
    assert!(reads.is_empty(), "a sweep from the future does not count");
}

#[test]
fn at_capacity_every_answer_goes_and_no_read_under_way_does() {
    let mut reads = SingleFlight::<usize, ()>::default();
    for key in 0..CAPACITY {
        let read = reads.join(&key, at(1), |_| ());
        if key % 2 == 0 {
            reads.started(&key, read.id, at(2));
            reads.answered(&key, read.id, 1);
        }
    }

    reads.sweep_if_due(at(2), |()| true);

    assert_eq!(reads.len(), CAPACITY / 2);
}

#[test]
fn a_store_that_changed_loses_its_reads() {
    let mut reads = Reads::default();
    let gone = join(&mut reads, "a/1", 1, 1);
    join(&mut reads, "b/1", 1, 2);

    reads.retain(|key| !key.starts_with("a/"));
    reads.started(&"a/1", gone.id, at(2));

    assert_eq!(reads.len(), 1);
    assert!(join(&mut reads, "a/1", 1, 3).is_new);
}
