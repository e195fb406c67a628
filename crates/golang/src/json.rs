//! JSON as Go's `encoding/json` reads and writes it.
//!
//! Reading is strict about syntax with Go's error texts, yet forgives lone surrogates and illegal
//! UTF-8 (each becomes U+FFFD) and keeps the last of duplicate keys. Two conversions of a JSON
//! object to secret data exist upstream and both are here: [`object_members`] keeps source text,
//! [`to_bytes`] goes through a decoded value.

mod decode;
mod encode;
mod error;
mod members;
mod quote;
mod scan;
mod serde;
mod value;

pub use decode::{decode, decode_keeping_integers, decode_numbers_as_text, decode_unstructured};
pub use encode::{Html, append_string, append_string_bytes, marshal, marshal_escaped, to_bytes};
pub use error::Error;
pub use members::{Member, object_members};
pub(crate) use scan::is_well_formed;
pub use scan::validate;
pub use value::{Number, Value};

#[cfg(test)]
mod tests;
