//! Rows of ClusterExternalSecrets, and which ExternalSecrets they control. There are few of the
//! former, so they are kept typed. Decides which watch events are worth a run; starts none itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lockstep_api::ClusterExternalSecret;
use lockstep_api::conditions::READY;
use lockstep_api::keys::FINALIZER_CLUSTER_EXTERNAL_SECRET;
use lockstep_plan::cluster_external_secret::{OwnedChild, Wanted};

use super::Touch;
use super::namespaces::Labels;
use super::relist::Relist;
use super::seen::{trigger, version};
use crate::key::ObjectKey;

/// One ClusterExternalSecret.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) object: Arc<ClusterExternalSecret>,
    /// The namespaces it wants; an error says why that cannot be told.
    pub(crate) wanted: Arc<Result<Wanted, String>>,
    /// Duration of the last run, for the metrics endpoint.
    pub(crate) last_nanos: u64,
    trigger: u64,
}

impl Row {
    /// Status of the Ready condition, where there is one.
    pub(crate) fn ready(&self) -> Option<bool> {
        let conditions = &self.object.status.as_ref()?.conditions;
        let ready = conditions.iter().find(|one| one.type_ == READY)?;
        Some(ready.status == "True")
    }

    fn wants(&self, namespace: &str, labels: &Labels) -> bool {
        let wanted = self.wanted.as_ref().as_ref();
        wanted.is_ok_and(|wanted| wanted.contains(namespace, labels))
    }

    fn failed_in(&self, namespace: &str) -> bool {
        let failed = self.object.status.iter();
        let mut failed = failed.flat_map(|status| &status.failed_namespaces);
        failed.any(|failed| failed.namespace == namespace)
    }
}

/// All ClusterExternalSecrets by name, and what they control.
#[derive(Default)]
pub(crate) struct ClusterExternalSecrets {
    rows: BTreeMap<String, Row>,
    /// Unique ids of children, by owner.
    children: BTreeMap<String, BTreeMap<ObjectKey, String>>,
    relist: Relist<String>,
}

impl ClusterExternalSecrets {
    /// Takes an object from the watch. What is older than the row is passed over.
    pub(crate) fn apply(&mut self, mut object: ClusterExternalSecret) -> (String, Touch) {
        object.metadata.managed_fields = None;
        let name = object.metadata.name.clone().unwrap_or_default();
        self.relist.saw(&name);
        let trigger = trigger(&object.metadata, FINALIZER_CLUSTER_EXTERNAL_SECRET);
        let known = self.rows.get(&name);
        let (touch, last_nanos) = match known {
            None => (Touch::New, 0),
            Some(row) if version(&object.metadata) < version(&row.object.metadata) => {
                return (name, Touch::Same);
            }
            Some(row) if row.trigger == trigger => (Touch::Same, row.last_nanos),
            Some(row) => (Touch::Changed, row.last_nanos),
        };
        let row = Row {
            wanted: Arc::new(Wanted::of(&object.spec)),
            object: Arc::new(object),
            last_nanos,
            trigger,
        };
        self.rows.insert(name.clone(), row);
        (name, touch)
    }

    /// Takes the answer to our own write. An object that was deleted meanwhile stays out.
    pub(crate) fn answered(&mut self, object: ClusterExternalSecret) -> Option<(String, Touch)> {
        let name = object.metadata.name.as_deref().unwrap_or_default();
        self.rows.contains_key(name).then(|| self.apply(object))
    }

    /// Takes an object out.
    pub(crate) fn remove(&mut self, name: &str) {
        self.rows.remove(name);
    }

    /// A new list begins.
    pub(crate) fn begin_list(&mut self) {
        self.relist.begin(self.rows.keys().cloned());
    }

    /// The list is complete; returns what is gone.
    pub(crate) fn end_list(&mut self) -> BTreeSet<String> {
        let gone = self.relist.end();
        for name in &gone {
            self.remove(name);
        }
        gone
    }

    /// An object as last seen.
    pub(crate) fn get(&self, name: &str) -> Option<Row> {
        self.rows.get(name).cloned()
    }

    /// All rows, by name.
    pub(crate) fn rows(&self) -> &BTreeMap<String, Row> {
        &self.rows
    }

    /// Notes how long a run took.
    pub(crate) fn note_run(&mut self, name: &str, nanos: u64) {
        if let Some(row) = self.rows.get_mut(name) {
            row.last_nanos = nanos;
        }
    }

    /// Notes who controls an ExternalSecret; returns who did before, if that was somebody else.
    pub(crate) fn saw_child(
        &mut self,
        key: &ObjectKey,
        owner: Option<&str>,
        uid: &str,
    ) -> Option<String> {
        let before = self.owner_of(key);
        if before.as_deref() == owner
            && owner.is_none_or(|owner| self.children[owner].get(key).is_some_and(|id| id == uid))
        {
            return None;
        }
        self.forget_child(key);
        if let Some(owner) = owner {
            let children = self.children.entry(owner.to_owned()).or_default();
            children.insert(key.clone(), uid.to_owned());
        }
        before.filter(|before| Some(before.as_str()) != owner)
    }

    /// Forgets an ExternalSecret; returns who controlled it.
    pub(crate) fn forget_child(&mut self, key: &ObjectKey) -> Option<String> {
        let owner = self.owner_of(key)?;
        let children = self.children.get_mut(&owner)?;
        children.remove(key);
        if children.is_empty() {
            self.children.remove(&owner);
        }
        Some(owner)
    }

    fn owner_of(&self, key: &ObjectKey) -> Option<String> {
        let mut owners = self.children.iter();
        let owner = owners.find(|(_, children)| children.contains_key(key));
        owner.map(|(owner, _)| owner.clone())
    }

    /// What an object controls.
    pub(crate) fn children_of(&self, name: &str) -> Vec<OwnedChild> {
        let children = self.children.get(name).into_iter().flatten();
        let owned = children.map(|(key, uid)| OwnedChild {
            namespace: key.namespace().to_owned(),
            name: key.name().to_owned(),
            uid: uid.clone(),
        });
        owned.collect()
    }

    /// Who wants a namespace with one of these labels.
    pub(crate) fn wanting(&self, namespace: &str, labels: &[Labels]) -> Vec<String> {
        let wants = |row: &Row| labels.iter().any(|labels| row.wants(namespace, labels));
        self.names(wants)
    }

    /// Who failed in a namespace.
    pub(crate) fn failed_in(&self, namespace: &str) -> Vec<String> {
        self.names(|row| row.failed_in(namespace))
    }

    fn names(&self, is_meant: impl Fn(&Row) -> bool) -> Vec<String> {
        let rows = self.rows.iter().filter(|(_, row)| is_meant(row));
        rows.map(|(name, _)| name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_changes_hands_is_news_to_its_former_owner() {
        let (key, mut rows) = (
            ObjectKey::new("n", "child"),
            ClusterExternalSecrets::default(),
        );
        assert_eq!(rows.saw_child(&key, Some("one"), "u1"), None);
        assert_eq!(rows.saw_child(&key, Some("one"), "u2"), None);
        assert_eq!(rows.children_of("one")[0].uid, "u2");

        let former = rows.saw_child(&key, Some("two"), "u2");

        assert_eq!(former.as_deref(), Some("one"));
        assert!(rows.children_of("one").is_empty());
        assert_eq!(rows.forget_child(&key).as_deref(), Some("two"));
        assert_eq!(rows.forget_child(&key), None);
    }
}
