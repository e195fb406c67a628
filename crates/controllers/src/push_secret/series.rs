//! Series of PushSecrets, written from the rows of the index while a scrape runs; none are kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_runtime::metrics::{Family, Kind, Page, Rows};

use crate::context::Context;
use crate::series::{behind, is_duration, labels, state};

/// Series of PushSecrets.
pub(crate) struct PushSecretRows {
    pub(crate) context: Arc<Context>,
    pub(crate) extended: bool,
}

impl Rows for PushSecretRows {
    fn families(&self) -> &'static [Family] {
        &[
            Family {
                name: "pushsecret_status_condition",
                kind: Kind::Gauge,
                help: "The status condition of a PushSecret",
            },
            Family {
                name: "pushsecret_reconcile_duration",
                kind: Kind::Gauge,
                help: "The duration of the last run of a PushSecret in nanoseconds",
            },
        ]
    }

    fn page(&self, family: &Family, cursor: Option<String>, page: &mut Page<'_>) -> Option<String> {
        let objects = self.context.index.push_secrets();
        for (key, row) in objects.after(behind(cursor.as_deref()).as_ref()) {
            let own = if self.extended && !is_duration(family) {
                row.labels()
            } else {
                BTreeMap::new()
            };
            let labels = labels(key.namespace(), key.name(), self.extended.then_some(&own));
            state(page, family, &labels, (row.last_nanos, row.ready));
            if page.is_full() {
                return Some(key.to_string());
            }
        }
        None
    }
}
