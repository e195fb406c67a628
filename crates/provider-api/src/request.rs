//! What callers ask of a store: references, searches and pushes. Plain data without behaviour;
//! decoding, rewriting and templating happen after a store has answered.

use std::collections::BTreeMap;

use crate::keys::Conversion;
use crate::value::SecretMap;

/// A reference to one remote secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RemoteRef {
    /// Name or path at the backend.
    pub key: String,
    /// Path into the value (gjson syntax unless the backend has fields of its own).
    pub property: Option<String>,
    /// Version, stage or label.
    pub version: Option<String>,
    /// Whether metadata is wanted in place of the value.
    pub metadata: MetadataPolicy,
}

impl RemoteRef {
    /// A reference by key alone.
    pub fn key(key: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            ..Self::default()
        }
    }

    /// The same reference with a property.
    pub fn property(mut self, property: impl Into<String>) -> Self {
        self.property = Some(property.into());
        self
    }

    /// The property, where one is given and not empty.
    pub fn wanted_property(&self) -> Option<&str> {
        self.property
            .as_deref()
            .filter(|property| !property.is_empty())
    }

    /// The version, where one is given and not empty.
    pub fn wanted_version(&self) -> Option<&str> {
        self.version
            .as_deref()
            .filter(|version| !version.is_empty())
    }
}

/// Whether a read asks for the value or for labels, tags and annotations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MetadataPolicy {
    /// The value.
    #[default]
    None,
    /// The metadata.
    Fetch,
}

/// A search over a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Find {
    /// Folder or prefix to search below.
    pub path: Option<String>,
    /// Go regular expression, unanchored, on the secret's name.
    pub name: Option<String>,
    /// Tags or labels, all of which must match; none at all match everything.
    pub tags: Option<BTreeMap<String, String>>,
    /// How providers that convert names while listing do it.
    pub conversion: Conversion,
}

/// Where a pushed value goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushTarget {
    /// Name or path at the backend.
    pub remote_key: String,
    /// Member inside the remote value.
    pub property: Option<String>,
    /// The entry's `metadata`, as written in the manifest. Where it says where the value goes, a
    /// provider must look there when it deletes or asks for existence, too.
    pub metadata: Option<serde_json::Value>,
}

impl PushTarget {
    /// A target by key alone.
    pub fn key(remote_key: impl Into<String>) -> Self {
        Self {
            remote_key: remote_key.into(),
            ..Self::default()
        }
    }

    /// The property, where one is given and not empty.
    pub fn wanted_property(&self) -> Option<&str> {
        self.property
            .as_deref()
            .filter(|property| !property.is_empty())
    }
}

/// One value, or a whole Secret, to write to a backend.
#[derive(Clone, Debug)]
pub struct PushItem {
    /// Where it goes.
    pub target: PushTarget,
    /// Key of `source` to push; `None` pushes the whole Secret as a JSON object.
    pub secret_key: Option<String>,
    /// Data of the source Secret.
    pub source: SecretMap,
    /// Type of the source Secret.
    pub secret_type: Option<String>,
    /// Labels of the source Secret.
    pub labels: BTreeMap<String, String>,
    /// Annotations of the source Secret.
    pub annotations: BTreeMap<String, String>,
    /// The entry's `metadata`, as written in the manifest.
    pub metadata: Option<serde_json::Value>,
    /// Namespace of the PushSecret, where the objects that `metadata` names are.
    pub namespace: Option<String>,
}

impl PushItem {
    /// A push of a whole Secret without labels, annotations or metadata.
    pub fn whole(target: PushTarget, source: SecretMap) -> Self {
        Self {
            target,
            secret_key: None,
            source,
            secret_type: None,
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            metadata: None,
            namespace: None,
        }
    }
}

/// What a push did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// The remote secret is new.
    Created,
    /// Its value changed.
    Updated,
    /// It already held the value; nothing was written.
    Unchanged,
}

/// Answer of a store's own check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// The backend answered and the credentials are good.
    Ready,
    /// It cannot be told without a caller (referent stores) or at all.
    Unknown,
}
