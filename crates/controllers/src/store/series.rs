//! Series of stores, written from the rows of the index while a scrape runs; none are kept.

use std::sync::Arc;

use lockstep_plan::StoreKind;
use lockstep_runtime::metrics::{Family, Kind, Page, Rows};

use crate::context::Context;
use crate::series::{is_duration, labels, state};

/// Series of stores of one kind. There are few stores, so one page holds them all.
pub(crate) struct StoreRows {
    pub(crate) context: Arc<Context>,
    pub(crate) kind: StoreKind,
    pub(crate) extended: bool,
}

impl Rows for StoreRows {
    fn families(&self) -> &'static [Family] {
        match self.kind {
            StoreKind::SecretStore => &[
                Family {
                    name: "secretstore_status_condition",
                    kind: Kind::Gauge,
                    help: "The status condition of a SecretStore",
                },
                Family {
                    name: "secretstore_reconcile_duration",
                    kind: Kind::Gauge,
                    help: "The duration of the last check of a SecretStore in nanoseconds",
                },
            ],
            StoreKind::ClusterSecretStore => &[
                Family {
                    name: "clustersecretstore_status_condition",
                    kind: Kind::Gauge,
                    help: "The status condition of a ClusterSecretStore",
                },
                Family {
                    name: "clustersecretstore_reconcile_duration",
                    kind: Kind::Gauge,
                    help: "The duration of the last check of a ClusterSecretStore in nanoseconds",
                },
            ],
        }
    }

    fn page(&self, family: &Family, _: Option<String>, page: &mut Page<'_>) -> Option<String> {
        let stores = self.context.index.stores();
        for store in stores.of_kind(self.kind) {
            let namespace = store.key.namespace.as_deref().unwrap_or_default();
            let own = store.metadata.labels.as_ref();
            let own = own.filter(|_| !is_duration(family)).cloned();
            let own = own.unwrap_or_default();
            let labels = labels(namespace, &store.key.name, self.extended.then_some(&own));
            state(page, family, &labels, (store.last_nanos, store.ready()));
        }
        None
    }
}
