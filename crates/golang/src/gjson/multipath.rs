//! Multipaths `{a,"name":b}` and `[a,b]`: new JSON made of what several paths find.

use std::borrow::Cow;

use super::budget::Budget;
use super::path::close_path_quote;
use super::search::{self, Stage};
use super::{Hit, valid};
use crate::json::{Html, append_string};

struct Member<'p> {
    name: &'p [u8],
    path: &'p [u8],
}

/// Runs a path that begins with a brace or bracket.
///
/// Fails with the path that is left to walk if this is no multipath.
pub(super) fn run<'j, 'p>(
    json: &'j [u8],
    path: &'p [u8],
    budget: &Budget,
) -> Result<Stage<'j, 'p>, &'p [u8]> {
    let (members, rest) = split(path).ok_or(&path[path.len()..])?;
    if !matches!(rest.first(), None | Some(b'|' | b'.')) {
        return Err(rest);
    }
    let object = path[0] == b'{';
    let mut out = vec![path[0]];
    for member in members {
        let Some(found) = search::get(json, member.path, budget) else {
            continue;
        };
        // A name may be quoted, which takes up to six bytes for each of its own.
        let name = if object {
            6 * member.name.len().max(member.path.len())
        } else {
            0
        };
        if !budget.make(found.raw.len() + name + 4) {
            return Ok(Stage::Done(None));
        }
        if out.len() > 1 {
            out.push(b',');
        }
        if object {
            push_name(&mut out, &member);
            out.push(b':');
        }
        out.extend_from_slice(&found.raw);
    }
    out.push(if object { b'}' } else { b']' });
    Ok(match rest.get(1..) {
        Some(rest) => Stage::Again(Cow::Owned(out), rest),
        None => Stage::Done(Some(Hit::json(out))),
    })
}

fn push_name(out: &mut Vec<u8>, member: &Member<'_>) {
    if member.name.first() == Some(&b'"') && valid(member.name) {
        out.extend_from_slice(member.name);
        return;
    }
    let name = match member.name {
        b"" => default_name(member.path),
        name => name,
    };
    let mut quoted = String::new();
    append_string(&mut quoted, name, Html::Escaped);
    out.extend_from_slice(quoted.as_bytes());
}

/// The last component of the path, unless it is more than a name.
fn default_name(path: &[u8]) -> &[u8] {
    let is_end =
        |at: &usize| matches!(path[*at], b'|' | b'.') && (*at == 0 || path[at - 1] != b'\\');
    let last = (0..path.len())
        .rev()
        .find(is_end)
        .map_or(path, |at| &path[at + 1..]);
    let special = |byte: &u8| *byte < b' ' || b"[]{}()#|!".contains(byte);
    if last.iter().any(special) { b"_" } else { last }
}

/// Splits a multipath into its members and the rest of the path; nothing if it is never closed.
fn split(path: &[u8]) -> Option<(Vec<Member<'_>>, &[u8])> {
    let mut members = Vec::new();
    let mut depth = 1usize;
    let (mut start, mut colon, mut modifier) = (1, None, false);
    let mut at = 1;
    while let Some(byte) = path.get(at) {
        let mut ends = false;
        match byte {
            b'\\' => at += 1,
            b'@' => modifier |= matches!(path[at - 1], b'.' | b'|'),
            b':' if !modifier && colon.is_none() && depth == 1 => colon = Some(at),
            b',' => ends = depth == 1,
            b'"' => at = close_path_quote(path, at + 1),
            b'[' | b'(' | b'{' => depth += 1,
            b']' | b')' | b'}' => {
                depth -= 1;
                ends = depth == 0;
            }
            _ => {}
        }
        if ends {
            members.push(match colon {
                None => Member {
                    name: b"",
                    path: &path[start..at],
                },
                Some(colon) => Member {
                    name: &path[start..colon],
                    path: &path[colon + 1..at],
                },
            });
            if depth == 0 {
                return Some((members, &path[at + 1..]));
            }
            (start, colon, modifier) = (at + 1, None, false);
        }
        at += 1;
    }
    None
}
