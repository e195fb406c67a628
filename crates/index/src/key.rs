//! Name of a namespaced object, in one shared allocation: rows, indexes and the scheduler all hold
//! the same text.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_scheduling::slots::Class;

/// `namespace/name`, cheap to clone. Names of cluster-scoped objects have an empty namespace.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    text: Arc<str>,
    split: u32,
}

impl ObjectKey {
    /// The key of `name` in `namespace`.
    pub fn new(namespace: &str, name: &str) -> Self {
        // Names are at most 253 bytes, so the position always fits.
        let split = u32::try_from(namespace.len()).unwrap_or(u32::MAX);
        Self {
            text: format!("{namespace}/{name}").into(),
            split,
        }
    }

    /// The key of the object these are the metadata of.
    pub fn of(metadata: &ObjectMeta) -> Self {
        Self::new(
            metadata.namespace.as_deref().unwrap_or_default(),
            metadata.name.as_deref().unwrap_or_default(),
        )
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        self.text.get(..self.split as usize).unwrap_or_default()
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.text.get(self.split as usize + 1..).unwrap_or_default()
    }
}

impl ObjectKey {
    /// The class of runs and reads for it, where they wait for a store of this number.
    pub fn class(&self, store: Option<u64>) -> Class {
        let mut hasher = DefaultHasher::new();
        self.namespace().hash(&mut hasher);
        Class {
            namespace: hasher.finish(),
            store,
        }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_gives_back_its_parts() {
        let key = ObjectKey::new("team-a", "db");

        assert_eq!((key.namespace(), key.name()), ("team-a", "db"));
        assert_eq!(key.to_string(), "team-a/db");
    }

    #[test]
    fn a_cluster_scoped_key_has_no_namespace() {
        let key = ObjectKey::new("", "prod");

        assert_eq!((key.namespace(), key.name()), ("", "prod"));
    }
}
