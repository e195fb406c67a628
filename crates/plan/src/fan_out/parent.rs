//! What the kinds that keep children differ in.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use lockstep_api::fan_out::{ChildMetadata, FailedNamespace};
use serde::Serialize;

/// A kind whose objects are kept in many namespaces.
pub trait Child: Clone + Default {
    /// Its metadata.
    fn metadata(&self) -> &ObjectMeta;

    /// Its metadata, to be changed.
    fn metadata_mut(&mut self) -> &mut ObjectMeta;
}

/// A kind that keeps children.
pub trait Parent {
    /// What it keeps.
    type Child: Child;
    /// What is reported about it.
    type Status: Clone + Default + PartialEq + Serialize;

    /// Its `apiVersion`.
    const API_VERSION: &'static str;
    /// Its kind.
    const KIND: &'static str;
    /// Finalizer of its objects; without one the garbage collector deletes the children.
    const FINALIZER: Option<&'static str>;
    /// Whether children get the annotation that has them synced at once.
    const FORCES_SYNC: bool;
    /// Reason of a namespace that has a foreign object of the child's name.
    const CHILD_EXISTS: &'static str;

    /// Its metadata.
    fn metadata(&self) -> &ObjectMeta;

    /// Its metadata, to be changed.
    fn metadata_mut(&mut self) -> &mut ObjectMeta;

    /// Name of the children, where one is given.
    fn given_name(&self) -> Option<&str>;

    /// Labels and annotations of the children.
    fn child_metadata(&self) -> ChildMetadata;

    /// Gives a child its spec.
    fn fill(&self, child: &mut Self::Child);

    /// Whether a child has its spec.
    fn is_filled(&self, child: &Self::Child) -> bool;

    /// Finalizer that it puts on namespaces, where it does.
    fn mark(&self) -> Option<String>;

    /// Selectors of the namespaces it wants, with the field of each.
    fn selectors(&self) -> Vec<(String, &LabelSelector)>;

    /// Names of further namespaces it wants.
    fn names(&self) -> &[String];

    /// Time between two looks at everything, as it is written.
    fn refresh_time(&self) -> Option<&str>;

    /// The status it has.
    fn status(&self) -> Option<&Self::Status>;

    /// Namespaces that a status says have their child.
    fn provisioned(status: &Self::Status) -> &[String];

    /// Namespaces that a status says failed.
    fn failed(status: &Self::Status) -> &[FailedNamespace];

    /// What a status says of the Ready condition.
    fn is_ready(status: &Self::Status) -> Option<bool>;

    /// The generation that a status is about.
    fn observed_generation(status: &Self::Status) -> Option<i64>;

    /// The status that says this.
    fn new_status(&self, said: Namespaces, observed_generation: Option<i64>) -> Self::Status;
}

/// What became of the namespaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Namespaces {
    /// Those where it did not work.
    pub failed: Vec<FailedNamespace>,
    /// Those that have their child.
    pub provisioned: Vec<String>,
    /// Whether the namespaces themselves could not be told.
    pub unknown: bool,
}
