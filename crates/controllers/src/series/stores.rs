//! Series by store: how old the values of its objects are, and who calls it how often. Few stores,
//! so few series, however many objects there are.

use std::sync::Arc;

use lockstep_plan::StoreKey;
use lockstep_runtime::metrics::{Family, Kind, Page, Rows, number};

use crate::context::Context;

const STALENESS: Family = Family {
    name: "lockstep_staleness_seconds",
    kind: Kind::Gauge,
    help: "Time since the last refresh of a store's ExternalSecrets, by quantile",
};
const OVERDUE: Family = Family {
    name: "lockstep_overdue_seconds",
    kind: Kind::Gauge,
    help: "Time by which the most neglected ExternalSecret of a store is late",
};
const LATE: Family = Family {
    name: "lockstep_overdue_external_secrets",
    kind: Kind::Gauge,
    help: "ExternalSecrets of a store whose refresh is late",
};
const CALLS: Family = Family {
    name: "lockstep_provider_calls_total",
    kind: Kind::Counter,
    help: "Calls to a store by the namespace they were made for, before batching",
};

/// Shares of a store's objects, in percent, and the label of each.
const QUANTILES: [(usize, &str); 3] = [(50, "0.5"), (90, "0.9"), (100, "1")];

/// Series of stores.
pub(crate) struct ByStore(pub(crate) Arc<Context>);

impl Rows for ByStore {
    fn families(&self) -> &'static [Family] {
        &[STALENESS, OVERDUE, LATE, CALLS]
    }

    fn page(&self, family: &Family, _: Option<String>, page: &mut Page<'_>) -> Option<String> {
        if family.name == CALLS.name {
            self.calls(page);
        } else {
            self.freshness(family, page);
        }
        None
    }
}

impl ByStore {
    fn freshness(&self, family: &Family, page: &mut Page<'_>) {
        let context = &self.0;
        let refreshed = |key: &_| context.schedule.shared_reads.refreshed(key);
        let now = context.now();
        let found = context.index.external_secrets().freshness(now, refreshed);
        for store in found {
            let (kind, labels) = (store.store.kind.to_string(), labels(&store.store));
            let labels = [("kind", kind.as_str()), labels[0], labels[1]];
            match family.name {
                name if name == OVERDUE.name => page.sample(&labels, store.overdue.into()),
                name if name == LATE.name => page.sample(&labels, store.late.into()),
                _ => {
                    for (percent, quantile) in QUANTILES {
                        let labels = [&labels[..], &[("quantile", quantile)]].concat();
                        page.sample(&labels, store.quantile(percent).into());
                    }
                }
            }
        }
    }

    fn calls(&self, page: &mut Page<'_>) {
        self.0.remote.calls().each(|call, count| {
            let kind = call.store.kind.to_string();
            let labels = [
                ("kind", kind.as_str()),
                // A SecretStore is called for its own namespace only.
                ("namespace", call.caller.as_str()),
                ("name", call.store.name.as_str()),
                ("call", call.name),
                ("status", if call.failed { "error" } else { "success" }),
            ];
            page.sample(&labels, number(count));
        });
    }
}

fn labels(store: &StoreKey) -> [(&'static str, &str); 2] {
    let namespace = store.namespace.as_deref().unwrap_or_default();
    [("namespace", namespace), ("name", &store.name)]
}
