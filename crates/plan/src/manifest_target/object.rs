//! An object of any kind, and its name. Contents may be secret: they appear in no debug output.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::{ExternalSecret, keys};
use lockstep_golang::fmt::value_hash;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::target::{Owner, TargetDelete};

/// Names an object of any kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// API version, for example `v1` or `apps/v1`.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// Namespace of the ExternalSecret.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl ObjectRef {
    /// The target of an ExternalSecret, where it is no ordinary Secret.
    pub fn of(object: &ExternalSecret) -> Option<Self> {
        let manifest = object.spec.target.as_ref()?.manifest.as_ref()?;
        Some(Self {
            api_version: manifest.api_version.clone(),
            kind: manifest.kind.clone(),
            namespace: object.metadata.namespace.clone().unwrap_or_default(),
            name: object.target_name().to_owned(),
        })
    }

    /// Whether it is a Secret after all.
    pub(crate) fn is_secret(&self) -> bool {
        self.api_version == "v1" && self.kind == "Secret"
    }

    /// Whether its contents are below `data` rather than `spec`.
    pub(crate) fn has_data(&self) -> bool {
        matches!(self.kind.as_str(), "ConfigMap" | "Secret")
    }
}

/// An object of any kind.
#[derive(Clone, PartialEq)]
pub struct Object(pub(super) Map<String, Value>);

impl Object {
    /// The object as JSON; may hold secret values.
    pub fn expose(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Its metadata as far as it can be read.
    pub fn metadata(&self) -> ObjectMeta {
        let metadata = self.0.get("metadata").cloned().unwrap_or_default();
        serde_json::from_value(metadata).unwrap_or_default()
    }

    /// Whether it is labelled as managed and holds what was last written.
    pub fn is_untouched(&self) -> bool {
        let metadata = self.metadata();
        let text = |map: &Option<std::collections::BTreeMap<String, String>>, key: &str| {
            map.as_ref().and_then(|map| map.get(key)).cloned()
        };
        let managed = text(&metadata.labels, keys::LABEL_MANAGED);
        let noted = text(&metadata.annotations, keys::ANNOTATION_DATA_HASH);
        managed.as_deref() == Some(keys::LABEL_MANAGED_VALUE)
            && noted.is_some()
            && noted == self.content_hash()
    }

    /// Hash of `spec`, or of `data` where there is none.
    pub(super) fn content_hash(&self) -> Option<String> {
        let content = self.0.get("spec").or_else(|| self.0.get("data"))?;
        Some(value_hash(&lockstep_golang::json::Value::from(content)))
    }

    /// Whether the ExternalSecret with this unique id controls it.
    pub fn is_controlled_by(&self, uid: &str) -> bool {
        let owner = Owner::of(&self.metadata());
        !uid.is_empty() && owner.is_some_and(|owner| &*owner.uid == uid)
    }

    /// Its deletion, valid for exactly the version seen.
    pub fn deletion(&self) -> TargetDelete {
        let metadata = self.metadata();
        TargetDelete {
            name: metadata.name.unwrap_or_default(),
            uid: metadata.uid.unwrap_or_default(),
            resource_version: metadata.resource_version.unwrap_or_default(),
        }
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Object")
            .field(&self.0.keys().collect::<Vec<_>>())
            .finish()
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The usual error would show what stands there instead of an object.
        match Value::deserialize(deserializer)? {
            Value::Object(members) => Ok(Self(members)),
            _ => Err(D::Error::custom("not an object")),
        }
    }
}
