//! Paths into JSON, with the syntax and the tolerance of `tidwall/gjson`.
//!
//! A path such as `users.#(name=="ann").keys.0|@tostr` picks or builds a value from JSON bytes.
//! Malformed JSON is read as far as it makes sense and never refused. Simple paths do not
//! allocate. A hostile path cannot hang or exhaust memory: work, output and nesting are limited,
//! and beyond a limit the path simply finds nothing.

mod array;
mod budget;
mod hit;
mod modifier;
mod multipath;
mod object;
mod path;
mod pretty;
mod query;
mod search;
mod token;
mod wildcard;

pub use hit::{Hit, Kind};

use budget::Budget;

/// Finds the value at `path`, or nothing if there is none.
///
/// JSON `null` is found; its text is empty.
pub fn get<'a>(json: &'a [u8], path: &str) -> Option<Hit<'a>> {
    search::get(json, path.as_bytes(), &Budget::for_input(json))
}

/// Reads the first value in `json` as a whole, without a path.
pub fn parse(json: &[u8]) -> Option<Hit<'_>> {
    token::parse(json)
}

/// Whether `json` is exactly one well-formed JSON value.
pub fn valid(json: &[u8]) -> bool {
    crate::json::is_well_formed(json)
}

/// Escapes every dot, so that a name with dots is one component of a path.
///
/// Nothing else is escaped: providers do it this way before they fall back to the path itself.
pub fn escape_component(name: &str) -> String {
    name.replace('.', "\\.")
}

#[cfg(test)]
mod tests;
