//! What the cluster looks like: slim rows of watched objects and the links between them. Pure: no
//! client, no runtime, no clock; time is an argument.

mod index;
mod key;
mod rows;

pub use index::Index;
pub use key::ObjectKey;
pub use rows::*;
