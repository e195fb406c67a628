//! Behaviour of the scheduler by example, and against a naive model under random interleavings.

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;
use proptest::prelude::*;

use super::*;

fn at(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds).unwrap()
}

fn popped(schedule: &mut Schedule<u8>, now: i64) -> Option<(u8, Lane)> {
    schedule.pop(at(now)).map(|job| (job.key, job.lane))
}

fn finish(schedule: &mut Schedule<u8>, key: u8, next: Option<Timestamp>) {
    if let Some(number) = schedule.numbers.get(&key).copied() {
        schedule.finish(Run(number), next);
    }
}

#[test]
fn fresh_work_runs_in_the_order_it_came() {
    let mut schedule = Schedule::default();
    for key in [3, 1, 2, 1] {
        schedule.fresh(key, at(0));
    }

    let order: Vec<u8> = std::iter::from_fn(|| popped(&mut schedule, 0))
        .map(|(key, _)| key)
        .collect();

    assert_eq!(order, [3, 1, 2]);
}

#[test]
fn due_work_runs_by_deadline_and_never_early() {
    let mut schedule = Schedule::default();
    schedule.due(1, at(20));
    schedule.due(2, at(10) + SignedDuration::from_nanos(1));

    assert_eq!(popped(&mut schedule, 10), None);
    assert_eq!(schedule.next_deadline(), Some(at(11)));
    assert_eq!(popped(&mut schedule, 30), Some((2, Lane::Due)));
    assert_eq!(popped(&mut schedule, 30), Some((1, Lane::Due)));
}

#[test]
fn a_later_deadline_replaces_an_earlier_one() {
    let mut schedule = Schedule::default();
    schedule.due(1, at(10));
    schedule.due(1, at(50));

    assert_eq!(popped(&mut schedule, 49), None);
    assert_eq!(popped(&mut schedule, 50), Some((1, Lane::Due)));
}

#[test]
fn one_dispatch_in_eight_is_kept_for_due_work() {
    let mut schedule = Schedule::default();
    for key in 0..20 {
        schedule.fresh(key, at(0));
    }
    for key in 100..103 {
        schedule.due(key, at(0));
    }

    let lanes: Vec<Lane> = std::iter::from_fn(|| popped(&mut schedule, 0))
        .map(|(_, lane)| lane)
        .collect();

    let due: Vec<usize> = (0..lanes.len())
        .filter(|place| lanes[*place] == Lane::Due)
        .collect();
    assert_eq!(due, [7, 15, 22]);
}

#[test]
fn a_trigger_during_a_run_makes_the_object_run_once_more() {
    let mut schedule = Schedule::default();
    schedule.fresh(1, at(0));
    assert!(popped(&mut schedule, 0).is_some());
    schedule.fresh(1, at(1));
    schedule.fresh(1, at(2));

    assert_eq!(popped(&mut schedule, 5), None);
    finish(&mut schedule, 1, None);
    assert_eq!(popped(&mut schedule, 5), Some((1, Lane::Fresh)));
    finish(&mut schedule, 1, None);

    assert_eq!(popped(&mut schedule, 5), None);
    assert_eq!(schedule.stats(at(5)), ScheduleStats::default());
}

#[test]
fn a_deadline_asked_for_during_a_run_is_not_lost() {
    let mut schedule = Schedule::default();
    schedule.fresh(1, at(0));
    assert!(popped(&mut schedule, 0).is_some());
    schedule.due(1, at(10));
    finish(&mut schedule, 1, Some(at(100)));

    assert_eq!(popped(&mut schedule, 10), Some((1, Lane::Due)));
}

#[test]
fn an_object_removed_during_its_run_does_not_come_back() {
    let mut schedule = Schedule::default();
    schedule.fresh(1, at(0));
    assert!(popped(&mut schedule, 0).is_some());
    schedule.fresh(1, at(0));
    schedule.remove(&1);
    finish(&mut schedule, 1, Some(at(10)));

    assert_eq!(popped(&mut schedule, 1_000), None);
    assert_eq!(schedule.stats(at(1_000)), ScheduleStats::default());
}

#[test]
fn an_object_recreated_during_its_last_run_runs_again() {
    let mut schedule = Schedule::default();
    schedule.fresh(1, at(0));
    assert!(popped(&mut schedule, 0).is_some());
    schedule.remove(&1);
    schedule.fresh(1, at(1));
    finish(&mut schedule, 1, Some(at(500)));

    assert_eq!(popped(&mut schedule, 2), Some((1, Lane::Fresh)));
}

#[test]
fn stats_tell_depth_by_lane_and_the_longest_wait() {
    let mut schedule = Schedule::default();
    schedule.fresh(4, at(0));
    schedule.fresh(1, at(40));
    schedule.due(2, at(10));
    schedule.due(3, at(500));
    schedule.pop(at(50));

    let stats = schedule.stats(at(100));

    assert_eq!(
        stats,
        ScheduleStats {
            fresh: 1,
            due: 1,
            scheduled: 1,
            running: 1,
            oldest: Duration::from_millis(90),
        }
    );
}

#[test]
fn a_clock_that_is_set_back_moves_deadlines_with_it() {
    let (day, mut schedule) = (86_400_000, Schedule::default());
    schedule.due(1, at(day + 10_000));
    schedule.due(2, at(day + 20_000));
    assert_eq!(popped(&mut schedule, day), None);

    assert_eq!(popped(&mut schedule, 0), None);
    assert_eq!(schedule.next_deadline(), Some(at(10_000)));
    assert_eq!(popped(&mut schedule, 9_999), None);
    assert_eq!(popped(&mut schedule, 10_000), Some((1, Lane::Due)));
    assert_eq!(popped(&mut schedule, 20_000), Some((2, Lane::Due)));
}

#[test]
fn a_deadline_asked_for_before_the_clock_was_set_back_and_during_a_run_comes_in_time() {
    let (day, mut schedule) = (86_400_000, Schedule::default());
    schedule.fresh(1, at(day));
    assert_eq!(popped(&mut schedule, day), Some((1, Lane::Fresh)));
    schedule.due(1, at(day + 5_000));

    assert_eq!(popped(&mut schedule, 0), None);
    finish(&mut schedule, 1, Some(at(60_000)));

    assert_eq!(popped(&mut schedule, 5_000), Some((1, Lane::Due)));
}

#[test]
fn a_deadline_computed_before_the_clock_was_set_back_is_not_kept() {
    let (hour, day) = (3_600_000, 86_400_000);
    let mut schedule = Schedule::default();
    schedule.fresh("slow", at(2 * day));
    schedule.fresh("quick", at(2 * day));
    let slow = schedule.pop(at(2 * day)).unwrap();
    let quick = schedule.pop(at(2 * day)).unwrap();

    // The clock is set back by a day, which another dispatch notices before the runs end.
    assert!(schedule.pop(at(day)).is_none());
    schedule.finish(slow.run, Some(at(2 * day + hour)));
    schedule.finish(quick.run, None);

    let next = schedule.next_deadline().unwrap().as_millisecond();
    assert!(next <= day + 2_000, "{next}");
    let again = schedule.pop(at(next)).unwrap();
    schedule.finish(again.run, Some(at(next + hour)));
    assert_eq!(schedule.next_deadline(), Some(at(next + hour)));
}

#[test]
fn a_clock_that_is_set_forward_runs_everything_once() {
    let mut schedule = Schedule::default();
    for key in 0..100 {
        schedule.due(key, at(i64::from(key) * 60_000));
    }
    let day = 86_400_000;

    let mut ran = 0;
    while let Some((key, _)) = popped(&mut schedule, day) {
        finish(&mut schedule, key, Some(at(day + 60_000)));
        ran += 1;
    }

    assert_eq!(ran, 100);
}

#[test]
fn places_given_up_do_not_pile_up() {
    let mut schedule = Schedule::default();
    schedule.fresh(0, at(0));
    for _ in 0..10_000 {
        schedule.fresh(1, at(0));
        schedule.remove(&1);
    }

    assert!(schedule.fresh.places() <= 70, "{}", schedule.fresh.places());
    assert_eq!(schedule.stats(at(0)).fresh, 1);
    assert_eq!(popped(&mut schedule, 0), Some((0, Lane::Fresh)));
}

#[derive(Clone, Debug)]
enum Step {
    SetBack(i64),
    Fresh(u8),
    Due(u8, i64),
    Remove(u8),
    Advance(i64),
    Pop,
    Finish(usize, Option<i64>),
}

fn step() -> impl Strategy<Value = Step> {
    let key = 0..6_u8;
    prop_oneof![
        key.clone().prop_map(Step::Fresh),
        (key.clone(), 0..50_i64).prop_map(|(key, wait)| Step::Due(key, wait)),
        key.prop_map(Step::Remove),
        (1..40_i64).prop_map(Step::Advance),
        (3_000..90_000_i64).prop_map(Step::SetBack),
        Just(Step::Pop),
        Just(Step::Pop),
        (0..6_usize, proptest::option::of(0..50_i64))
            .prop_map(|(who, next)| Step::Finish(who, next)),
    ]
}

/// What must hold, written without regard to cost.
#[derive(Default)]
struct Model {
    now: i64,
    running: BTreeSet<u8>,
    fresh: BTreeSet<u8>,
    due: BTreeMap<u8, i64>,
    gone: BTreeSet<u8>,
}

impl Model {
    fn ready(&self) -> BTreeSet<u8> {
        let ripe = self.due.iter().filter(|(_, at)| **at <= self.now);
        let ready = ripe.map(|(key, _)| *key).chain(self.fresh.iter().copied());
        ready.filter(|key| !self.running.contains(key)).collect()
    }

    fn apply(&mut self, step: &Step, schedule: &mut Schedule<u8>) {
        match *step {
            Step::Fresh(key) => {
                schedule.fresh(key, at(self.now));
                self.fresh.insert(key);
            }
            Step::Due(key, wait) => {
                let deadline = self.now + wait;
                schedule.due(key, at(deadline));
                let keep = self.running.contains(&key);
                let old = self.due.get(&key).copied().filter(|_| keep);
                self.due
                    .insert(key, old.map_or(deadline, |old| old.min(deadline)));
            }
            Step::Remove(key) => {
                schedule.remove(&key);
                self.fresh.remove(&key);
                self.due.remove(&key);
                if self.running.contains(&key) {
                    self.gone.insert(key);
                }
            }
            Step::Advance(by) => self.now += by,
            Step::SetBack(by) => {
                // A look at the clock before and after, as a dispatcher takes it all the time.
                self.pop(schedule);
                self.now -= by;
                for at in self.due.values_mut() {
                    *at -= by;
                }
                self.pop(schedule);
            }
            Step::Pop => {
                self.pop(schedule);
            }
            Step::Finish(place, next) => {
                let Some(key) = self.running.iter().nth(place).copied() else {
                    return;
                };
                let next = next.map(|wait| self.now + wait);
                finish(schedule, key, next.map(at));
                self.running.remove(&key);
                if let Some(next) = next.filter(|_| !self.gone.contains(&key)) {
                    let due = self.due.entry(key).or_insert(next);
                    *due = next.min(*due);
                }
                self.gone.remove(&key);
            }
        }
    }

    fn pop(&mut self, schedule: &mut Schedule<u8>) -> bool {
        let ready = self.ready();
        let Some(job) = schedule.pop(at(self.now)) else {
            assert!(ready.is_empty(), "ready but not popped: {ready:?}");
            return false;
        };
        assert!(ready.contains(&job.key), "popped without work: {job:?}");
        self.fresh.remove(&job.key);
        self.due.remove(&job.key);
        assert!(self.running.insert(job.key), "runs twice at once: {job:?}");
        true
    }
}

proptest! {
    #[test]
    fn no_interleaving_loses_work_or_runs_an_object_twice_at_once(
        steps in proptest::collection::vec(step(), 0..200),
    ) {
        let mut schedule = Schedule::default();
        let mut model = Model::default();

        for step in &steps {
            model.apply(step, &mut schedule);
            prop_assert_eq!(schedule.running(), model.running.len());
        }

        while !model.running.is_empty() {
            model.apply(&Step::Finish(0, None), &mut schedule);
        }
        model.now += 1_000;
        while model.pop(&mut schedule) {}
        prop_assert!(model.fresh.is_empty() && model.due.is_empty());
        while !model.running.is_empty() {
            model.apply(&Step::Finish(0, None), &mut schedule);
        }
        prop_assert_eq!(schedule.stats(at(model.now)), ScheduleStats::default());
        prop_assert!(schedule.numbers.is_empty() && schedule.slots.len() == 0);
    }

    #[test]
    fn due_work_waits_for_at_most_seven_fresh_runs(
        fresh in 0..100_u8,
        lead in 0..20_usize,
    ) {
        let mut schedule = Schedule::default();
        for key in 0..fresh {
            schedule.fresh(key, at(0));
        }
        for _ in 0..lead {
            schedule.pop(at(0));
        }
        schedule.due(200, at(0));

        let order: Vec<u8> = std::iter::from_fn(|| popped(&mut schedule, 0))
            .map(|(key, _)| key)
            .collect();

        let place = order.iter().position(|key| *key == 200).unwrap();
        prop_assert!(place < DUE_SHARE as usize);
    }
}
