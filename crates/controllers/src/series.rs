//! What the series of all kinds have in common, and those of the process and by store. Names and labels of
//! series by object are the original operator's, durations in nanoseconds included.

mod gauges;
mod stores;

use std::collections::BTreeMap;

use lockstep_index::ObjectKey;
use lockstep_runtime::metrics::{Family, Page, number};

pub(crate) use gauges::Gauges;
pub(crate) use stores::ByStore;

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

/// The object a page ended with.
pub(crate) fn behind(cursor: Option<&str>) -> Option<ObjectKey> {
    let (namespace, name) = cursor?.split_once('/')?;
    Some(ObjectKey::new(namespace, name))
}

/// Labels of a series about one object.
pub(crate) fn labels<'a>(
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
pub(crate) fn is_duration(family: &Family) -> bool {
    family.name.ends_with("_duration")
}

/// The duration of the last run or the condition, as the family says.
pub(crate) fn state(
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
pub(crate) fn conditions(page: &mut Page<'_>, labels: &[(&str, &str)], ready: Option<bool>) {
    let Some(ready) = ready else { return };
    for (status, holds) in [("True", ready), ("False", !ready)] {
        let mut labels = labels.to_vec();
        labels.extend([("condition", "Ready"), ("status", status)]);
        page.sample(&labels, if holds { 1.0 } else { 0.0 });
    }
}
