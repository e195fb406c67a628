//! Writing into JSON text by path, as tidwall's sjson does: what is not touched keeps its spelling,
//! missing objects and arrays are made on the way. Values are written as JSON strings. Parts, indexes
//! and the size of the result are limited while it is made, because a short path can ask for a huge
//! array and a long one for a deep tree.

use crate::json::{Html, append_string};

mod path;
mod scan;
#[cfg(test)]
mod tests;

use path::Part;
use scan::Container;

/// Why a path cannot be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The path is empty.
    EmptyPath,
    /// The path has a wildcard, a query or a modifier.
    Unsupported,
    /// The path has too many parts.
    TooManyParts,
    /// The path asks for an array with too many elements.
    IndexTooLarge,
    /// The result would be too large.
    TooLarge,
    /// The text is no JSON, or the path leads through something that is no object or array.
    NotJson,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::EmptyPath => "path cannot be empty",
            Self::Unsupported => "wildcard characters not allowed in path",
            Self::TooManyParts => "path has more than 64 parts",
            Self::IndexTooLarge => "path has an index beyond 10000; write :N for a member named N",
            Self::TooLarge => "the result would be larger than 2 MiB",
            Self::NotJson => "the value is not a JSON object or array",
        })
    }
}

impl std::error::Error for Error {}

/// Largest text that is read or made, in bytes: above what any backend keeps as one value.
const MAX_BYTES: usize = 2 << 20;

/// `json` with a string at `path`; an empty text and `null` count as nothing yet.
pub fn set(json: &[u8], path: &str, value: &[u8]) -> Result<Vec<u8>, Error> {
    let parts = path::parse(path)?;
    let json = match json.trim_ascii() {
        b"null" => b"",
        _ => json,
    };
    let value = quoted(value);
    // What is made beside the text and the value: names, and a `null` for each empty place.
    let made = parts.iter().map(|part| {
        let places = part.index().unwrap_or_default().min(path::MAX_INDEX);
        6 * part.name.len() + 5 * places + 8
    });
    let made: usize = made.sum();
    if json.len().saturating_add(value.len()) + made > MAX_BYTES {
        return Err(Error::TooLarge);
    }
    put(json, &parts, value.as_bytes())
}

/// `json` without what is at `path`; unchanged where nothing is there.
pub fn remove(json: &[u8], path: &str) -> Result<Vec<u8>, Error> {
    let parts = path::parse(path)?;
    take(json, &parts)
}

fn put(json: &[u8], parts: &[Part], value: &[u8]) -> Result<Vec<u8>, Error> {
    let Some((part, rest)) = parts.split_first() else {
        return Ok(value.to_vec());
    };
    let Some(container) = scan::container(json)? else {
        return Ok(fresh(part, part.place()?, &made(rest, value)?));
    };
    match container.find(part)? {
        Some(member) => {
            let inner = put(inner_of(&json[member.value.clone()]), rest, value)?;
            Ok(splice(json, member.value.start, member.value.end, &inner))
        }
        None => append(json, &container, part, &made(rest, value)?),
    }
}

/// A scalar on the way is replaced by the container that the path asks for.
fn inner_of(json: &[u8]) -> &[u8] {
    match json.first() {
        Some(b'{' | b'[') => json,
        _ => b"",
    }
}

/// The value with the containers that lead to it, below one that is new.
fn made(parts: &[Part], value: &[u8]) -> Result<Vec<u8>, Error> {
    let Some((part, rest)) = parts.split_first() else {
        return Ok(value.to_vec());
    };
    let index = part.place()?.or(part.is_end().then_some(0));
    Ok(fresh(part, index, &made(rest, value)?))
}

/// A new container with one member: an array where there is an index.
fn fresh(part: &Part, index: Option<usize>, value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(index) = index {
        out.push(b'[');
        for _ in 0..index {
            out.extend_from_slice(b"null,");
        }
        out.extend_from_slice(value);
        out.push(b']');
    } else {
        out.push(b'{');
        out.extend(key(&part.name));
        out.extend_from_slice(value);
        out.push(b'}');
    }
    out
}

/// The container with one member more, without the white space around it. An array that is
/// extended by index loses the white space between its elements too.
fn append(json: &[u8], container: &Container, part: &Part, value: &[u8]) -> Result<Vec<u8>, Error> {
    let mut out = json[container.start..container.end].to_vec();
    if container.is_array && !part.is_end() {
        let index = part.place()?.ok_or(Error::NotJson)?;
        let elements = container.members.iter();
        let mut elements: Vec<&[u8]> = elements.map(|one| &json[one.value.clone()]).collect();
        elements.resize(index, b"null");
        elements.push(value);
        out = [b"[".as_slice(), &elements.join(b",".as_slice())].concat();
    } else {
        if !container.members.is_empty() {
            out.push(b',');
        }
        if !container.is_array {
            out.extend(key(&part.name));
        }
        out.extend_from_slice(value);
    }
    out.push(json[container.end]);
    Ok(out)
}

fn key(name: &str) -> Vec<u8> {
    let mut text = quoted(name.as_bytes());
    text.push(':');
    text.into_bytes()
}

/// A JSON string. Plain text is put between quotes as it is; only what needs escapes goes through
/// Go's encoder, which then escapes for HTML too.
fn quoted(text: &[u8]) -> String {
    let is_plain = |byte: &u8| (b' '..=0x7f).contains(byte) && !b"\"\\".contains(byte);
    let html = if text.iter().all(is_plain) {
        Html::Plain
    } else {
        Html::Escaped
    };
    let mut out = String::new();
    append_string(&mut out, text, html);
    out
}

fn take(json: &[u8], parts: &[Part]) -> Result<Vec<u8>, Error> {
    let unchanged = || Ok(json.to_vec());
    let Some((part, rest)) = parts.split_first() else {
        return unchanged();
    };
    let Some(container) = scan::container(json)? else {
        return unchanged();
    };
    let Some(member) = container.find(part)? else {
        return unchanged();
    };
    if !rest.is_empty() {
        let inner = take(&json[member.value.clone()], rest)?;
        return Ok(splice(json, member.value.start, member.value.end, &inner));
    }
    let after = member.value.end;
    let is_comma = |byte: &u8| *byte == b',';
    let comma_before = json[..member.start].iter().rposition(is_comma);
    let comma_after = json[after..].iter().position(is_comma);
    let has_next = member.number + 1 < container.members.len();
    // The white space beyond the comma that goes along stays, as sjson leaves it.
    let (start, end) = match (member.number, comma_before, comma_after) {
        (0, _, Some(comma)) if has_next => (first(&container, member.start), after + comma + 1),
        (0, _, _) => (first(&container, member.start), after),
        (_, Some(comma), _) => (comma, after),
        (_, None, _) => (member.start, after),
    };
    Ok(splice(json, start, end, b""))
}

/// From where the first member is removed: in an object with the white space before it.
fn first(container: &Container, start: usize) -> usize {
    if container.is_array {
        start
    } else {
        container.start + 1
    }
}

fn splice(json: &[u8], start: usize, end: usize, middle: &[u8]) -> Vec<u8> {
    [&json[..start], middle, &json[end..]].concat()
}
