//! Go maps with string keys: the shared, changeable `map[string]interface {}` and the fixed
//! `map[string]string` that templates get as their data.
//!
//! Keys are kept in byte order, which is the order Go prints and ranges in. No lock is held while
//! anything else runs, so aliases of one map can be used freely.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use super::{Str, Value, release};

/// The value type of a [`Map`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapKind {
    /// `map[string]interface {}`
    Any,
    /// `map[string]map[string]string`
    StringMaps,
}

/// A map with reference semantics: clones see each other's changes.
#[derive(Clone)]
pub struct Map(Arc<Data>);

struct Data {
    kind: MapKind,
    nil: bool,
    entries: Mutex<BTreeMap<Str, Value>>,
}

impl Map {
    /// A `map[string]interface {}` of these entries.
    pub fn new(entries: BTreeMap<Str, Value>) -> Self {
        Self::build(MapKind::Any, entries, false)
    }

    /// A `map[string]map[string]string`, the data of the webhook provider's templates.
    pub fn string_maps(entries: BTreeMap<Str, StrMap>) -> Self {
        let entries = entries
            .into_iter()
            .map(|(key, map)| (key, Value::StrMap(map)))
            .collect();
        Self::build(MapKind::StringMaps, entries, false)
    }

    /// The nil map: empty, and refuses to be written.
    pub(crate) fn nil() -> Self {
        Self::build(MapKind::Any, BTreeMap::new(), true)
    }

    fn build(kind: MapKind, entries: BTreeMap<Str, Value>, nil: bool) -> Self {
        Self(Arc::new(Data {
            kind,
            nil,
            entries: Mutex::new(entries),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Str, Value>> {
        self.0.entries.lock()
    }

    pub(crate) fn kind(&self) -> MapKind {
        self.0.kind
    }

    pub(crate) fn is_nil(&self) -> bool {
        self.0.nil
    }

    /// Whether both are the same map, not merely equal ones.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// The value under `key`.
    pub fn get(&self, key: &[u8]) -> Option<Value> {
        self.lock().get(key).cloned()
    }

    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        self.lock().contains_key(key)
    }

    pub(crate) fn insert(&self, key: Str, value: Value) {
        // The replaced value is dropped outside the lock: it may hold this very map.
        let replaced = self.lock().insert(key, value);
        drop(replaced);
    }

    pub(crate) fn remove(&self, key: &[u8]) {
        let removed = self.lock().remove(key);
        drop(removed);
    }

    /// All entries in key order, as they are now.
    pub fn entries(&self) -> Vec<(Str, Value)> {
        self.lock()
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    /// All keys in order, as they are now.
    pub fn keys(&self) -> Vec<Str> {
        self.lock().keys().cloned().collect()
    }

    pub(super) fn into_values(self) -> Option<BTreeMap<Str, Value>> {
        let mut data = Arc::into_inner(self.0)?;
        Some(std::mem::take(data.entries.get_mut()))
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        let entries = self.entries.get_mut();
        if entries.values().any(Value::holds_values) {
            release(std::mem::take(entries).into_values().collect());
        }
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Map({} entries)", self.len())
    }
}

/// A `map[string]string` that nothing changes.
#[derive(Clone, Default)]
pub struct StrMap(Arc<BTreeMap<Str, Str>>);

impl StrMap {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value under `key`.
    pub fn get(&self, key: &[u8]) -> Option<&Str> {
        self.0.get(key)
    }

    /// The entries in key order.
    pub fn iter(&self) -> impl Iterator<Item = (&Str, &Str)> {
        self.0.iter()
    }
}

impl<K: Into<Str>, V: Into<Str>> FromIterator<(K, V)> for StrMap {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self(Arc::new(
            entries
                .into_iter()
                .map(|(k, v)| (k.into(), v.into()))
                .collect(),
        ))
    }
}

impl fmt::Debug for StrMap {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "StrMap({} entries)", self.len())
    }
}
