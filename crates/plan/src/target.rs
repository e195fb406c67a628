//! The target Secret of an ExternalSecret: what the mirror keeps of it, what it should be, and how
//! an existing one is changed without touching what is not ours.

mod desired;
mod managed_fields;
mod mutate;
mod owner;
mod row;
mod sync;

pub use crate::salt::Salt;
pub use desired::{Desired, Write};
pub use managed_fields::{Managed, Section};
pub use mutate::{Mutation, mutate};
pub(crate) use mutate::{owner_hash, settle_ownership};
pub use owner::Owner;
pub use row::{RowParts, TargetRow};

/// A Secret to delete, as it was seen: a newer or another one of that name must stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetDelete {
    /// Name of the Secret.
    pub name: String,
    /// Its unique id, a precondition of the deletion.
    pub uid: String,
    /// Its resourceVersion, a precondition of the deletion.
    pub resource_version: String,
}

#[cfg(test)]
mod tests;
