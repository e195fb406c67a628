//! Objects that read the same remote secrets are kept fresh by one read each, and cost nothing while
//! nothing changes.

use lockstep_testkit::controlplane::Cluster;

use crate::process::{Room, fleet, metric, operator, put_store, until};

const RUNS: &str = "controller_runtime_reconcile_total";
const REQUESTS: &str = "rest_client_requests_total";
const CALLS: &str = "lockstep_provider_calls_total";

#[test]
fn a_fleet_over_three_remote_secrets_idles_on_three_reads_a_turn() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let operator = operator(cluster, &[&room.flag()]);
    fleet(&room, &[("a", "1"), ("b", "2"), ("c", "3")], 40, "2s");
    room.all_ready(40);
    until("sharing by all", || {
        let shared = metric(&operator, "lockstep_shared_read_subscribers", "");
        if shared >= 40 {
            Ok(shared)
        } else {
            Err(shared)
        }
    });
    // What the first syncs left behind (events, a second run here and there) settles first.
    let quiet = || {
        (
            metric(&operator, RUNS, "controller=\"externalsecret\""),
            metric(&operator, REQUESTS, "method=\"PATCH\""),
        )
    };
    let calls = || metric(&operator, CALLS, "call=\"get\"");
    let before = until("quiet", || {
        let (first, read) = (quiet(), calls());
        // Three refreshes of the three shared reads go by.
        until("three refreshes", || {
            let now = calls();
            if now >= read + 9 { Ok(now) } else { Err(now) }
        });
        if quiet() == first {
            Ok(first)
        } else {
            Err(first)
        }
    });

    assert_eq!(metric(&operator, "lockstep_shared_reads", ""), 3);
    assert!(before.0 >= 40);

    put_store(&room, &[("a", "new"), ("b", "2"), ("c", "3")]);
    until("the new value in every Secret", || {
        let secrets = room.secrets();
        let new = secrets
            .iter()
            .filter(|secret| secret["data"]["a"] == "bmV3");
        let new = new.count();
        if new == 40 { Ok(new) } else { Err(new) }
    });
}
