//! Owner references of targets: who controls a Secret, and how an ExternalSecret takes or gives
//! up control. References are compared by group, kind and name, as upstream does, so that those
//! of older releases are recognised; only deletions compare the unique id.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use lockstep_api::{ExternalSecret, keys};

/// The controller of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// API version of the owner.
    pub api_version: Box<str>,
    /// Kind of the owner.
    pub kind: Box<str>,
    /// Name of the owner.
    pub name: Box<str>,
    /// Unique id of the owner.
    pub uid: Box<str>,
    /// Whether the owner waits for the object when it is deleted.
    pub blocks_deletion: bool,
}

impl Owner {
    /// The controller of an object, if it has one.
    pub fn of(metadata: &ObjectMeta) -> Option<Self> {
        let references = metadata.owner_references.iter().flatten();
        let mut controllers = references.filter(|reference| reference.controller == Some(true));
        controllers.next().map(Self::from)
    }

    /// Whether the owner is an ExternalSecret of any version.
    pub fn is_external_secret(&self) -> bool {
        let group = self.api_version.split_once('/').map(|(group, _)| group);
        group == Some(keys::GROUP) && &*self.kind == ExternalSecret::KIND
    }
}

impl From<&OwnerReference> for Owner {
    fn from(reference: &OwnerReference) -> Self {
        Self {
            api_version: reference.api_version.as_str().into(),
            kind: reference.kind.as_str().into(),
            name: reference.name.as_str().into(),
            uid: reference.uid.as_str().into(),
            blocks_deletion: reference.block_owner_deletion == Some(true),
        }
    }
}

/// The reference by which an ExternalSecret controls its target.
pub(super) fn controller_reference(name: &str, uid: &str) -> OwnerReference {
    OwnerReference {
        api_version: ExternalSecret::API_VERSION.to_owned(),
        block_owner_deletion: Some(true),
        controller: Some(true),
        kind: ExternalSecret::KIND.to_owned(),
        name: name.to_owned(),
        uid: uid.to_owned(),
    }
}

/// Whether a reference means the ExternalSecret of this name, whatever its version and unique id.
pub(super) fn refers_to(reference: &OwnerReference, name: &str) -> bool {
    Owner::from(reference).is_external_secret() && reference.name == name
}
