//! Versions of targets that are no Secrets. Decides whether an event shows another version.

use std::collections::BTreeMap;

use super::relist::Relist;
use crate::key::ObjectKey;

/// API version and kind of a target.
pub type ManifestKind = (String, String);

/// The targets of all kinds.
#[derive(Default)]
pub struct ManifestTargets(BTreeMap<ManifestKind, Rows>);

#[derive(Default)]
struct Rows {
    versions: BTreeMap<ObjectKey, String>,
    relist: Relist<ObjectKey>,
}

impl ManifestTargets {
    /// Takes a version from the watch; returns whether it is another one than before.
    pub fn apply(&mut self, kind: &ManifestKind, key: &ObjectKey, version: String) -> bool {
        let rows = self.of(kind);
        rows.relist.saw(key);
        let changed = rows.versions.get(key) != Some(&version);
        if changed {
            rows.versions.insert(key.clone(), version);
        }
        changed
    }

    /// Takes a target out.
    pub fn remove(&mut self, kind: &ManifestKind, key: &ObjectKey) {
        self.of(kind).versions.remove(key);
    }

    /// A new list of one kind begins.
    pub fn begin_list(&mut self, kind: &ManifestKind) {
        let rows = self.of(kind);
        rows.relist.begin(rows.versions.keys().cloned());
    }

    /// The list is complete; returns what is gone.
    pub fn end_list(&mut self, kind: &ManifestKind) -> Vec<ObjectKey> {
        let rows = self.of(kind);
        let gone = rows.relist.end();
        for key in &gone {
            rows.versions.remove(key);
        }
        gone.into_iter().collect()
    }

    fn of(&mut self, kind: &ManifestKind) -> &mut Rows {
        self.0.entry(kind.clone()).or_default()
    }
}
