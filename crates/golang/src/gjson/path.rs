//! Splitting of paths into components.
//!
//! The same text splits differently over an object and over an array, so the split happens one
//! component at a time, when it is known what the component applies to.

use std::borrow::Cow;

use super::modifier;
use super::query::{self, Query};
use super::token::bracketed_length;

/// What follows a component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Next<'p> {
    /// Nothing: the value of this component is the result.
    End,
    /// A dot: the rest applies to each match, inside this search.
    More(&'p [u8]),
    /// A pipe: the rest applies to the result of this search.
    Pipe(&'p [u8]),
}

impl<'p> Next<'p> {
    pub(super) fn more(self) -> Option<&'p [u8]> {
        match self {
            Self::More(rest) => Some(rest),
            _ => None,
        }
    }

    /// What a dot leads to; before a modifier or multipath it acts as a pipe.
    fn after_dot(rest: &'p [u8]) -> Self {
        if acts_as_pipe(rest) {
            Self::Pipe(rest)
        } else {
            Self::More(rest)
        }
    }
}

fn acts_as_pipe(rest: &[u8]) -> bool {
    match rest.first() {
        Some(b'[' | b'{') => true,
        Some(b'@') => {
            let end = rest
                .iter()
                .position(|byte| matches!(byte, b'.' | b'|' | b':'));
            modifier::exists(&rest[1..end.unwrap_or(rest.len())])
        }
        _ => false,
    }
}

/// A component that names members of an object.
pub(super) struct Name<'p> {
    pub(super) part: Cow<'p, [u8]>,
    pub(super) wild: bool,
    pub(super) next: Next<'p>,
}

impl<'p> Name<'p> {
    pub(super) fn split(path: &'p [u8]) -> Self {
        let mut part = Cow::Borrowed(&path[..0]);
        let mut wild = false;
        let mut at = 0;
        while let Some(&byte) = path.get(at) {
            match byte {
                b'|' => {
                    return Self {
                        part,
                        wild,
                        next: Next::Pipe(&path[at + 1..]),
                    };
                }
                b'.' => {
                    return Self {
                        part,
                        wild,
                        next: Next::after_dot(&path[at + 1..]),
                    };
                }
                b'\\' => {
                    at += 1;
                    let mut unescaped = part.into_owned();
                    unescaped.extend(path.get(at));
                    part = Cow::Owned(unescaped);
                }
                _ => {
                    wild |= matches!(byte, b'*' | b'?');
                    match &mut part {
                        Cow::Borrowed(part) => *part = &path[..=at],
                        Cow::Owned(part) => part.push(byte),
                    }
                }
            }
            at += 1;
        }
        Self {
            part,
            wild,
            next: Next::End,
        }
    }
}

/// A component that selects elements of an array.
pub(super) struct Selector<'p> {
    pub(super) select: Select<'p>,
    pub(super) next: Next<'p>,
}

/// Which elements a component selects.
pub(super) enum Select<'p> {
    /// The element at an index; none if the component is not a number.
    Index(Option<u64>),
    /// `#`: how many there are.
    Count,
    /// `#.rest`: the rest applied to each.
    Each(&'p [u8]),
    /// `#(…)`: the first that matches.
    First(Query<'p>),
    /// `#(…)#`: all that match.
    All(Query<'p>),
    /// A hash sign where it means nothing.
    Nothing,
}

impl<'p> Selector<'p> {
    pub(super) fn split(path: &'p [u8]) -> Self {
        let (select, at) = match path {
            [b'#', b'.', rest @ ..] => {
                return Self {
                    select: Select::Each(rest),
                    next: Next::End,
                };
            }
            [b'#', b'(' | b'[', ..] => match query::parse(path) {
                Some((query, at)) if path.get(at) == Some(&b'#') => (Some(Select::All(query)), at),
                Some((query, at)) => (Some(Select::First(query)), at),
                // A broken query takes the whole path and asks for existence only.
                None => {
                    let select = Select::First(Query::default());
                    return Self {
                        select,
                        next: Next::End,
                    };
                }
            },
            _ => (None, 0),
        };
        let end = path[at..]
            .iter()
            .position(|byte| matches!(byte, b'.' | b'|'));
        let end = end.map_or(path.len(), |length| at + length);
        let part = &path[..end];
        let select = select.unwrap_or_else(|| match part {
            b"#" => Select::Count,
            _ if part.contains(&b'#') => Select::Nothing,
            _ => Select::Index(index(part)),
        });
        let next = match path.get(end) {
            None => Next::End,
            Some(b'|') => Next::Pipe(&path[end + 1..]),
            Some(_) if matches!(select, Select::Index(_)) => Next::after_dot(&path[end + 1..]),
            Some(_) => Next::More(&path[end + 1..]),
        };
        Self { select, next }
    }
}

/// Digits only; too many wrap around.
fn index(part: &[u8]) -> Option<u64> {
    if part.is_empty() || !part.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = part.iter().map(|byte| u64::from(byte - b'0'));
    Some(digits.fold(0, |value: u64, digit| {
        value.wrapping_mul(10).wrapping_add(digit)
    }))
}

/// Splits a path that applies to each of several values at its first pipe, if it has one.
pub(super) fn split_pipe(path: &[u8]) -> (&[u8], Option<&[u8]>) {
    if path.first() == Some(&b'{') && path.contains(&b'|') {
        let end = 1 + bracketed_length(&path[1..]);
        return match path.get(end) {
            Some(b'|') => (&path[..end], Some(&path[end + 1..])),
            _ => (path, None),
        };
    }
    let mut at = 0;
    while let Some(byte) = path.get(at) {
        match byte {
            b'\\' => at += 1,
            b'|' => return (&path[..at], Some(&path[at + 1..])),
            b'.' if path.get(at + 1) == Some(&b'#') => {
                at += 2;
                match path.get(at) {
                    None => break,
                    Some(b'[') => at = skip_query(path, at + 1, (b'[', b']')),
                    Some(b'(') => at = skip_query(path, at + 1, (b'(', b')')),
                    Some(_) => {}
                }
            }
            _ => {}
        }
        at += 1;
    }
    (path, None)
}

/// The position of the bracket that closes a query whose inside begins at `at`.
fn skip_query(path: &[u8], mut at: usize, (open, close): (u8, u8)) -> usize {
    let mut depth = 1usize;
    while let Some(&byte) = path.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' => at = close_path_quote(path, at + 1),
            _ if byte == open => depth += 1,
            _ if byte == close => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            _ => {}
        }
        at += 1;
    }
    at
}

/// The position of the quote that closes a text in a path, or the end of the path.
pub(super) fn close_path_quote(path: &[u8], at: usize) -> usize {
    super::token::close_quote(path, at).unwrap_or(path.len())
}
