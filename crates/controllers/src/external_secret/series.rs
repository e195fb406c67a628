//! Series of ExternalSecrets, written from the rows of the index while a scrape runs; none are kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_runtime::metrics::{Family, Kind, Page, Rows, number};

use crate::context::Context;
use crate::series::{behind, conditions, labels};

const SYNC_CALLS: Family = Family {
    name: "externalsecret_sync_calls_total",
    kind: Kind::Counter,
    help: "Number of runs of an ExternalSecret",
};
const SYNC_ERRORS: Family = Family {
    name: "externalsecret_sync_calls_error",
    kind: Kind::Counter,
    help: "Number of failed runs of an ExternalSecret",
};
const CONDITION: Family = Family {
    name: "externalsecret_status_condition",
    kind: Kind::Gauge,
    help: "The status condition of an ExternalSecret",
};
const DURATION: Family = Family {
    name: "externalsecret_reconcile_duration",
    kind: Kind::Gauge,
    help: "The duration of the last run of an ExternalSecret in nanoseconds",
};

/// Series of ExternalSecrets.
pub(crate) struct ExternalSecretRows {
    pub(crate) context: Arc<Context>,
    pub(crate) extended: bool,
}

impl Rows for ExternalSecretRows {
    fn families(&self) -> &'static [Family] {
        &[SYNC_CALLS, SYNC_ERRORS, CONDITION, DURATION]
    }

    fn page(&self, family: &Family, cursor: Option<String>, page: &mut Page<'_>) -> Option<String> {
        let objects = self.context.index.external_secrets();
        for (key, row) in objects.after(behind(cursor.as_deref()).as_ref()) {
            let own = if self.extended {
                row.labels()
            } else {
                BTreeMap::new()
            };
            let labels = labels(key.namespace(), key.name(), self.extended.then_some(&own));
            let tally = row.tally;
            match family.name {
                name if name == SYNC_CALLS.name => page.sample(&labels, tally.runs.into()),
                // A series of errors begins with the first error.
                name if name == SYNC_ERRORS.name && tally.errors == 0 => {}
                name if name == SYNC_ERRORS.name => page.sample(&labels, tally.errors.into()),
                name if name == DURATION.name => page.sample(&labels, number(tally.last_nanos)),
                _ => conditions(page, &labels, row.ready),
            }
            if page.is_full() {
                return Some(key.to_string());
            }
        }
        if family.name == CONDITION.name {
            let none = BTreeMap::new();
            for key in objects.deleted() {
                let mut labels =
                    labels(key.namespace(), key.name(), self.extended.then_some(&none));
                labels.extend([("condition", "Deleted"), ("status", "False")]);
                page.sample(&labels, 1.0);
            }
        }
        None
    }
}
