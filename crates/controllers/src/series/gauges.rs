//! Gauges of what the process holds: rows, shared reads, connections, held values. Each of them has
//! a cap; these tell how far away it is.

use std::sync::Arc;

use lockstep_plan::StoreKey;
use lockstep_runtime::metrics::{Family, Kind, Page, Rows};

use crate::context::Context;

const fn gauge(name: &'static str, help: &'static str) -> Family {
    Family {
        name,
        kind: Kind::Gauge,
        help,
    }
}

const FAMILIES: &[Family] = &[
    gauge(
        "lockstep_mirror_rows",
        "Objects held in the mirror, by kind",
    ),
    gauge(
        "lockstep_shared_reads",
        "Remote reads that keep objects fresh",
    ),
    gauge(
        "lockstep_shared_read_subscribers",
        "ExternalSecrets kept fresh by shared reads",
    ),
    gauge(
        "lockstep_reads_held",
        "Reads under way or held for a moment",
    ),
    gauge(
        "lockstep_held_value_bytes",
        "Bytes of values held for a moment",
    ),
    gauge("lockstep_connections", "Stores with an open connection"),
    gauge("lockstep_open_breakers", "Stores that cannot be reached"),
    gauge(
        "lockstep_store_breaker_open",
        "1 for each store that cannot be reached",
    ),
    gauge(
        "lockstep_held_deletions",
        "Objects without remote secrets in stores whose deletions are held",
    ),
];

/// Gauges of one process.
pub(crate) struct Gauges(pub(crate) Arc<Context>);

impl Rows for Gauges {
    fn families(&self) -> &'static [Family] {
        FAMILIES
    }

    fn page(&self, family: &Family, _: Option<String>, page: &mut Page<'_>) -> Option<String> {
        let context = &self.0;
        if family.name == "lockstep_mirror_rows" {
            let objects = context.index.external_secrets().count();
            page.sample(&[("kind", "ExternalSecret")], float(objects));
            page.sample(
                &[("kind", "Secret")],
                float(context.index.targets().count()),
            );
            page.sample(&[("kind", "Input")], float(context.index.inputs().count()));
            page.sample(&[("kind", "Store")], float(context.index.stores().count()));
            return None;
        }
        if family.name == "lockstep_held_deletions" {
            for (store, absent) in context.schedule.deletions.held() {
                page.sample(&store_labels(&store), float(absent));
            }
            return None;
        }
        if family.name == "lockstep_store_breaker_open" {
            for store in context.remote.open_stores() {
                page.sample(&store_labels(&store), 1.0);
            }
            return None;
        }
        let (groups, reads) = (
            context.schedule.shared_reads.stats(),
            context.remote.stats(),
        );
        let value = match family.name {
            "lockstep_shared_reads" => groups.groups,
            "lockstep_shared_read_subscribers" => groups.objects,
            "lockstep_reads_held" => reads.reads,
            "lockstep_held_value_bytes" => reads.bytes,
            "lockstep_connections" => reads.connections,
            _ => reads.open_breakers,
        };
        page.sample(&[], float(value));
        None
    }
}

fn store_labels(store: &StoreKey) -> [(&'static str, &str); 3] {
    [
        ("kind", store.kind.as_str()),
        ("namespace", store.namespace.as_deref().unwrap_or_default()),
        ("name", &store.name),
    ]
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
