//! Rows of objects that keep children in many namespaces, and which children they control. There are
//! few of the former, so they are kept typed. Decides which watch events are worth a run; starts none itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_plan::fan_out::{OwnedChild, Parent, Wanted, controls};

use super::RowChange;
use super::namespaces::Labels;
use super::relist::Relist;
use super::seen::{trigger, version};
use crate::key::ObjectKey;

/// One object.
pub struct Row<P> {
    pub object: Arc<P>,
    /// The namespaces it wants; an error says why that cannot be told.
    pub wanted: Arc<Result<Wanted, String>>,
    /// Duration of the last run, for the metrics endpoint.
    pub last_nanos: u64,
    trigger: u64,
}

impl<P> Clone for Row<P> {
    fn clone(&self) -> Self {
        Self {
            object: Arc::clone(&self.object),
            wanted: Arc::clone(&self.wanted),
            last_nanos: self.last_nanos,
            trigger: self.trigger,
        }
    }
}

/// What is kept of a child.
pub struct Child {
    pub owner: String,
    pub uid: String,
}

impl Child {
    /// The child these are the metadata of, where they are a child's.
    pub fn of<P: Parent>(metadata: &ObjectMeta) -> Option<Self> {
        Some(Self {
            owner: controls::<P>(metadata)?,
            uid: metadata.uid.clone().unwrap_or_default(),
        })
    }
}

impl<P: Parent> Row<P> {
    /// Status of the Ready condition, where there is one.
    pub fn ready(&self) -> Option<bool> {
        P::is_ready(self.object.status()?)
    }

    fn wants(&self, namespace: &str, labels: &Labels) -> bool {
        let wanted = self.wanted.as_ref().as_ref();
        wanted.is_ok_and(|wanted| wanted.contains(namespace, labels))
    }

    fn failed_in(&self, namespace: &str) -> bool {
        let mut failed = self.object.status().into_iter().flat_map(P::failed);
        failed.any(|failed| failed.namespace == namespace)
    }
}

/// All objects of a kind by name, and what they control.
pub struct Parents<P> {
    rows: BTreeMap<String, Row<P>>,
    children: BTreeMap<ObjectKey, Child>,
    relist: Relist<String>,
}

impl<P> Default for Parents<P> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            children: BTreeMap::new(),
            relist: Relist::default(),
        }
    }
}

impl<P: Parent> Parents<P> {
    /// Takes an object from the watch. What is older than the row is passed over, but in a
    /// new list.
    pub fn apply(&mut self, mut object: P) -> (String, RowChange) {
        object.metadata_mut().managed_fields = None;
        let name = object.metadata().name.clone().unwrap_or_default();
        let listed_anew = self.relist.saw(&name);
        let trigger = trigger(object.metadata(), P::FINALIZER.unwrap_or_default());
        let known = self.rows.get(&name);
        let (touch, last_nanos) = match known {
            None => (RowChange::New, 0),
            Some(row)
                if !listed_anew && version(object.metadata()) < version(row.object.metadata()) =>
            {
                return (name, RowChange::Same);
            }
            Some(row) if row.trigger == trigger => (RowChange::Same, row.last_nanos),
            Some(row) => (RowChange::Changed, row.last_nanos),
        };
        let row = Row {
            wanted: Arc::new(Wanted::of(&object)),
            object: Arc::new(object),
            last_nanos,
            trigger,
        };
        self.rows.insert(name.clone(), row);
        (name, touch)
    }

    /// Takes the answer to our own write. An object that was deleted meanwhile stays out.
    pub fn answered(&mut self, object: P) -> Option<(String, RowChange)> {
        let name = object.metadata().name.as_deref().unwrap_or_default();
        self.rows.contains_key(name).then(|| self.apply(object))
    }

    /// Takes an object out.
    pub fn remove(&mut self, name: &str) {
        self.rows.remove(name);
    }

    /// A new list begins.
    pub fn begin_list(&mut self) {
        self.relist.begin(self.rows.keys().cloned());
    }

    /// The list is complete; returns what is gone.
    pub fn end_list(&mut self) -> BTreeSet<String> {
        let gone = self.relist.end();
        for name in &gone {
            self.remove(name);
        }
        gone
    }

    /// An object as last seen.
    pub fn get(&self, name: &str) -> Option<Row<P>> {
        self.rows.get(name).cloned()
    }

    /// All rows, by name.
    pub fn rows(&self) -> &BTreeMap<String, Row<P>> {
        &self.rows
    }

    /// Notes how long a run took.
    pub fn note_run(&mut self, name: &str, nanos: u64) {
        if let Some(row) = self.rows.get_mut(name) {
            row.last_nanos = nanos;
        }
    }

    /// Notes who controls a child, if anybody does; returns who else did before.
    pub fn saw_child(&mut self, key: &ObjectKey, child: Option<Child>) -> Option<String> {
        let owner = child.as_ref().map(|child| child.owner.clone());
        let before = match child {
            Some(child) => self.children.insert(key.clone(), child),
            None => self.children.remove(key),
        };
        let before = before.map(|child| child.owner);
        before.filter(|before| Some(before) != owner.as_ref())
    }

    /// What an object controls.
    pub fn children_of(&self, name: &str) -> Vec<OwnedChild> {
        let children = self.children.iter();
        let owned = children.filter(|(_, child)| child.owner == name);
        let owned = owned.map(|(key, child)| OwnedChild {
            namespace: key.namespace().to_owned(),
            name: key.name().to_owned(),
            uid: child.uid.clone(),
        });
        owned.collect()
    }

    /// Who wants a namespace with one of these labels.
    pub fn wanting(&self, namespace: &str, labels: &[Labels]) -> Vec<String> {
        let wants = |row: &Row<P>| labels.iter().any(|labels| row.wants(namespace, labels));
        self.names(wants)
    }

    /// Who failed in a namespace.
    pub fn failed_in(&self, namespace: &str) -> Vec<String> {
        self.names(|row| row.failed_in(namespace))
    }

    fn names(&self, is_meant: impl Fn(&Row<P>) -> bool) -> Vec<String> {
        let rows = self.rows.iter().filter(|(_, row)| is_meant(row));
        rows.map(|(name, _)| name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use lockstep_api::ClusterExternalSecret;

    use super::*;

    #[test]
    fn a_child_that_changes_hands_is_news_to_its_former_owner() {
        let (key, mut rows) = (
            ObjectKey::new("n", "child"),
            Parents::<ClusterExternalSecret>::default(),
        );
        let child = |owner: &str, uid: &str| {
            Some(Child {
                owner: owner.to_owned(),
                uid: uid.to_owned(),
            })
        };
        assert_eq!(rows.saw_child(&key, child("one", "u1")), None);
        assert_eq!(rows.saw_child(&key, child("one", "u2")), None);
        assert_eq!(rows.children_of("one")[0].uid, "u2");

        let former = rows.saw_child(&key, child("two", "u2"));

        assert_eq!(former.as_deref(), Some("one"));
        assert!(rows.children_of("one").is_empty());
        assert_eq!(rows.saw_child(&key, None).as_deref(), Some("two"));
        assert_eq!(rows.saw_child(&key, None), None);
    }
}
