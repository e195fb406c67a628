//! Paths of sjson: names with dots between them, `\` before a character that is meant literally,
//! `:` before a number that is a name.

use super::Error;

/// Most parts of a path; each is a level of recursion.
const MAX_PARTS: usize = 64;
/// Largest place in an array: nobody means thousands of empty places.
pub(super) const MAX_INDEX: usize = 10_000;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    /// Whether a number is the name of a member, not a place in an array.
    forced: bool,
}

impl Part {
    /// The place in an array that the step means.
    pub(super) fn index(&self) -> Option<usize> {
        let is_number = !self.name.is_empty() && self.name.bytes().all(|b| b.is_ascii_digit());
        // Beyond all limits; `place` refuses it.
        (is_number && !self.forced).then(|| self.name.parse().unwrap_or(usize::MAX))
    }

    /// The place in an array that is made or extended for the step.
    pub(super) fn place(&self) -> Result<Option<usize>, Error> {
        match self.index() {
            Some(index) if index > MAX_INDEX => Err(Error::IndexTooLarge),
            index => Ok(index),
        }
    }

    /// Whether the step means the place after the last element of an array.
    pub(super) fn is_end(&self) -> bool {
        self.name == "-1" && !self.forced
    }
}

pub(super) fn parse(path: &str) -> Result<Vec<Part>, Error> {
    if path.is_empty() {
        return Err(Error::EmptyPath);
    }
    let mut parts = Vec::new();
    let mut rest = path.chars().peekable();
    loop {
        let forced = rest.next_if_eq(&':').is_some();
        let mut name = String::new();
        let ended = loop {
            match rest.next() {
                None => break true,
                Some('.') => break false,
                Some('\\') => name.extend(rest.next()),
                Some('*' | '?' | '#' | '|' | '@') => return Err(Error::Unsupported),
                Some(c) => name.push(c),
            }
        };
        let part = Part { name, forced };
        if parts.len() == MAX_PARTS {
            return Err(Error::TooManyParts);
        }
        parts.push(part);
        if ended {
            return Ok(parts);
        }
    }
}
