//! Collects what a reconcile knows before it decides: the object's row, the namespaces it selects or has
//! marked, and the children that are there.

use std::collections::BTreeMap;

use lockstep_index::{Index, ObjectKey};
use lockstep_plan::fan_out::{Observed, child_name};

use super::kind::FanOut;

/// Collects it; `None` when the object is gone.
pub(super) fn observe<P: FanOut>(index: &Index, name: &str) -> Option<Observed<P>> {
    let row = P::rows(index).get(name)?;
    let object = row.object;
    let mark = object.mark();
    let (mut wanted, mut marked) = (BTreeMap::new(), BTreeMap::new());
    for (namespace, labels, metadata) in index.namespaces().all() {
        let selected = row.wanted.as_ref().as_ref();
        if selected.is_ok_and(|selected| selected.contains(namespace, labels)) {
            wanted.insert(namespace.clone(), metadata.clone());
        } else if metadata
            .finalizers
            .iter()
            .flatten()
            .any(|one| Some(one) == mark.as_ref())
        {
            marked.insert(namespace.clone(), metadata.clone());
        }
    }
    let existing = wanted.keys().filter_map(|namespace| {
        let key = ObjectKey::new(namespace, child_name(&*object));
        Some((namespace.clone(), P::existing(index, &key)?))
    });
    let existing = existing.collect();
    Some(Observed {
        object,
        wanted: match row.wanted.as_ref() {
            Ok(_) => Ok(wanted),
            Err(reason) => Err(reason.clone()),
        },
        marked,
        existing,
        owned: P::rows(index).children_of(name),
    })
}
