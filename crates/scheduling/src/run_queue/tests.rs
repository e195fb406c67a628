use super::*;
use crate::slots::Class;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn claim(namespace: u64, store: u64) -> Claim {
    let store = Some(store);
    Claim {
        class: Class { namespace, store },
        target: None,
    }
}

/// A claim for a target, in a class of its own.
fn writes(target: u64, store: u64) -> Claim {
    let target = Some(target);
    Claim {
        target,
        ..claim(1, store)
    }
}

fn after(seconds: i64) -> Timestamp {
    NOW + SignedDuration::from_secs(seconds)
}

/// Starts the only object of a queue.
fn started(queue: &mut RunQueue<u32>, now: Timestamp) -> Started<u32> {
    let job = queue.pop(now).unwrap();
    queue.start(job, Some(claim(1, 1)), 64, now).unwrap()
}

fn finish(queue: &mut RunQueue<u32>, started: &Started<u32>, next: Next, now: Timestamp) {
    let Started { job, claim } = started;
    queue.finish((&job.key, job.run, *claim), next, now, 0.0);
}

#[test]
fn parked_namespaces_are_served_round_robin() {
    let mut queue = RunQueue::default();
    // Namespace 1 in ten stores, each with a lower number than any of the others'.
    for key in (1_000..2_000).chain(2_000..2_010).chain(3_000..3_010_u32) {
        queue.fresh(key, NOW);
    }
    while let Some(job) = queue.pop(NOW) {
        let (namespace, store) = (u64::from(job.key / 1_000), u64::from(job.key / 100));
        assert!(
            queue
                .start(job, Some(claim(namespace, store)), 0, NOW)
                .is_none()
        );
    }

    let mut order = Vec::new();
    for _ in 0..9 {
        let next = queue.start_parked(64, NOW).unwrap();
        order.push(next.job.key / 1_000);
    }

    assert_eq!(order, [1, 2, 3, 1, 2, 3, 1, 2, 3]);
}

#[test]
fn a_parked_job_starts_when_its_class_gives_a_slot_back() {
    let mut queue = RunQueue::default();
    queue.fresh(1, NOW);
    queue.fresh(2, NOW);
    let first = started(&mut queue, NOW);
    let job = queue.pop(NOW).unwrap();
    assert!(queue.start(job, Some(claim(1, 1)), 1, NOW).is_none());
    assert!(queue.start_parked(1, after(1)).is_none());

    finish(&mut queue, &first, Next::Idle, after(2));
    let second = queue.start_parked(2, after(2)).unwrap();

    assert_eq!((second.job.key, second.job.waited.as_secs()), (2, 2));
}

#[test]
fn a_job_without_a_claim_takes_any_slot() {
    let mut queue = RunQueue::default();
    queue.fresh(1, NOW);
    let job = queue.pop(NOW).unwrap();

    assert!(queue.start(job, None, 0, NOW).is_some());
}

#[test]
fn statistics_count_parked_jobs_and_how_long_they_wait() {
    let mut queue = RunQueue::default();
    queue.fresh(1, NOW);
    let job = queue.pop(after(3)).unwrap();
    queue.start(job, Some(claim(1, 1)), 0, after(3));

    let stats = queue.stats(after(10));

    assert_eq!((stats.parked, stats.oldest.as_secs()), (1, 10));
}

#[test]
fn failures_in_a_row_back_off_and_a_success_resets_the_backoff() {
    let mut queue = RunQueue::default();
    queue.fresh(1, NOW);
    let mut deadlines = Vec::new();
    let limit = Duration::from_secs(3);
    let results = [
        Next::Failed,
        Next::Again,
        Next::FailedWithin(limit),
        Next::FailedUntil(after(100)),
        Next::At(after(200)),
        Next::Failed,
    ];
    let mut now = NOW;
    for next in results {
        let run = started(&mut queue, now);
        finish(&mut queue, &run, next, now);
        let deadline = queue.next_deadline().unwrap();
        deadlines.push(deadline.duration_since(now).as_secs());
        now = deadline;
    }

    assert_eq!(deadlines, [1, 2, 3, 94, 100, 1]);
}

#[test]
fn an_object_whose_backoff_is_reset_waits_one_second_again() {
    let mut queue = RunQueue::default();
    queue.fresh(1, NOW);
    let mut now = NOW;
    for _ in 0..5 {
        let run = started(&mut queue, now);
        finish(&mut queue, &run, Next::Failed, now);
        now = queue.next_deadline().unwrap();
    }

    queue.reset_backoff(&1);
    let run = started(&mut queue, now);
    finish(&mut queue, &run, Next::Failed, now);

    let delay = queue.next_deadline().unwrap().duration_since(now);
    assert_eq!(delay.as_secs(), 1);
}

#[test]
fn jobs_of_one_target_run_one_after_the_other_in_the_order_they_came() {
    let mut queue = RunQueue::default();
    for key in [3, 1, 2] {
        queue.fresh(key, NOW);
    }
    let start = |queue: &mut RunQueue<u32>| {
        let job = queue.pop(NOW).unwrap();
        let claim = writes(7, u64::from(job.key));
        queue.start(job, Some(claim), 64, NOW)
    };

    let first = start(&mut queue).unwrap();
    assert!(start(&mut queue).is_none() && start(&mut queue).is_none());
    assert!(queue.start_parked(64, NOW).is_none());
    assert_eq!(queue.stats(after(2)).oldest.as_secs(), 2);

    finish(&mut queue, &first, Next::Idle, NOW);
    let second = queue.start_parked(64, NOW).unwrap();
    assert!(queue.start_parked(64, NOW).is_none());
    finish(&mut queue, &second, Next::Idle, NOW);
    let third = queue.start_parked(64, NOW).unwrap();

    assert_eq!([first, second, third].map(|run| run.job.key), [3, 1, 2]);
}

#[test]
fn a_job_keeps_its_turn_at_a_target_while_its_class_has_no_slot() {
    let mut queue = RunQueue::default();
    queue.fresh(1, NOW);
    queue.fresh(2, NOW);
    let job = queue.pop(NOW).unwrap();
    assert!(queue.start(job, Some(writes(7, 1)), 0, NOW).is_none());
    let job = queue.pop(NOW).unwrap();

    assert!(queue.start(job, Some(writes(7, 2)), 64, NOW).is_none());

    assert_eq!(queue.stats(NOW).parked, 2);
    let first = queue.start_parked(64, NOW).unwrap();
    finish(&mut queue, &first, Next::Idle, NOW);
    let second = queue.start_parked(64, NOW).unwrap();
    finish(&mut queue, &second, Next::Idle, NOW);
    assert_eq!([first, second].map(|run| run.job.key), [1, 2]);
    assert_eq!(queue.stats(NOW).parked, 0);
}
