//! Objects that others read from, by version only: template sources of ExternalSecrets, credentials
//! of stores, generators. Only what someone refers to has a row. Decides whether an event is a
//! change someone should hear of.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_plan::StoreKey;

use super::relist::{ListState, Relist};
use crate::key::ObjectKey;

/// Kind of an input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InputKind {
    ConfigMap,
    Secret,
    /// A generator of this kind.
    Generator(Box<str>),
}

/// One object that is read from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InputKey {
    pub kind: InputKind,
    pub name: ObjectKey,
}

/// Who reads from an input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reader {
    /// An ExternalSecret.
    ExternalSecret(ObjectKey),
    /// A PushSecret.
    PushSecret(ObjectKey),
    /// A store, for the callers of this namespace or for all.
    Store(StoreKey, Option<Box<str>>),
}

/// All inputs someone refers to.
#[derive(Default)]
pub struct Inputs {
    rows: BTreeMap<InputKey, Row>,
    by_reader: BTreeMap<Reader, BTreeSet<InputKey>>,
    relist: BTreeMap<InputKind, Relist<InputKey>>,
    lists: BTreeMap<InputKind, ListState>,
    watched: BTreeSet<InputKind>,
}

#[derive(Default)]
struct Row {
    /// The version last seen; empty for an object that is gone, `None` before the first look.
    version: Option<Box<str>>,
    readers: BTreeSet<Reader>,
}

impl Inputs {
    /// Sets what someone reads from, in place of what it was. Returns the kinds to be watched.
    pub fn set(&mut self, reader: &Reader, inputs: BTreeSet<InputKey>) {
        let old = self.by_reader.remove(reader).unwrap_or_default();
        for input in old.difference(&inputs) {
            self.unlink(input, reader);
        }
        for input in inputs.difference(&old) {
            let row = self.rows.entry(input.clone()).or_default();
            row.readers.insert(reader.clone());
        }
        if !inputs.is_empty() {
            self.by_reader.insert(reader.clone(), inputs);
        }
    }

    /// Adds what a store was seen to read.
    pub fn add(&mut self, reader: &Reader, input: InputKey) {
        let row = self.rows.entry(input.clone()).or_default();
        row.readers.insert(reader.clone());
        self.by_reader
            .entry(reader.clone())
            .or_default()
            .insert(input);
    }

    /// Forgets a store, whoever its callers were.
    pub fn remove_store(&mut self, store: &StoreKey) {
        let first = Reader::Store(store.clone(), None);
        let readers = self.by_reader.range(first..);
        let readers =
            readers.take_while(|(reader, _)| matches!(reader, Reader::Store(of, _) if of == store));
        let readers: Vec<Reader> = readers.map(|(reader, _)| reader.clone()).collect();
        for reader in readers {
            self.set(&reader, BTreeSet::new());
        }
    }

    /// Forgets what stores read for the callers of a namespace.
    pub fn remove_caller(&mut self, namespace: &str) {
        let is_meant =
            |reader: &&Reader| matches!(reader, Reader::Store(_, Some(of)) if **of == *namespace);
        let readers: Vec<Reader> = self.by_reader.keys().filter(is_meant).cloned().collect();
        for reader in readers {
            self.set(&reader, BTreeSet::new());
        }
    }

    /// Takes a version from the watch; an empty one says that the object is gone. Returns who
    /// should hear of it: nobody where the version is known, or was never known and comes in a
    /// list.
    pub fn saw(&mut self, input: &InputKey, version: &str, list: ListState) -> Vec<Reader> {
        if let Some(relist) = self.relist.get_mut(&input.kind) {
            relist.saw(input);
        }
        let Some(row) = self.rows.get_mut(input) else {
            return Vec::new();
        };
        let news = match row.version.as_deref() {
            None => list == ListState::Complete,
            Some(known) => known != version,
        };
        row.version = Some(version.into());
        if news {
            row.readers.iter().cloned().collect()
        } else {
            Vec::new()
        }
    }

    /// Notes the version that a PushSecret read before the watch showed any, so that the late event of
    /// that version is no news. Where others read the object too, they may have read an older one.
    pub fn read_first(&mut self, input: &InputKey, version: &str) {
        if let Some(row) = self.rows.get_mut(input)
            && row.version.is_none()
            && row.readers.len() == 1
            && matches!(row.readers.first(), Some(Reader::PushSecret(_)))
        {
            row.version = Some(version.into());
        }
    }

    /// A new list of one kind begins.
    pub fn begin_list(&mut self, kind: &InputKind) {
        self.lists.insert(kind.clone(), ListState::Listing);
        if !is_whole(kind) {
            return;
        }
        let known = self
            .rows
            .keys()
            .filter(|input| input.kind == *kind)
            .cloned();
        self.relist.entry(kind.clone()).or_default().begin(known);
    }

    /// The list is complete: what it did not show is gone. Returns who should hear of it.
    pub fn end_list(&mut self, kind: &InputKind) -> Vec<Reader> {
        self.lists.insert(kind.clone(), ListState::Complete);
        if !is_whole(kind) {
            return Vec::new();
        }
        let gone = self.relist.entry(kind.clone()).or_default().end();
        let gone = gone.into_iter();
        gone.flat_map(|input| self.saw(&input, "", ListState::Listing))
            .collect()
    }

    /// Number of inputs.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Whether a list of one kind is under way.
    pub fn list_state(&self, kind: &InputKind) -> ListState {
        self.lists.get(kind).copied().unwrap_or_default()
    }

    /// Those of these kinds that are not watched yet. They count as watched from now on.
    pub fn not_watched(&mut self, kinds: BTreeSet<InputKind>) -> Vec<InputKind> {
        let kinds = kinds.into_iter();
        kinds
            .filter(|kind| self.watched.insert(kind.clone()))
            .collect()
    }

    fn unlink(&mut self, input: &InputKey, reader: &Reader) {
        if let Some(row) = self.rows.get_mut(input) {
            row.readers.remove(reader);
            if row.readers.is_empty() {
                self.rows.remove(input);
            }
        }
    }
}

/// Whether the list of a kind shows all objects of it. Secrets with our label are not in the list of
/// the others, so their absence from it says nothing.
fn is_whole(kind: &InputKind) -> bool {
    *kind != InputKind::Secret
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str) -> InputKey {
        InputKey {
            kind: InputKind::ConfigMap,
            name: ObjectKey::new("ns", name),
        }
    }

    fn reader(name: &str) -> Reader {
        Reader::ExternalSecret(ObjectKey::new("ns", name))
    }

    #[test]
    fn only_a_new_version_of_something_referred_to_is_news() {
        let mut inputs = Inputs::default();
        inputs.set(&reader("a"), BTreeSet::from([input("tpl")]));

        assert_eq!(inputs.saw(&input("tpl"), "1", ListState::Listing), []);
        assert_eq!(inputs.saw(&input("tpl"), "1", ListState::Complete), []);
        assert_eq!(
            inputs.saw(&input("tpl"), "2", ListState::Complete),
            [reader("a")]
        );
        assert_eq!(inputs.saw(&input("other"), "7", ListState::Complete), []);
        assert_eq!(inputs.count(), 1);
    }

    #[test]
    fn an_object_made_or_deleted_later_is_news() {
        let mut inputs = Inputs::default();
        inputs.set(&reader("a"), BTreeSet::from([input("tpl")]));
        inputs.begin_list(&InputKind::ConfigMap);
        assert_eq!(inputs.end_list(&InputKind::ConfigMap), []);

        assert_eq!(
            inputs.saw(&input("tpl"), "1", ListState::Complete),
            [reader("a")]
        );
        inputs.begin_list(&InputKind::ConfigMap);
        assert_eq!(inputs.end_list(&InputKind::ConfigMap), [reader("a")]);
    }

    #[test]
    fn what_nobody_refers_to_any_more_has_no_row() {
        let mut inputs = Inputs::default();
        inputs.set(&reader("a"), BTreeSet::from([input("tpl")]));
        inputs.set(&reader("b"), BTreeSet::from([input("tpl")]));

        inputs.set(&reader("a"), BTreeSet::new());
        assert_eq!(inputs.count(), 1);
        inputs.set(&reader("b"), BTreeSet::from([input("new")]));

        assert_eq!(inputs.saw(&input("tpl"), "1", ListState::Complete), []);
        assert_eq!(inputs.count(), 1);
    }

    #[test]
    fn a_namespace_that_has_no_objects_any_more_leaves_no_rows() {
        let (mut inputs, store) = (Inputs::default(), StoreKey::cluster("shared"));
        let of = |caller: &str| Reader::Store(store.clone(), Some(caller.into()));
        inputs.add(&of("kept"), input("kept"));
        for number in 0..1_000 {
            let namespace = format!("short-lived-{number}");
            inputs.add(&of(&namespace), input(&namespace));

            inputs.remove_caller(&namespace);
        }

        assert_eq!((inputs.count(), inputs.by_reader.len()), (1, 1));
    }

    #[test]
    fn a_store_is_forgotten_with_all_its_callers() {
        let mut inputs = Inputs::default();
        let store = StoreKey::cluster("shared");
        inputs.add(&Reader::Store(store.clone(), None), input("a"));
        inputs.add(&Reader::Store(store.clone(), Some("ns".into())), input("b"));

        inputs.remove_store(&store);

        assert_eq!(inputs.count(), 0);
    }
}
