//! Every provider this build knows: one cargo feature each, one static table, no registration at
//! run time. The only crate that names providers; everything else goes through [`Entry`].
//!
//! A store whose provider is missing learns which ones are here, and whether the one it wants
//! exists at all or is merely left out of this build.

#![warn(missing_docs)]

mod lookup;
mod table;
mod upstream;

pub use lockstep_provider_api::Entry;
pub use lookup::{LookupError, lookup};

/// Rows of the providers compiled in, in order of their feature names.
pub fn registry() -> &'static [Entry] {
    table::TABLE
}

/// The provider keys a store manifest may have, those that are not in this build included.
pub fn known_names() -> impl Iterator<Item = &'static str> {
    upstream::NAMES.iter().copied()
}
