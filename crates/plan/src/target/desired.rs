//! What a target should be: the outcome of all policies and templates, before anyone looked at the
//! existing Secret. Made by the planner; applied by [`super::mutate()`].

use std::collections::BTreeMap;

use lockstep_provider_api::SecretMap;

/// The wished-for state of a target Secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Desired {
    /// Namespace of ExternalSecret and Secret.
    pub namespace: String,
    /// Name of the Secret.
    pub name: String,
    /// Field manager to write under.
    pub manager: String,
    /// How the target is written.
    pub write: Write,
    /// Name of the ExternalSecret.
    pub owner_name: String,
    /// Unique id of the ExternalSecret.
    pub owner_uid: String,
    /// Whether the Secret is marked immutable and its data never rewritten.
    pub immutable: bool,
    /// Type of the Secret, where the template names one.
    pub secret_type: Option<String>,
    /// Labels from the ExternalSecret or its template.
    pub labels: BTreeMap<String, String>,
    /// Annotations from the ExternalSecret or its template.
    pub annotations: BTreeMap<String, String>,
    /// Finalizers from the template.
    pub finalizers: Vec<String>,
    /// Data.
    pub data: SecretMap,
}

/// How a target is written: what a creation policy means for an existing Secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// `Owner`: the Secret is made, controlled, and holds nothing else.
    Own,
    /// `Orphan`: the Secret is made and holds nothing else, but is not controlled.
    Replace,
    /// `CreateOrMerge`: the Secret is made if it is missing; foreign keys stay.
    CreateOrMerge,
    /// `Merge`: the Secret must exist; foreign keys stay.
    Merge,
}

impl Write {
    /// Whether a missing Secret is made.
    pub const fn creates(self) -> bool {
        !matches!(self, Self::Merge)
    }

    /// Whether keys of others stay.
    pub const fn keeps_foreign_keys(self) -> bool {
        matches!(self, Self::Merge | Self::CreateOrMerge)
    }

    /// Whether the ExternalSecret controls the Secret.
    pub const fn owns(self) -> bool {
        matches!(self, Self::Own)
    }
}
