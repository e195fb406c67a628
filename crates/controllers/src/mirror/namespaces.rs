//! Labels of namespaces, for cluster stores that admit some namespaces only.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Labels of one namespace.
pub(crate) type Labels = Arc<BTreeMap<String, String>>;

/// Labels by namespace.
#[derive(Default)]
pub(crate) struct Namespaces(BTreeMap<String, Labels>);

impl Namespaces {
    /// Takes a namespace from the watch; returns whether its labels are news.
    pub(crate) fn apply(&mut self, name: String, labels: BTreeMap<String, String>) -> bool {
        if self.0.get(&name).is_some_and(|known| **known == labels) {
            return false;
        }
        self.0.insert(name, Arc::new(labels));
        true
    }

    /// Takes a namespace out.
    pub(crate) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Labels of a namespace; none while it is unknown.
    pub(crate) fn labels(&self, name: &str) -> Labels {
        self.0.get(name).cloned().unwrap_or_default()
    }
}
