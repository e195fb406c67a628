//! YAML 1.1 as `sigs.k8s.io/yaml` reads it: converted to JSON on the way.
//!
//! The first document of a stream counts. `yes`, `on` and `010` are not strings, `<<` merges,
//! the last of duplicate keys wins, and what JSON cannot hold is refused. Documents that expand
//! through aliases beyond measure, or nest beyond 500 levels, are refused as well.

mod error;
mod expand;
mod input;
mod integer;
mod json;
mod parser;
mod reader;
mod resolve;
mod scanner;
mod strings;
mod timestamp;
mod tree;
mod v3;

pub use error::Error;
pub use strings::decode_strings;
pub use v3::decode_v3;

use crate::json::Value;

/// Reads the first document; integers that fit are int64, other numbers float64.
///
/// An empty stream is `null`.
pub fn decode(source: &[u8]) -> Result<Value, Error> {
    json::to_json(load(source, Version::V2)?)
}

/// Whether a plain scalar of this text is a string, rather than a number, a boolean or the like.
pub fn is_plain_string(text: &str) -> bool {
    resolve::is_string(text)
}

/// The Go library whose reading counts: they differ in which words are booleans, and in whether a key
/// may be given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    /// The one inside `sigs.k8s.io/yaml`.
    V2,
    /// `gopkg.in/yaml.v3`.
    V3,
}

/// Reads the first document as YAML sees it, with keys of any type.
fn load(source: &[u8], version: Version) -> Result<expand::Yaml, Error> {
    let text = input::decode(source)?;
    let tree = tree::Tree::parse(&text)?;
    expand::expand(&tree, version)
}

#[cfg(test)]
mod tests;
