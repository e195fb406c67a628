//! Several replicas, one that works.

use std::time::{Duration, Instant};

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::operator::Operator;
use serde_json::json;

use crate::faults::behind_a_wire;
use crate::process::{Room, fleet, operator, until};

fn leads(operator: &Operator) -> bool {
    let metrics = operator.metrics().unwrap_or_default();
    metrics
        .lines()
        .any(|line| line.starts_with("leader_election_master_status") && line.ends_with(" 1"))
}

/// Flags of replicas that share a lease of the room, which lasts so many seconds.
fn replica(room: &Room) -> Vec<String> {
    vec![
        room.flag(),
        format!("--leader-election-id={}", room.namespace),
        "--enable-leader-election".to_owned(),
        // Long enough for a busy machine to renew in time, and to end in time when it could not.
        "--leader-election-lease-duration=16s".to_owned(),
        "--leader-election-renew-deadline=8s".to_owned(),
        "--leader-election-retry-period=500ms".to_owned(),
    ]
}

#[test]
fn a_second_replica_takes_over_within_one_lease() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let flags = replica(&room);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
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
        began.elapsed() < Duration::from_secs(28),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn a_leader_that_is_cut_off_ends_before_another_one_leads() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let flags = replica(&room);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let (mut first, wire, _folder) = behind_a_wire(cluster, &flags);
    until("leadership of the first", || {
        if leads(&first) { Ok(()) } else { Err(()) }
    });
    let mut second = operator(cluster, &flags);
    fleet(&room, &[("a", "1")], 10, "1h");
    room.all_ready(10);
    let before = room.versions();

    wire.cut();
    until("the end of the first", || {
        // Asked in this order, so that a leader seen here was alone.
        let other = leads(&second);
        let ended = first.check().is_err();
        assert!(ended || !other, "two replicas lead at once");
        if ended { Ok(()) } else { Err(()) }
    });
    until("leadership of the second", || {
        if leads(&second) { Ok(()) } else { Err(()) }
    });

    // The new leader works, and what the old one wrote stays as it is.
    let path = format!("/api/v1/namespaces/{}/secrets/es-0", room.namespace);
    room.api
        .merge(&path, &json!({"data": {"a": "ZWRpdGVk"}}))
        .unwrap();
    room.all_say(10, "MQ==");
    let after = room.versions();
    let written = before.iter().filter(|(name, old)| after[*name] != **old);
    assert_eq!(written.count(), 1, "only the edited one was written");
    second.check().unwrap();
}
