//! The governor by example, and under random answers, cancellations and clock jumps.

use proptest::prelude::*;

use super::breaker::TRIPS;
use super::keys::TRIES;
use super::*;

fn at(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds).unwrap()
}

fn call(namespace: u64, key: u64) -> Call {
    Call { namespace, key }
}

/// What is decided about one call that comes now; `None` while it waits.
fn ask(governor: &mut Governor, call: Call, now: i64) -> Option<Admission> {
    let waiter = governor.wait(call);
    let decided = governor.admit(at(now));
    let own = decided.iter().find(|(who, _)| *who == waiter);
    if own.is_none() {
        governor.leave(waiter);
    }
    own.map(|(_, admission)| *admission)
}

fn go(governor: &mut Governor, call: Call, now: i64) -> Ticket {
    match ask(governor, call, now) {
        Some(Admission::Go(ticket)) => ticket,
        other => panic!("not admitted: {other:?}"),
    }
}

fn end(governor: &mut Governor, call: Call, ended: Ended, now: i64) -> Change {
    let ticket = go(governor, call, now);
    governor.done(ticket, ended, at(now))
}

/// A store that three keys failed for and no key ever answered.
fn tripped(now: i64) -> Governor {
    let mut governor = Governor::default();
    for key in 1..=TRIPS as u64 {
        end(&mut governor, call(1, key), Ended::Failed, now);
    }
    assert!(governor.is_open());
    governor
}

mod limits {
    use super::*;

    #[test]
    fn concurrency_is_bounded_and_grows_only_when_it_is_used() {
        let mut governor = Governor::default();
        let mut tickets: Vec<Ticket> = (0..32).map(|_| go(&mut governor, call(1, 1), 0)).collect();
        assert_eq!(ask(&mut governor, call(1, 1), 0), None);

        for _ in 0..320 {
            governor.done(tickets.pop().unwrap(), Ended::Answered, at(1));
            while let Some(Admission::Go(ticket)) = ask(&mut governor, call(1, 1), 1) {
                tickets.push(ticket);
            }
        }
        assert!(governor.limit() > FIRST + 4.0, "{}", governor.limit());

        let mut idle = Governor::default();
        for now in 0..1_000 {
            end(&mut idle, call(1, 1), Ended::Answered, now);
        }
        assert!(idle.limit() <= FIRST);
    }

    #[test]
    fn throttles_of_two_namespaces_halve_the_limit_once_and_pause_everyone() {
        let mut governor = Governor::default();
        let tickets: Vec<Ticket> = (0..8)
            .map(|number| go(&mut governor, call(number % 2, 1), 0))
            .collect();
        let told = Some(Duration::from_secs(4));
        for ticket in tickets {
            governor.done(ticket, Ended::Throttled(told), at(10));
        }

        assert!((governor.limit() - FIRST / 2.0).abs() < 0.01);
        let other = ask(&mut governor, call(3, 1), 1_000);
        assert_eq!(other, Some(Admission::Throttled(at(4_010))));
        go(&mut governor, call(3, 1), 4_010);
    }

    #[test]
    fn throttles_without_a_time_pause_longer_each_time() {
        let mut governor = Governor::default();
        let mut now = 0;
        let mut pauses = Vec::new();
        for _ in 0..7 {
            end(&mut governor, call(1, 1), Ended::Throttled(None), now);
            let until = governor.shares.paused(1, now).unwrap();
            pauses.push((until - now) / 1_000);
            now = until;
        }

        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
    }

    #[test]
    fn a_clock_that_is_set_back_ends_the_pauses() {
        let (minute, hour) = (60_000, 3_600_000);
        let mut governor = Governor::default();
        let told = Some(Duration::from_secs(20));
        for namespace in [1, 2] {
            let ticket = go(&mut governor, call(namespace, 1), hour);
            governor.done(ticket, Ended::Throttled(told), at(hour));
        }

        // By less than the longest pause a backend may ask for.
        let now = hour - 30 * minute;
        go(&mut governor, call(1, 1), now);
        go(&mut governor, call(3, 1), now);
    }
}

mod fairness {
    use super::*;

    #[test]
    fn one_namespace_gets_half_of_the_slots_and_leaves_room_for_the_next() {
        let mut governor = Governor::default();
        let mut held = 0;
        while let Some(Admission::Go(_)) = ask(&mut governor, call(1, held), 0) {
            held += 1;
        }

        assert_eq!(held, 32);
        for other in 2..6 {
            go(&mut governor, call(other, 1), 0);
        }
    }

    #[test]
    fn waiting_namespaces_are_served_in_turn_whatever_the_length_of_their_queues() {
        let mut governor = Governor::default();
        let many: Vec<Waiter> = (0..1_000).map(|key| governor.wait(call(1, key))).collect();
        let mut held: Vec<Ticket> = Vec::new();
        for (_, admission) in governor.admit(at(0)) {
            if let Admission::Go(ticket) = admission {
                held.push(ticket);
            }
        }
        let (second, third) = (governor.wait(call(2, 1)), governor.wait(call(3, 1)));
        let admitted = governor.admit(at(1));

        let go: Vec<Waiter> = admitted.iter().map(|(waiter, _)| *waiter).collect();
        assert_eq!(go, [second, third], "no call has to end first");
        assert_eq!(many.len() - held.len(), 968);

        // With every slot in use, the next that becomes free goes to who has waited for a turn.
        let mut full = Governor {
            limit: 2.0,
            ..Governor::default()
        };
        let a = super::go(&mut full, call(1, 1), 0);
        let b = super::go(&mut full, call(4, 1), 0);
        for key in 0..10 {
            full.wait(call(1, key));
        }
        let late = full.wait(call(2, 1));
        assert!(full.admit(at(1)).is_empty());
        full.done(a, Ended::Answered, at(2));
        let first = full.admit(at(2));
        full.done(b, Ended::Answered, at(3));
        let next = full.admit(at(3));
        let both: Vec<Waiter> = first.iter().chain(&next).map(|(who, _)| *who).collect();
        assert!(both.contains(&late), "{both:?}");
    }

    #[test]
    fn a_throttled_namespace_is_slowed_down_before_the_others_are() {
        let mut governor = Governor::default();
        let told = Some(Duration::from_mins(10));
        end(&mut governor, call(1, 1), Ended::Throttled(told), 0);

        assert_eq!(
            ask(&mut governor, call(1, 2), 1),
            Some(Admission::Throttled(at(600_000)))
        );
        end(&mut governor, call(2, 1), Ended::Answered, 1);
        assert!((governor.limit() - FIRST).abs() < 0.01);

        let mut held = 0;
        while let Some(Admission::Go(_)) = ask(&mut governor, call(1, held), 600_000) {
            held += 1;
        }
        assert_eq!(held, 16, "half of its share");
    }

    #[test]
    fn idle_namespaces_are_forgotten() {
        let mut governor = Governor::default();
        for namespace in 0..10_000 {
            end(&mut governor, call(namespace, 1), Ended::Answered, 0);
        }
        assert_eq!(governor.shares.len(), 0);

        for namespace in 0..10_000 {
            end(&mut governor, call(namespace, namespace), Ended::Failed, 0);
            end(&mut governor, call(namespace, u64::MAX), Ended::Answered, 0);
        }
        assert!(governor.shares.len() <= 1_025);
    }
}

mod keys {
    use super::*;

    #[test]
    fn one_failing_key_is_backed_off_and_the_store_stays_closed() {
        let mut governor = Governor::default();
        let (mut calls, mut now) = (0, 0);
        while now < 120_000 {
            if let Some(Admission::Go(ticket)) = ask(&mut governor, call(1, 1), now) {
                governor.done(ticket, Ended::Failed, at(now));
                calls += 1;
            }
            now += 100;
        }

        assert!(!governor.is_open());
        // Three at once, then after 1, 2, 4, 8, 16, 30, 30 seconds.
        assert_eq!(calls, TRIES + 7);
        go(&mut governor, call(1, 2), now);
    }

    #[test]
    fn an_answer_ends_the_backoff_of_a_key() {
        let mut governor = Governor::default();
        for _ in 0..TRIES {
            end(&mut governor, call(1, 1), Ended::Failed, 0);
        }
        let refused = ask(&mut governor, call(2, 1), 999);
        assert_eq!(refused, Some(Admission::Failing(at(1_000))));

        end(&mut governor, call(1, 1), Ended::Answered, 1_000);

        end(&mut governor, call(1, 1), Ended::Failed, 1_001);
        go(&mut governor, call(1, 1), 1_001);
    }

    #[test]
    fn keys_of_one_object_do_not_open_the_breaker_while_others_answer() {
        let mut governor = Governor::default();
        for key in 100..110 {
            end(&mut governor, call(2, key), Ended::Answered, 0);
        }
        let mut changes = Vec::new();
        for key in 1..=20 {
            changes.push(end(&mut governor, call(1, key), Ended::Failed, 1));
        }

        let confirming = changes.iter().filter(|one| **one == Change::ConfirmOutage);
        assert_eq!(confirming.count(), 1);
        assert!(!governor.is_open() && governor.is_confirming_outage());
        let known = governor.known_good()[0];
        end(&mut governor, known, Ended::Answered, 2);
        assert!(!governor.is_confirming_outage());
    }
}

mod breaker {
    use super::*;

    #[test]
    fn the_breaker_opens_when_no_witness_answers_either() {
        let mut governor = Governor::default();
        for (namespace, key) in [(1, 1), (2, 2), (2, 3), (2, 4), (3, 5)] {
            end(&mut governor, call(namespace, key), Ended::Answered, 0);
        }
        for key in 11..14 {
            end(&mut governor, call(1, key), Ended::Failed, 1);
        }
        let known_good = governor.known_good();
        let namespaces: BTreeSet<u64> = known_good.iter().map(|one| one.namespace).collect();
        assert_eq!(namespaces, BTreeSet::from([1, 2, 3]));

        let mut changes = Vec::new();
        for known in known_good {
            changes.push(end(&mut governor, known, Ended::Failed, 2));
        }

        assert_eq!(changes, [Change::None, Change::None, Change::Opened]);
    }

    #[test]
    fn the_last_key_that_answered_opens_the_breaker_when_it_fails_in_a_row() {
        let mut governor = Governor::default();
        end(&mut governor, call(1, 1), Ended::Answered, 0);

        let changes = [1, 2, 3].map(|now| end(&mut governor, call(1, 1), Ended::Failed, now));

        assert_eq!(changes, [Change::None, Change::None, Change::Opened]);
    }

    #[test]
    fn a_key_that_fails_beside_one_that_answered_does_not_open_the_breaker() {
        let mut governor = Governor::default();
        end(&mut governor, call(1, 1), Ended::Answered, 0);
        end(&mut governor, call(1, 2), Ended::Answered, 0);

        for now in 1..=3 {
            end(&mut governor, call(1, 1), Ended::Failed, now);
        }

        assert!(!governor.is_open());
    }

    #[test]
    fn a_witness_that_is_gone_does_not_keep_the_breaker_closed() {
        let mut governor = Governor::default();
        end(&mut governor, call(1, 1), Ended::Answered, 0);
        for key in 11..14 {
            end(&mut governor, call(1, key), Ended::Failed, 1);
        }
        assert!(!governor.is_open());

        assert_eq!(governor.forget_known_good(1, at(2)), Change::Opened);
    }

    #[test]
    fn a_server_that_cannot_be_reached_needs_no_second_key() {
        let mut governor = Governor::default();
        end(&mut governor, call(1, 1), Ended::Answered, 0);
        let changes = [1, 2, 3].map(|now| end(&mut governor, call(1, 1), Ended::Unreachable, now));

        assert_eq!(changes, [Change::None, Change::None, Change::Opened]);
        let refused = ask(&mut governor, call(1, 1), 1_002);
        assert_eq!(refused, Some(Admission::Open(at(1_003))));
    }

    #[test]
    fn an_answer_in_between_starts_the_count_over() {
        let mut governor = Governor::default();
        end(&mut governor, call(1, 1), Ended::Failed, 0);
        end(&mut governor, call(1, 2), Ended::Failed, 0);
        end(&mut governor, call(1, 3), Ended::Answered, 0);
        governor.forget_known_good(3, at(0));
        end(&mut governor, call(1, 4), Ended::Failed, 0);
        end(&mut governor, call(1, 5), Ended::Failed, 0);
        assert!(!governor.is_open());

        end(&mut governor, call(1, 6), Ended::Failed, 0);

        assert!(governor.is_open());
    }

    #[test]
    fn an_open_breaker_admits_a_single_probe_and_refuses_who_waits() {
        let mut governor = tripped(0);

        let probe = go(&mut governor, call(1, 1), 1_000);
        assert!(probe.probe);
        let other = ask(&mut governor, call(2, 9), 1_000);
        assert!(matches!(other, Some(Admission::Open(_))));
        let change = governor.done(probe, Ended::Answered, at(1_100));

        assert_eq!(change, Change::Closed);
        assert!(!go(&mut governor, call(1, 1), 1_100).probe);
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
            end(&mut governor, call(1, 1), Ended::Failed, now);
        }

        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
    }

    #[test]
    fn an_answer_to_a_call_from_before_the_outage_does_not_close_the_breaker() {
        let mut governor = Governor::default();
        let early = go(&mut governor, call(1, 9), 0);
        for key in 1..=3 {
            end(&mut governor, call(1, key), Ended::Failed, 1);
        }

        assert_eq!(governor.done(early, Ended::Answered, at(2)), Change::None);
        assert!(governor.is_open());
    }

    #[test]
    fn a_cancelled_probe_lets_the_next_one_go() {
        let mut governor = tripped(0);
        let probe = go(&mut governor, call(1, 1), 1_000);
        governor.done(probe, Ended::Cancelled, Timestamp::MIN);

        assert!(go(&mut governor, call(1, 1), 1_001).probe);
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_keep_a_breaker_open() {
        let hour = 3_600_000;
        let mut governor = tripped(10 * hour);

        assert!(go(&mut governor, call(1, 1), hour).probe);
    }
}

#[derive(Clone, Debug)]
enum Step {
    Admit(u64, u64),
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
        Just(Ended::Failed),
        Just(Ended::Cancelled),
    ];
    let call = || (0..4_u64, 0..6_u64).prop_map(|(namespace, key)| Step::Admit(namespace, key));
    prop_oneof![
        call(),
        call(),
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
                Step::Admit(namespace, key) => {
                    let open = governor.is_open();
                    governor.wait(call(namespace, key));
                    for (_, admission) in governor.admit(at(now)) {
                        if let Admission::Go(ticket) = admission {
                            prop_assert_eq!(ticket.probe, open);
                            tickets.push(ticket);
                        }
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
        for _ in 0..2_000 {
            now += span(PATIENCE);
            for (_, admission) in governor.admit(at(now)) {
                if let Admission::Go(ticket) = admission {
                    governor.done(ticket, Ended::Answered, at(now));
                }
            }
        }
        end(&mut governor, call(9, 9), Ended::Answered, now);
        prop_assert!(!governor.is_open());
        prop_assert_eq!(governor.in_flight(), 0);
    }
}
