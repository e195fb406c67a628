//! What a relist means for a mirror: everything that was there before and did not come again is
//! gone, and what it shows counts even where its resourceVersion is lower than that of the row, as
//! after etcd was restored from a backup. Plain bookkeeping over keys; it knows no kind.

use std::collections::BTreeSet;

/// Whether what a watch shows belongs to a full list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListState {
    /// A list is under way: what it shows may have been there before.
    #[default]
    Listing,
    /// The list is complete: what comes now is new.
    Complete,
}

/// Keys not yet seen again since the watch began a new list.
#[derive(Debug)]
pub struct Relist<K>(Option<BTreeSet<K>>);

impl<K> Default for Relist<K> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: Ord> Relist<K> {
    /// A new list begins while `known` is in the mirror.
    pub fn begin(&mut self, known: impl IntoIterator<Item = K>) {
        self.0 = Some(known.into_iter().collect());
    }

    /// The list, the watch or the answer to a write showed this key. Returns whether it was known
    /// before the list began and is shown for the first time since: it is then taken as it is.
    /// Afterwards versions decide again, because a list may be older than the answer to a write.
    pub fn saw(&mut self, key: &K) -> bool {
        self.0.as_mut().is_some_and(|missing| missing.remove(key))
    }

    /// The list is complete: what it did not show is gone.
    pub fn end(&mut self) -> BTreeSet<K> {
        self.0.take().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_new_list_does_not_show_is_gone() {
        let mut relist = Relist::default();
        relist.begin(["a", "b", "c"]);

        assert!(relist.saw(&"a"));
        assert!(!relist.saw(&"a"));
        assert!(!relist.saw(&"new"));

        assert_eq!(relist.end(), BTreeSet::from(["b", "c"]));
    }

    #[test]
    fn a_watch_without_a_new_list_loses_nothing() {
        let mut relist = Relist::default();

        assert!(!relist.saw(&"a"));

        assert!(relist.end().is_empty());
    }
}
