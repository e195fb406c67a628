//! Rows of managed Secrets. Values are hashed and wiped while an event is taken in; a row never
//! holds one. Decides which events mean that a target needs a look.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::Secret;
use lockstep_plan::{Salt, TargetRow};
use zeroize::Zeroize;

use super::relist::{ListState, Relist};
use super::seen::version;
use crate::key::ObjectKey;

/// What an event of the watch says about a Secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetChange {
    /// Nothing new.
    Known,
    /// Somebody else changed something, though not its data: the next refresh has to look at it.
    Drifted,
    /// Its data is not what was last written to it.
    Touched,
}

/// All managed Secrets, with a lookup by the label that names their owner.
#[derive(Default)]
pub struct Targets {
    rows: BTreeMap<ObjectKey, Arc<TargetRow>>,
    by_owner: BTreeSet<(Arc<str>, ObjectKey)>,
    relist: Relist<ObjectKey>,
    list: ListState,
    /// The latest version the watch has shown of any Secret.
    reached: u64,
    /// Secrets a write of ours is on its way to, and the last version the watch has shown meanwhile.
    writing: BTreeMap<ObjectKey, u64>,
}

impl Targets {
    /// Takes a Secret from the watch.
    pub fn apply(&mut self, secret: Secret, salt: &Salt) -> (ObjectKey, TargetChange) {
        let version = version(&secret.metadata);
        self.reached = self.reached.max(version);
        let (key, sight) = self.insert_newer(secret, salt);
        match self.writing.get_mut(&key) {
            // It may be our own write, whose answer says so.
            Some(shown) if sight == TargetChange::Drifted => {
                *shown = version;
                (key, TargetChange::Known)
            }
            _ => (key, sight),
        }
    }

    /// A write to a Secret is on its way; [`Targets::answered`] follows, then [`Targets::end_write`].
    pub fn begin_write(&mut self, key: ObjectKey) {
        self.writing.insert(key, 0);
    }

    /// A write to a Secret has ended. Returns whether it had no answer and somebody else's change was
    /// seen meanwhile.
    pub fn end_write(&mut self, key: &ObjectKey) -> bool {
        self.writing.remove(key).is_some_and(|shown| shown != 0)
    }

    /// Takes the answer to our own write, unless the watch is already further: it has shown that
    /// write then, and what became of the Secret since, which may be its end. Returns whether that is
    /// somebody else's change.
    pub fn answered(&mut self, mut secret: Secret, salt: &Salt) -> bool {
        let shown = self
            .writing
            .remove(&ObjectKey::of(&secret.metadata))
            .unwrap_or(0);
        let written = version(&secret.metadata);
        if written != 0 && written <= self.reached {
            wipe(&mut secret);
        } else {
            self.insert_newer(secret, salt);
        }
        shown > written
    }

    /// Takes a Secret out that the watch no longer shows, unless a later one of its name is known.
    pub fn gone(&mut self, secret: &Secret) -> ObjectKey {
        let (key, end) = (ObjectKey::of(&secret.metadata), version(&secret.metadata));
        self.reached = self.reached.max(end);
        let row = self.rows.get(&key);
        if row.is_some_and(|row| end == 0 || number(row).is_none_or(|seen| seen <= end)) {
            self.remove(&key);
        }
        key
    }

    fn insert_newer(&mut self, mut secret: Secret, salt: &Salt) -> (ObjectKey, TargetChange) {
        let key = ObjectKey::of(&secret.metadata);
        let row = Arc::new(TargetRow::of(&secret, salt));
        wipe(&mut secret);
        let listed_anew = self.relist.saw(&key);
        let old = self.rows.get(&key);
        let is_known = |old: &Arc<TargetRow>| {
            let same = old.uid == row.uid && old.resource_version == row.resource_version;
            same || !listed_anew && !is_news(old, &row)
        };
        if old.is_some_and(is_known) {
            return (key, TargetChange::Known);
        }
        let sight = match old {
            _ if !row.is_untouched() => TargetChange::Touched,
            Some(old) if old.differs(&row) => TargetChange::Drifted,
            _ => TargetChange::Known,
        };
        self.insert(key.clone(), row);
        (key, sight)
    }

    /// Takes a Secret out that was deleted.
    pub fn remove(&mut self, key: &ObjectKey) -> bool {
        let Some(row) = self.rows.remove(key) else {
            return false;
        };
        self.unlink(key, &row);
        true
    }

    /// A new list begins.
    pub fn begin_list(&mut self) {
        self.relist.begin(self.rows.keys().cloned());
        self.list = ListState::Listing;
        // Versions may be lower from now on: etcd may have been restored from a backup.
        self.reached = 0;
    }

    /// The list is complete; returns what is gone.
    pub fn end_list(&mut self) -> BTreeSet<ObjectKey> {
        self.list = ListState::Complete;
        let gone = self.relist.end();
        for key in &gone {
            self.remove(key);
        }
        gone
    }

    /// Whether a list is under way.
    pub fn list_state(&self) -> ListState {
        self.list
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// A Secret as last seen.
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<TargetRow>> {
        self.rows.get(key).cloned()
    }

    /// Secrets of a namespace whose owner label is `hash`.
    pub fn made_by(&self, namespace: &str, hash: &str) -> Vec<Arc<TargetRow>> {
        let first = (Arc::from(hash), ObjectKey::new(namespace, ""));
        let keys = self.by_owner.range(first..);
        let keys = keys.take_while(|(of, key)| **of == *hash && key.namespace() == namespace);
        keys.filter_map(|(_, key)| self.get(key)).collect()
    }

    fn insert(&mut self, key: ObjectKey, row: Arc<TargetRow>) {
        let key = match self.rows.remove_entry(&key) {
            Some((known, old)) => {
                self.unlink(&known, &old);
                known
            }
            None => key,
        };
        if let Some(hash) = &row.created_by {
            self.by_owner.insert((Arc::clone(hash), key.clone()));
        }
        self.rows.insert(key, row);
    }

    fn unlink(&mut self, key: &ObjectKey, row: &TargetRow) {
        if let Some(hash) = &row.created_by {
            self.by_owner.remove(&(Arc::clone(hash), key.clone()));
        }
    }
}

/// Whether `new` is another object or a later version: answers to our writes overtake the watch.
fn is_news(old: &TargetRow, new: &TargetRow) -> bool {
    match (number(old), number(new)) {
        (Some(before), Some(after)) if old.uid == new.uid => before < after,
        _ => old.uid != new.uid || old.resource_version != new.resource_version,
    }
}

fn number(row: &TargetRow) -> Option<u64> {
    row.resource_version.parse().ok()
}

fn wipe(secret: &mut Secret) {
    for value in secret.data.iter_mut().flatten().map(|(_, value)| value) {
        value.0.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::ByteString;
    use lockstep_api::keys::{ANNOTATION_DATA_HASH, LABEL_OWNER};
    use lockstep_golang::fmt::data_hash;

    use super::*;

    fn secret(version: &str, value: &str, hashed: &str) -> Secret {
        let hash = data_hash([("k", hashed.as_bytes())]);
        let mut secret = Secret::default();
        secret.metadata.namespace = Some("ns".to_owned());
        secret.metadata.name = Some("db".to_owned());
        secret.metadata.uid = Some("1".to_owned());
        secret.metadata.resource_version = Some(version.to_owned());
        secret.metadata.annotations = Some([(ANNOTATION_DATA_HASH.to_owned(), hash)].into());
        secret.metadata.labels = Some([(LABEL_OWNER.to_owned(), "hash-of-es".to_owned())].into());
        secret.data = Some([("k".to_owned(), ByteString(value.as_bytes().to_vec()))].into());
        secret
    }

    #[test]
    fn a_secret_as_it_was_written_needs_no_look() {
        let mut targets = Targets::default();

        let (_, sight) = targets.apply(secret("1", "v", "v"), &Salt::default());

        assert_eq!(sight, TargetChange::Known);
    }

    #[test]
    fn an_edited_secret_needs_one_look_a_version() {
        let mut targets = Targets::default();

        let (_, first) = targets.apply(secret("2", "edited", "v"), &Salt::default());
        let (_, again) = targets.apply(secret("2", "edited", "v"), &Salt::default());

        assert_eq!((first, again), (TargetChange::Touched, TargetChange::Known));
    }

    fn labelled(version: &str, label: &str) -> Secret {
        let mut secret = secret(version, "v", "v");
        let labels = secret.metadata.labels.get_or_insert_default();
        labels.insert("app".to_owned(), label.to_owned());
        secret
    }

    #[test]
    fn a_label_that_somebody_else_changed_is_seen_once() {
        let (mut targets, salt) = (Targets::default(), Salt::default());
        targets.apply(labelled("1", "a"), &salt);

        let (_, first) = targets.apply(labelled("2", "b"), &salt);
        let (_, again) = targets.apply(labelled("2", "b"), &salt);
        let (_, same) = targets.apply(labelled("3", "b"), &salt);

        let seen = (first, again, same);
        assert_eq!(
            seen,
            (
                TargetChange::Drifted,
                TargetChange::Known,
                TargetChange::Known
            )
        );
    }

    #[test]
    fn our_own_write_is_not_taken_for_somebody_elses_when_the_watch_is_first() {
        let (mut targets, salt) = (Targets::default(), Salt::default());
        let (key, _) = targets.apply(labelled("1", "a"), &salt);

        targets.begin_write(key.clone());
        let (_, early) = targets.apply(labelled("2", "b"), &salt);
        assert_eq!(early, TargetChange::Known);
        assert!(!targets.answered(labelled("2", "b"), &salt));

        targets.begin_write(key.clone());
        targets.apply(labelled("4", "c"), &salt);
        assert!(targets.answered(labelled("3", "d"), &salt));

        targets.begin_write(key.clone());
        targets.apply(labelled("5", "e"), &salt);
        assert!(targets.end_write(&key));
    }

    #[test]
    fn an_answer_to_a_write_does_not_bring_back_what_was_deleted_since() {
        let mut targets = Targets::default();
        let (key, _) = targets.apply(secret("1", "v", "v"), &Salt::default());

        targets.apply(secret("2", "w", "w"), &Salt::default());
        targets.gone(&secret("3", "w", "w"));
        targets.answered(secret("2", "w", "w"), &Salt::default());

        assert!(targets.get(&key).is_none());
    }

    #[test]
    fn an_answer_to_a_write_comes_before_the_watch_shows_it() {
        let mut targets = Targets::default();
        let (key, _) = targets.apply(secret("1", "v", "v"), &Salt::default());

        targets.answered(secret("2", "w", "w"), &Salt::default());

        let row = targets.get(&key);
        assert_eq!(
            row.map(|row| row.resource_version.clone()),
            Some("2".into())
        );
    }

    #[test]
    fn the_end_of_an_earlier_secret_leaves_the_one_made_since() {
        let mut targets = Targets::default();
        targets.apply(secret("1", "v", "v"), &Salt::default());
        let mut again = secret("3", "v", "v");
        again.metadata.uid = Some("2".to_owned());
        targets.answered(again, &Salt::default());

        let key = targets.gone(&secret("2", "v", "v"));

        assert!(targets.get(&key).is_some());
    }

    #[test]
    fn a_new_list_counts_although_its_versions_are_lower_and_so_do_later_writes() {
        let (mut targets, salt) = (Targets::default(), Salt::default());
        let (key, _) = targets.apply(secret("900", "v", "v"), &salt);

        targets.begin_list();
        let (_, sight) = targets.apply(secret("500", "older", "v"), &salt);
        assert!(targets.end_list().is_empty());
        assert_eq!(sight, TargetChange::Touched);

        targets.begin_write(key.clone());
        targets.answered(secret("501", "v", "v"), &salt);
        let row = targets.get(&key).unwrap();
        assert_eq!(&*row.resource_version, "501");
        assert!(row.is_untouched());
    }

    #[test]
    fn owners_are_found_until_the_label_or_the_secret_goes() {
        let mut targets = Targets::default();
        let (key, _) = targets.apply(secret("1", "v", "v"), &Salt::default());
        assert_eq!(targets.made_by("ns", "hash-of-es").len(), 1);
        assert!(targets.made_by("other", "hash-of-es").is_empty());

        targets.remove(&key);

        assert!(targets.made_by("ns", "hash-of-es").is_empty());
    }
}
