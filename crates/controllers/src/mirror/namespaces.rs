//! Namespaces: their labels, for cluster stores that admit some namespaces only, and what a
//! ClusterExternalSecret needs to know to mark them.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::relist::Relist;
use super::seen::version;

/// Labels of one namespace.
pub(crate) type Labels = Arc<BTreeMap<String, String>>;

/// What an event meant.
#[derive(Debug, Default)]
pub(crate) struct NamespaceTouch {
    /// Labels before, where the namespace was known.
    pub(crate) before: Option<Labels>,
    /// Whether its labels are news.
    pub(crate) labels: bool,
    /// Whether its finalizers or the mark of its deletion are.
    pub(crate) life: bool,
}

/// Namespaces by name.
#[derive(Default)]
pub(crate) struct Namespaces {
    rows: BTreeMap<String, Row>,
    relist: Relist<String>,
}

struct Row {
    labels: Labels,
    /// Name, version, finalizers and the mark of its deletion.
    metadata: Arc<ObjectMeta>,
}

impl Namespaces {
    /// Takes a namespace from the watch.
    pub(crate) fn apply(&mut self, metadata: ObjectMeta) -> NamespaceTouch {
        let name = metadata.name.clone().unwrap_or_default();
        self.relist.saw(&name);
        let metadata_labels = metadata.labels.unwrap_or_default();
        let metadata = ObjectMeta {
            name: metadata.name,
            resource_version: metadata.resource_version,
            finalizers: metadata.finalizers,
            deletion_timestamp: metadata.deletion_timestamp,
            ..ObjectMeta::default()
        };
        let known = self.rows.get(&name);
        // Answers to our own writes overtake the watch.
        if known.is_some_and(|known| version(&metadata) < version(&known.metadata)) {
            return NamespaceTouch::default();
        }
        let touch = NamespaceTouch {
            before: known.map(|known| Arc::clone(&known.labels)),
            labels: known.is_none_or(|known| *known.labels != metadata_labels),
            life: known.is_none_or(|known| {
                known.metadata.finalizers != metadata.finalizers
                    || known.metadata.deletion_timestamp != metadata.deletion_timestamp
            }),
        };
        let kept = touch.before.clone().filter(|_| !touch.labels);
        let row = Row {
            labels: kept.unwrap_or_else(|| Arc::new(metadata_labels)),
            metadata: Arc::new(metadata),
        };
        self.rows.insert(name, row);
        touch
    }

    /// Takes the answer to our own write. A namespace that was deleted meanwhile stays out.
    pub(crate) fn answered(&mut self, metadata: ObjectMeta) {
        if self
            .rows
            .contains_key(metadata.name.as_deref().unwrap_or_default())
        {
            self.apply(metadata);
        }
    }

    /// A new list begins.
    pub(crate) fn begin_list(&mut self) {
        self.relist.begin(self.rows.keys().cloned());
    }

    /// The list is complete: what it did not show is gone.
    pub(crate) fn end_list(&mut self) {
        for name in self.relist.end() {
            self.rows.remove(&name);
        }
    }

    /// Takes a namespace out; returns its labels.
    pub(crate) fn remove(&mut self, name: &str) -> Option<Labels> {
        self.rows.remove(name).map(|row| row.labels)
    }

    /// Labels of a namespace; none while it is unknown.
    pub(crate) fn labels(&self, name: &str) -> Labels {
        let row = self.rows.get(name);
        row.map(|row| Arc::clone(&row.labels)).unwrap_or_default()
    }

    /// All namespaces: name, labels and what else is kept of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&String, &Labels, &ObjectMeta)> {
        let rows = self.rows.iter();
        rows.map(|(name, row)| (name, &row.labels, row.metadata.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn namespace(name: &str, finalizers: &[&str]) -> ObjectMeta {
        ObjectMeta {
            name: Some(name.to_owned()),
            labels: Some(BTreeMap::from([("team".to_owned(), "a".to_owned())])),
            finalizers: Some(finalizers.iter().map(|&name| name.to_owned()).collect()),
            ..ObjectMeta::default()
        }
    }

    #[test]
    fn a_namespace_deleted_while_nobody_watched_is_forgotten_with_the_next_list() {
        let mut namespaces = Namespaces::default();
        namespaces.apply(namespace("gone", &[]));
        namespaces.apply(namespace("kept", &[]));

        namespaces.begin_list();
        assert!(!namespaces.apply(namespace("kept", &[])).labels);
        namespaces.end_list();

        assert!(namespaces.labels("gone").is_empty());
        assert!(!namespaces.labels("kept").is_empty());
    }

    #[test]
    fn a_new_finalizer_is_news_but_not_of_its_labels() {
        let mut namespaces = Namespaces::default();
        namespaces.apply(namespace("one", &[]));

        let touch = namespaces.apply(namespace("one", &["f"]));

        assert!(touch.life && !touch.labels);
    }
}
