//! Targets that are no Secrets (`target.manifest`): any object of the cluster, as JSON. What it
//! should be is worked out from the one that was read, so that a write replaces exactly that one.

mod build;
mod object;
mod path;
mod place;

pub(crate) use build::{BuildError, build};
pub use object::{Object, ObjectRef};

/// What to do with the object.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectPlan {
    /// Create it.
    Create(Object),
    /// Write it in place of the one that was read, under its resourceVersion.
    Replace(Object),
    /// Delete it, if it is still the one that was read.
    Delete(crate::target::TargetDelete),
    /// Nothing: it is as wished.
    InSync,
    /// Nothing: it does not exist, and the policy does not make it.
    Missing,
    /// Nothing: it is to be deleted, and is gone.
    Gone,
}

#[cfg(test)]
mod tests;
