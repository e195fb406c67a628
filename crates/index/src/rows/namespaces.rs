//! Namespaces: their labels, for cluster stores that admit some namespaces only, and what a
//! ClusterExternalSecret needs to know to mark them. A namespace that is not known has no labels that
//! anything may be decided by; whoever asked for them is requeued when the namespace is seen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::relist::{ListState, Relist};
use super::seen::version;

/// Labels of one namespace.
pub type Labels = Arc<BTreeMap<String, String>>;

/// How long labels that were read live count. Long enough for the objects of a namespace that run
/// together, and short enough that a namespace is shut out promptly.
const LIVE: SignedDuration = SignedDuration::from_secs(5);

/// What an event meant.
#[derive(Debug, Default)]
pub struct NamespaceChange {
    /// Labels before, where the namespace was known.
    pub before: Option<Labels>,
    /// Whether its labels are news.
    pub labels: bool,
    /// Whether its finalizers or the mark of its deletion are.
    pub life: bool,
    /// Whether a run asked for its labels before they were known.
    pub awaited: bool,
}

/// Namespaces by name.
#[derive(Default)]
pub struct Namespaces {
    rows: BTreeMap<String, Row>,
    relist: Relist<String>,
    list: ListState,
    /// Namespaces whose labels a run asked for while they were not known.
    awaited: BTreeSet<String>,
    /// Labels that were read live, and when.
    live: BTreeMap<String, (Labels, Timestamp)>,
}

struct Row {
    labels: Labels,
    /// Name, version, finalizers and the mark of its deletion.
    metadata: Arc<ObjectMeta>,
}

impl Namespaces {
    /// Takes a namespace from the watch.
    pub fn apply(&mut self, metadata: ObjectMeta) -> NamespaceChange {
        let name = metadata.name.clone().unwrap_or_default();
        let listed_anew = self.relist.saw(&name);
        let metadata_labels = metadata.labels.unwrap_or_default();
        let metadata = ObjectMeta {
            name: metadata.name,
            resource_version: metadata.resource_version,
            finalizers: metadata.finalizers,
            deletion_timestamp: metadata.deletion_timestamp,
            ..ObjectMeta::default()
        };
        let known = self.rows.get(&name);
        // Answers to our own writes overtake the watch; a new list counts in any case.
        let is_older = |known: &Row| version(&metadata) < version(&known.metadata);
        if !listed_anew && known.is_some_and(is_older) {
            return NamespaceChange::default();
        }
        let touch = NamespaceChange {
            before: known.map(|known| Arc::clone(&known.labels)),
            labels: known.is_none_or(|known| *known.labels != metadata_labels),
            life: known.is_none_or(|known| {
                known.metadata.finalizers != metadata.finalizers
                    || known.metadata.deletion_timestamp != metadata.deletion_timestamp
            }),
            awaited: self.awaited.remove(&name),
        };
        self.live.remove(&name);
        let kept = touch.before.clone().filter(|_| !touch.labels);
        let row = Row {
            labels: kept.unwrap_or_else(|| Arc::new(metadata_labels)),
            metadata: Arc::new(metadata),
        };
        self.rows.insert(name, row);
        touch
    }

    /// Takes the answer to our own write. A namespace that was deleted meanwhile stays out.
    pub fn answered(&mut self, metadata: ObjectMeta) {
        if self
            .rows
            .contains_key(metadata.name.as_deref().unwrap_or_default())
        {
            self.apply(metadata);
        }
    }

    /// A new list begins.
    pub fn begin_list(&mut self) {
        self.relist.begin(self.rows.keys().cloned());
    }

    /// The list is complete: what it did not show is gone.
    pub fn end_list(&mut self) {
        self.list = ListState::Complete;
        for name in self.relist.end() {
            self.rows.remove(&name);
        }
    }

    /// Takes a namespace out; returns its labels.
    pub fn remove(&mut self, name: &str) -> Option<Labels> {
        self.rows.remove(name).map(|row| row.labels)
    }

    /// Whether all namespaces are known.
    pub fn is_listed(&self) -> bool {
        self.list == ListState::Complete
    }

    /// Labels of a namespace; `None` while it is not known.
    pub fn labels(&self, name: &str) -> Option<Labels> {
        let row = self.rows.get(name);
        row.map(|row| Arc::clone(&row.labels))
    }

    /// Labels of a namespace that were read live a moment ago.
    pub fn read_lately(&self, name: &str, now: Timestamp) -> Option<Labels> {
        let (labels, read) = self.live.get(name)?;
        let age = now.duration_since(*read);
        (SignedDuration::ZERO..LIVE)
            .contains(&age)
            .then(|| Arc::clone(labels))
    }

    /// Keeps labels that were read live for a moment.
    pub fn note_read(&mut self, name: &str, labels: Labels, now: Timestamp) {
        self.live.insert(name.to_owned(), (labels, now));
    }

    /// Notes that a run needs the labels of a namespace that is not known.
    pub fn awaits(&mut self, name: &str) {
        if !self.rows.contains_key(name) {
            self.awaited.insert(name.to_owned());
        }
    }

    /// Forgets what was noted for the objects of a namespace: it has none any more.
    pub fn unused(&mut self, name: &str) {
        self.awaited.remove(name);
        self.live.remove(name);
    }

    /// All namespaces: name, labels and what else is kept of them.
    pub fn all(&self) -> impl Iterator<Item = (&String, &Labels, &ObjectMeta)> {
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

        assert_eq!(namespaces.labels("gone"), None);
        assert!(namespaces.labels("kept").is_some());
    }

    #[test]
    fn a_namespace_that_was_asked_for_too_early_is_told_once_it_is_seen() {
        let mut namespaces = Namespaces::default();
        assert_eq!(namespaces.labels("late"), None);
        namespaces.awaits("late");
        namespaces.begin_list();

        assert!(namespaces.apply(namespace("late", &[])).awaited);
        assert!(!namespaces.apply(namespace("late", &[])).awaited);
        assert!(!namespaces.apply(namespace("other", &[])).awaited);
    }

    #[test]
    fn labels_that_were_read_live_count_for_moments_only() {
        let (mut namespaces, now) = (Namespaces::default(), Timestamp::UNIX_EPOCH);
        let later = |seconds| now + SignedDuration::from_secs(seconds);

        namespaces.note_read("one", Labels::default(), now);

        assert!(namespaces.read_lately("one", later(4)).is_some());
        assert_eq!(namespaces.read_lately("one", later(5)), None);
        assert_eq!(namespaces.read_lately("one", later(-1)), None);
        namespaces.unused("one");
        assert_eq!(namespaces.read_lately("one", now), None);
    }

    #[test]
    fn a_new_finalizer_is_news_but_not_of_its_labels() {
        let mut namespaces = Namespaces::default();
        namespaces.apply(namespace("one", &[]));

        let touch = namespaces.apply(namespace("one", &["f"]));

        assert!(touch.life && !touch.labels);
    }
}
