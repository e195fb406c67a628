//! The governor by example, and under random answers, cancellations and clock jumps.

use proptest::prelude::*;

use super::*;

fn at(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds).unwrap()
}

fn go(governor: &mut Governor, now: i64) -> Ticket {
    match governor.admit(at(now)) {
        Admission::Go(ticket) => ticket,
        other => panic!("not admitted: {other:?}"),
    }
}

fn fail(governor: &mut Governor, now: i64) {
    let ticket = go(governor, now);
    governor.done(ticket, Ended::Unreachable, at(now));
}

fn tripped(now: i64) -> Governor {
    let mut governor = Governor::default();
    for _ in 0..TRIPS {
        fail(&mut governor, now);
    }
    governor
}

#[test]
fn concurrency_is_bounded_and_grows_only_when_it_is_used() {
    let mut governor = Governor::default();
    let mut tickets: Vec<Ticket> = (0..32).map(|_| go(&mut governor, 0)).collect();
    assert_eq!(governor.admit(at(0)), Admission::Busy);

    for _ in 0..320 {
        governor.done(tickets.pop().unwrap(), Ended::Answered, at(1));
        tickets.push(go(&mut governor, 1));
    }
    assert!(governor.limit() > 40.0, "{}", governor.limit());

    let mut idle = Governor::default();
    for now in 0..1_000 {
        let ticket = go(&mut idle, now);
        idle.done(ticket, Ended::Answered, at(now));
    }
    assert!(idle.limit() <= FIRST);
}

#[test]
fn a_throttle_halves_the_limit_once_and_pauses_everyone() {
    let mut governor = Governor::default();
    let tickets: Vec<Ticket> = (0..8).map(|_| go(&mut governor, 0)).collect();
    let told = Some(Duration::from_secs(4));
    for ticket in tickets {
        governor.done(ticket, Ended::Throttled(told), at(10));
    }

    assert!((governor.limit() - FIRST / 2.0).abs() < 0.01);
    assert_eq!(governor.admit(at(4_009)), Admission::Throttled(at(4_010)));
    assert!(matches!(governor.admit(at(4_010)), Admission::Go(_)));
}

#[test]
fn throttles_without_a_time_pause_longer_each_time() {
    let mut governor = Governor::default();
    let mut now = 0;
    let mut pauses = Vec::new();
    for _ in 0..7 {
        let ticket = go(&mut governor, now);
        governor.done(ticket, Ended::Throttled(None), at(now));
        let Admission::Throttled(until) = governor.admit(at(now)) else {
            panic!("no pause");
        };
        pauses.push((until.as_millisecond() - now) / 1_000);
        now = until.as_millisecond();
    }

    assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
}

#[test]
fn one_failure_does_not_close_a_store_but_three_in_a_row_do() {
    let mut governor = Governor::default();
    fail(&mut governor, 0);
    fail(&mut governor, 0);
    let ticket = go(&mut governor, 0);
    governor.done(ticket, Ended::Answered, at(0));
    fail(&mut governor, 0);
    fail(&mut governor, 0);
    assert!(!governor.is_open());

    fail(&mut governor, 0);

    assert!(governor.is_open());
    assert_eq!(governor.admit(at(999)), Admission::Open(at(1_000)));
}

#[test]
fn an_open_breaker_admits_a_single_probe() {
    let mut governor = tripped(0);

    let probe = go(&mut governor, 1_000);
    assert!(probe.probe);
    assert!(matches!(governor.admit(at(1_000)), Admission::Open(_)));
    let back = governor.done(probe, Ended::Answered, at(1_100));

    assert!(back);
    assert!(!go(&mut governor, 1_100).probe);
    assert!(governor.limit() <= AFTER_OUTAGE);
}

#[test]
fn probes_back_off_from_one_to_thirty_seconds() {
    let mut governor = tripped(0);
    let mut waits = Vec::new();
    let mut now = 0;
    for _ in 0..7 {
        let next = governor.next_probe().unwrap().as_millisecond();
        waits.push((next - now) / 1_000);
        now = next;
        let probe = go(&mut governor, now);
        governor.done(probe, Ended::Unreachable, at(now));
    }

    assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
}

#[test]
fn an_answer_to_a_call_from_before_the_outage_does_not_close_the_breaker() {
    let mut governor = Governor::default();
    let early = go(&mut governor, 0);
    for _ in 0..TRIPS {
        fail(&mut governor, 1);
    }

    assert!(!governor.done(early, Ended::Answered, at(2)));
    assert!(governor.is_open());
}

#[test]
fn a_cancelled_probe_lets_the_next_one_go() {
    let mut governor = tripped(0);
    let probe = go(&mut governor, 1_000);
    governor.done(probe, Ended::Cancelled, at(1_000));

    assert!(go(&mut governor, 1_001).probe);
}

#[test]
fn a_clock_that_is_set_back_does_not_keep_a_store_closed() {
    let hour = 3_600_000;
    let mut governor = tripped(10 * hour);

    assert!(go(&mut governor, hour).probe);
}

#[derive(Clone, Debug)]
enum Step {
    Admit,
    End(usize, Ended),
    Advance(i64),
}

fn step() -> impl Strategy<Value = Step> {
    let ended = prop_oneof![
        Just(Ended::Answered),
        Just(Ended::Answered),
        (0..9_000_u64).prop_map(|told| Ended::Throttled(Some(Duration::from_millis(told)))),
        Just(Ended::Throttled(None)),
        Just(Ended::Unreachable),
        Just(Ended::Cancelled),
    ];
    prop_oneof![
        Just(Step::Admit),
        Just(Step::Admit),
        (0..8_usize, ended).prop_map(|(which, ended)| Step::End(which, ended)),
        (-5_000..20_000_i64).prop_map(Step::Advance),
    ]
}

proptest! {
    #[test]
    fn limits_hold_and_the_store_is_always_usable_again(
        steps in proptest::collection::vec(step(), 0..300),
    ) {
        let (mut governor, mut now) = (Governor::default(), 1_000_000_000_i64);
        let mut tickets: Vec<Ticket> = Vec::new();
        for step in steps {
            match step {
                Step::Admit => {
                    let open = governor.is_open();
                    if let Admission::Go(ticket) = governor.admit(at(now)) {
                        prop_assert_eq!(ticket.probe, open);
                        tickets.push(ticket);
                    }
                }
                Step::End(which, ended) if !tickets.is_empty() => {
                    let ticket = tickets.remove(which % tickets.len());
                    governor.done(ticket, ended, at(now));
                }
                Step::End(..) => {}
                Step::Advance(by) => now += by,
            }
            prop_assert!(tickets.iter().filter(|ticket| ticket.probe).count() <= 1);
            prop_assert_eq!(governor.in_flight() as usize, tickets.len());
            prop_assert!((1.0..=MOST).contains(&governor.limit()));
        }

        for ticket in tickets.drain(..) {
            governor.done(ticket, Ended::Answered, at(now));
        }
        now += span(LONGEST_TOLD);
        let ticket = go(&mut governor, now);
        governor.done(ticket, Ended::Answered, at(now));
        prop_assert!(!governor.is_open());
    }
}
