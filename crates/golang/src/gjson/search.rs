//! Runs a path: modifiers and multipaths first, then the walk, then whatever follows a pipe.

use std::borrow::Cow;

use super::budget::Budget;
use super::path::Next;
use super::{Hit, modifier, multipath, token};

/// What one stage of a path leads to.
pub(super) enum Stage<'j, 'p> {
    /// The result.
    Done(Option<Hit<'j>>),
    /// More path, over this JSON.
    Again(Cow<'j, [u8]>, &'p [u8]),
}

/// Finds the value at `path`.
pub(super) fn get<'j>(json: &'j [u8], path: &[u8], budget: &Budget) -> Option<Hit<'j>> {
    let (mut json, mut path) = (json, path);
    loop {
        match stage(json, path, budget) {
            Stage::Done(hit) => return hit,
            Stage::Again(Cow::Borrowed(next), rest) => (json, path) = (next, rest),
            Stage::Again(Cow::Owned(next), rest) => return get_owned(next, rest, budget),
        }
    }
}

/// The same over JSON that an earlier stage made.
fn get_owned(json: Vec<u8>, path: &[u8], budget: &Budget) -> Option<Hit<'static>> {
    let (mut json, mut path) = (json, path);
    loop {
        match stage(&json, path, budget) {
            Stage::Done(hit) => return hit.map(Hit::into_owned),
            Stage::Again(next, rest) => (json, path) = (next.into_owned(), rest),
        }
    }
}

fn stage<'j, 'p>(json: &'j [u8], path: &'p [u8], budget: &Budget) -> Stage<'j, 'p> {
    if !budget.spend(json.len() + path.len()) {
        return Stage::Done(None);
    }
    budget
        .nested(|| stage_within(json, path, budget))
        .unwrap_or(Stage::Done(None))
}

fn stage_within<'j, 'p>(json: &'j [u8], path: &'p [u8], budget: &Budget) -> Stage<'j, 'p> {
    let mut path = path;
    if path.len() > 1 {
        let made = match path[0] {
            b'@' => modifier::run(json, path, budget),
            b'!' => static_value(path),
            b'[' | b'{' => match multipath::run(json, path, budget) {
                Ok(stage) => return stage,
                // Not a multipath after all: what it left over is the path.
                Err(rest) => {
                    path = rest;
                    None
                }
            },
            _ => None,
        };
        if let Some((json, rest)) = made {
            return continue_with(json, rest);
        }
    }
    walk(json, path, budget)
}

/// Goes on with JSON that a modifier or static value made; without more path it is the result.
fn continue_with<'j, 'p>(json: Cow<'j, [u8]>, rest: &'p [u8]) -> Stage<'j, 'p> {
    if let [b'|' | b'.', rest @ ..] = rest {
        return Stage::Again(json, rest);
    }
    Stage::Done(match json {
        Cow::Borrowed(json) => token::parse(json),
        Cow::Owned(json) => token::parse(&json).map(Hit::into_owned),
    })
}

/// `!value`: a value written in the path itself; returns it and the rest of the path.
fn static_value<'j>(path: &[u8]) -> Option<(Cow<'j, [u8]>, &[u8])> {
    let text = &path[1..];
    let end = match text.first()? {
        b'{' | b'[' | b'"' | b'+' | b'-' | b'0'..=b'9' => token::end_of_container(text, 0),
        _ => {
            let end = text.iter().position(|byte| matches!(byte, b'|' | b'.'));
            let end = end.unwrap_or(text.len());
            let word = text[..end].to_ascii_lowercase();
            if !matches!(
                word.as_slice(),
                b"true" | b"false" | b"null" | b"nan" | b"inf"
            ) {
                return None;
            }
            end
        }
    };
    Some((Cow::Owned(text[..end].to_vec()), &text[end..]))
}

fn walk<'j, 'p>(json: &'j [u8], path: &'p [u8], budget: &Budget) -> Stage<'j, 'p> {
    let mut search = Search {
        json,
        value: None,
        pipe: None,
        budget,
    };
    if let Some(path) = path.strip_prefix(b"..") {
        search.array(0, path);
    } else if let Some(open) = json.iter().position(|byte| matches!(byte, b'{' | b'[')) {
        if json[open] == b'{' {
            search.object(open + 1, path);
        } else {
            search.array(open + 1, path);
        }
    }
    match search.pipe {
        None => Stage::Done(search.value),
        Some(pipe) => Stage::Again(search.value.map_or(Cow::Borrowed(b""), |hit| hit.raw), pipe),
    }
}

/// A walk through one JSON text.
pub(super) struct Search<'j, 'p, 'b> {
    pub(super) json: &'j [u8],
    pub(super) value: Option<Hit<'j>>,
    /// What follows the last pipe met, also if its component matched nothing.
    pub(super) pipe: Option<&'p [u8]>,
    pub(super) budget: &'b Budget,
}

/// Where a walk through a container stopped.
pub(super) struct Stop {
    pub(super) at: usize,
    /// The search is over; its value, if any, is in the [`Search`].
    pub(super) found: bool,
}

impl Stop {
    pub(super) fn found(at: usize) -> Self {
        Self { at, found: true }
    }

    pub(super) fn missed(at: usize) -> Self {
        Self { at, found: false }
    }
}

impl<'p> Search<'_, 'p, '_> {
    pub(super) fn note_pipe(&mut self, next: Next<'p>) {
        if let Next::Pipe(rest) = next {
            self.pipe = Some(rest);
        }
    }

    /// Walks into the container that opens at `at`.
    pub(super) fn descend(&mut self, at: usize, path: &'p [u8]) -> Stop {
        let budget = self.budget;
        // The next component of the path is read again in every container.
        if !budget.spend(path.len()) {
            return Stop::missed(usize::MAX);
        }
        let object = self.json[at] == b'{';
        let walk = || {
            if object {
                self.object(at + 1, path)
            } else {
                self.array(at + 1, path)
            }
        };
        budget.nested(walk).unwrap_or(Stop::missed(usize::MAX))
    }
}
