//! Series by object, written from the rows of the index while a scrape runs; none are kept. Names and
//! labels are the original operator's, durations in nanoseconds included.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use lockstep_index::ObjectKey;
use lockstep_plan::StoreKind;
use lockstep_plan::fan_out::Parent;
use lockstep_runtime::metrics::{Family, Kind, Page, Rows, number};

use crate::fan_out::FanOut;
use crate::shared::Shared;

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

/// Labels of `--enable-extended-metric-labels`: the object's label and the series' label.
const EXTENDED: [(&str, &str); 6] = [
    ("app.kubernetes.io/name", "app_kubernetes_io_name"),
    ("app.kubernetes.io/instance", "app_kubernetes_io_instance"),
    ("app.kubernetes.io/version", "app_kubernetes_io_version"),
    ("app.kubernetes.io/component", "app_kubernetes_io_component"),
    ("app.kubernetes.io/part-of", "app_kubernetes_io_part_of"),
    (
        "app.kubernetes.io/managed-by",
        "app_kubernetes_io_managed_by",
    ),
];

/// Series of ExternalSecrets.
pub(crate) struct ExternalSecretRows {
    pub(crate) shared: Arc<Shared>,
    pub(crate) extended: bool,
}

impl Rows for ExternalSecretRows {
    fn families(&self) -> &'static [Family] {
        &[SYNC_CALLS, SYNC_ERRORS, CONDITION, DURATION]
    }

    fn page(&self, family: &Family, cursor: Option<String>, page: &mut Page<'_>) -> Option<String> {
        let objects = self.shared.index.external_secrets();
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

/// Series of PushSecrets.
pub(crate) struct PushSecretRows {
    pub(crate) shared: Arc<Shared>,
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
        let objects = self.shared.index.push_secrets();
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

/// Series of ClusterExternalSecrets or ClusterPushSecrets. There are few, so one page holds them all.
pub(crate) struct FanOutRows<P> {
    shared: Arc<Shared>,
    extended: bool,
    kind: PhantomData<P>,
}

impl<P> FanOutRows<P> {
    pub(crate) fn new(shared: &Arc<Shared>, extended: bool) -> Self {
        Self {
            shared: Arc::clone(shared),
            extended,
            kind: PhantomData,
        }
    }
}

impl<P: FanOut> Rows for FanOutRows<P> {
    fn families(&self) -> &'static [Family] {
        P::SERIES
    }

    fn page(&self, family: &Family, _: Option<String>, page: &mut Page<'_>) -> Option<String> {
        let objects = P::rows(&self.shared);
        for (name, row) in objects.rows() {
            let own = Parent::metadata(row.object.as_ref()).labels.clone();
            let own = own.unwrap_or_default();
            let labels = labels("", name, self.extended.then_some(&own));
            state(page, family, &labels, (row.last_nanos, row.ready()));
        }
        None
    }
}

/// The object a page ended with.
fn behind(cursor: Option<&str>) -> Option<ObjectKey> {
    let (namespace, name) = cursor?.split_once('/')?;
    Some(ObjectKey::new(namespace, name))
}

/// Series of stores of one kind. There are few stores, so one page holds them all.
pub(crate) struct StoreRows {
    pub(crate) shared: Arc<Shared>,
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
        let stores = self.shared.index.stores();
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

fn labels<'a>(
    namespace: &'a str,
    name: &'a str,
    own: Option<&'a BTreeMap<String, String>>,
) -> Vec<(&'static str, &'a str)> {
    let mut labels = vec![("name", name), ("namespace", namespace)];
    if let Some(own) = own {
        let value = |key: &str| own.get(key).map_or("", String::as_str);
        labels.extend(EXTENDED.map(|(key, label)| (label, value(key))));
    }
    labels
}

/// Whether a family of stores or PushSecrets is their duration. Its extended labels are empty, as they
/// are in the original.
fn is_duration(family: &Family) -> bool {
    family.name.ends_with("_duration")
}

/// The duration of the last run or the condition, as the family says.
fn state(
    page: &mut Page<'_>,
    family: &Family,
    labels: &[(&str, &str)],
    (last_nanos, ready): (u64, Option<bool>),
) {
    if is_duration(family) {
        // What has never run has no series.
        if last_nanos > 0 {
            page.sample(labels, number(last_nanos));
        }
    } else {
        conditions(page, labels, ready);
    }
}

/// Both statuses of the Ready condition: the one that holds is 1, the other 0.
fn conditions(page: &mut Page<'_>, labels: &[(&str, &str)], ready: Option<bool>) {
    let Some(ready) = ready else { return };
    for (status, holds) in [("True", ready), ("False", !ready)] {
        let mut labels = labels.to_vec();
        labels.extend([("condition", "Ready"), ("status", status)]);
        page.sample(&labels, if holds { 1.0 } else { 0.0 });
    }
}
