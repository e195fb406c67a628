//! Paths into JSON, with the syntax and the tolerance of `tidwall/gjson`.
//!
//! A path such as `users.#(name=="ann").keys.0|@tostr` picks or builds a value from JSON bytes.
//! Malformed JSON is read as far as it makes sense and never refused. Simple paths do not
//! allocate. A hostile path cannot hang or exhaust memory: length, work, output and nesting are
//! limited. [`find`] tells a limit from a miss; [`get`] finds nothing beyond a limit.

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

/// A path costs more than one path may: it says nothing about what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the path is too long or takes too much work")]
pub struct Exceeded;

/// Finds the value at `path`, or nothing if there is none.
///
/// JSON `null` is found; its text is empty.
pub fn find<'a>(json: &'a [u8], path: &str) -> Result<Option<Hit<'a>>, Exceeded> {
    if path.len() > budget::MAX_PATH {
        return Err(Exceeded);
    }
    let budget = Budget::for_input(json);
    let found = search::get(json, path.as_bytes(), &budget);
    if budget.is_exceeded() {
        return Err(Exceeded);
    }
    Ok(found)
}

/// Like [`find`]; a path beyond a limit finds nothing.
pub fn get<'a>(json: &'a [u8], path: &str) -> Option<Hit<'a>> {
    find(json, path).ok().flatten()
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
