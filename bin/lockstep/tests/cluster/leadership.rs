//! Several replicas, one that works.

use std::time::{Duration, Instant};

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::operator::Operator;

use crate::process::{Room, operator, until};

fn leads(operator: &Operator) -> bool {
    let metrics = operator.metrics().unwrap_or_default();
    metrics
        .lines()
        .any(|line| line.starts_with("leader_election_master_status") && line.ends_with(" 1"))
}

#[test]
fn a_second_replica_takes_over_within_one_lease() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let (scope, lease) = (
        room.flag(),
        format!("--leader-election-id={}", room.namespace),
    );
    let flags = [
        scope.as_str(),
        lease.as_str(),
        "--enable-leader-election",
        "--leader-election-lease-duration=4s",
        "--leader-election-renew-deadline=3s",
        "--leader-election-retry-period=500ms",
    ];
    let first = operator(cluster, &flags);
    until("leadership of the first", || {
        if leads(&first) { Ok(()) } else { Err(()) }
    });
    let second = operator(cluster, &flags);
    room.fill();
    room.synced();
    assert!(!leads(&second));

    drop(first);
    let began = Instant::now();
    until("leadership of the second", || {
        if leads(&second) { Ok(()) } else { Err(()) }
    });

    // One lease, a try of each side, and room for a busy machine.
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
}
