//! Labels of namespaces, for cluster stores that admit some namespaces only.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::relist::Relist;

/// Labels of one namespace.
pub(crate) type Labels = Arc<BTreeMap<String, String>>;

/// Labels by namespace.
#[derive(Default)]
pub(crate) struct Namespaces {
    labels: BTreeMap<String, Labels>,
    relist: Relist<String>,
}

impl Namespaces {
    /// Takes a namespace from the watch; returns whether its labels are news.
    pub(crate) fn apply(&mut self, name: String, labels: BTreeMap<String, String>) -> bool {
        self.relist.saw(&name);
        let known = self.labels.get(&name);
        if known.is_some_and(|known| **known == labels) {
            return false;
        }
        self.labels.insert(name, Arc::new(labels));
        true
    }

    /// A new list begins.
    pub(crate) fn begin_list(&mut self) {
        self.relist.begin(self.labels.keys().cloned());
    }

    /// The list is complete: what it did not show is gone.
    pub(crate) fn end_list(&mut self) {
        for name in self.relist.end() {
            self.labels.remove(&name);
        }
    }

    /// Takes a namespace out.
    pub(crate) fn remove(&mut self, name: &str) {
        self.labels.remove(name);
    }

    /// Labels of a namespace; none while it is unknown.
    pub(crate) fn labels(&self, name: &str) -> Labels {
        self.labels.get(name).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_deleted_while_nobody_watched_is_forgotten_with_the_next_list() {
        let labels = BTreeMap::from([("team".to_owned(), "a".to_owned())]);
        let mut namespaces = Namespaces::default();
        namespaces.apply("gone".to_owned(), labels.clone());
        namespaces.apply("kept".to_owned(), labels.clone());

        namespaces.begin_list();
        assert!(!namespaces.apply("kept".to_owned(), labels));
        namespaces.end_list();

        assert!(namespaces.labels("gone").is_empty());
        assert!(!namespaces.labels("kept").is_empty());
    }
}
