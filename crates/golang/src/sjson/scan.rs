//! Where the members of an object or array are in its text. Checks no more than it needs; callers
//! hand in text that is known to be JSON, and anything else ends in an error, not in a wrong place.

use std::ops::Range;

use super::Error;
use super::path::Part;

/// Most members of one object or array: the list of them takes more memory than their text.
const MAX_MEMBERS: usize = 100_000;

/// An object or array in a text.
pub(super) struct Container {
    pub(super) is_array: bool,
    pub(super) members: Vec<Member>,
    /// Place of the opening bracket.
    pub(super) start: usize,
    /// Place of the closing bracket.
    pub(super) end: usize,
}

/// A member of an object or array.
pub(super) struct Member {
    pub(super) number: usize,
    /// Where its name begins; in an array, where its value does.
    pub(super) start: usize,
    name: String,
    pub(super) value: Range<usize>,
}

impl Container {
    pub(super) fn find(&self, part: &Part) -> Result<Option<&Member>, Error> {
        if !self.is_array {
            return Ok(self.members.iter().find(|member| member.name == part.name));
        }
        if part.is_end() {
            return Ok(None);
        }
        let index = part.index().ok_or(Error::NotJson)?;
        Ok(self.members.get(index))
    }
}

/// The container a text begins with; `None` for a blank text.
pub(super) fn container(json: &[u8]) -> Result<Option<Container>, Error> {
    let mut at = blank(json, 0);
    let is_array = match json.get(at) {
        None => return Ok(None),
        Some(b'[') => true,
        Some(b'{') => false,
        Some(_) => return Err(Error::NotJson),
    };
    let mut members = Vec::new();
    let opening = at;
    at = blank(json, at + 1);
    loop {
        match json.get(at).ok_or(Error::NotJson)? {
            b'}' | b']' => {
                return Ok(Some(Container {
                    is_array,
                    members,
                    start: opening,
                    end: at,
                }));
            }
            b',' => {
                at = blank(json, at + 1);
                continue;
            }
            _ => {}
        }
        let start = at;
        let mut name = String::new();
        if !is_array {
            let end = value_end(json, at)?;
            let quoted = &json[at..end];
            name = serde_json::from_slice(quoted).map_err(|_| Error::NotJson)?;
            at = blank(json, end);
            if json.get(at) != Some(&b':') {
                return Err(Error::NotJson);
            }
            at = blank(json, at + 1);
        }
        let end = value_end(json, at)?;
        if members.len() == MAX_MEMBERS {
            return Err(Error::TooLarge);
        }
        members.push(Member {
            number: members.len(),
            start,
            name,
            value: at..end,
        });
        at = blank(json, end);
    }
}

fn blank(json: &[u8], mut at: usize) -> usize {
    while json.get(at).is_some_and(|byte| *byte <= b' ') {
        at += 1;
    }
    at
}

/// Where the value that begins at `at` ends.
fn value_end(json: &[u8], at: usize) -> Result<usize, Error> {
    let mut depth = 0_usize;
    let mut at = at;
    loop {
        match json.get(at).ok_or(Error::NotJson)? {
            b'"' => {
                at = string_end(json, at)?;
                if depth == 0 {
                    return Ok(at);
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1).ok_or(Error::NotJson)?;
                if depth == 0 {
                    return Ok(at + 1);
                }
            }
            _ if depth > 0 => {}
            _ => {
                let rest = &json[at..];
                let is_end = |byte: &u8| *byte <= b' ' || b",]}:".contains(byte);
                let length = rest.iter().position(is_end).unwrap_or(rest.len());
                return if length == 0 {
                    Err(Error::NotJson)
                } else {
                    Ok(at + length)
                };
            }
        }
        at += 1;
    }
}

fn string_end(json: &[u8], at: usize) -> Result<usize, Error> {
    let mut at = at + 1;
    loop {
        match json.get(at).ok_or(Error::NotJson)? {
            b'\\' => at += 2,
            b'"' => return Ok(at + 1),
            _ => at += 1,
        }
    }
}
