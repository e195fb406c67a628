//! Looks at the operator's lease a few times a second, wherever the operator keeps it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use lockstep_testkit::api::Api;
use lockstep_testkit::manifest;

use crate::traces::Traces;

const POLL: Duration = Duration::from_millis(250);

/// Notes holder and renewals of the lease with this name until told to end.
pub(crate) fn watch(api: &Api, name: &str, traces: &Traces, ended: &AtomicBool) {
    let path = format!("/apis/coordination.k8s.io/v1/leases?fieldSelector=metadata.name%3D{name}");
    while !ended.load(Ordering::Relaxed) {
        // A request that fails tells nothing about the lease.
        if let Ok(list) = api.get(&path) {
            let lease = &list["items"][0];
            let renewed = manifest::text(lease, "/spec/renewTime");
            if !renewed.is_empty() {
                let holder = manifest::text(lease, "/spec/holderIdentity");
                traces.lease(holder, renewed, Instant::now());
            }
        }
        sleep(POLL);
    }
}
