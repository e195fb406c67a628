//! The walk through the members of an object.

use super::budget::Budget;
use super::path::Name;
use super::search::{Search, Stop};
use super::token::{self, Start};
use super::wildcard;

impl<'p> Search<'_, 'p, '_> {
    /// Looks for the members that `path` names, from just behind the opening brace on.
    pub(super) fn object(&mut self, at: usize, path: &'p [u8]) -> Stop {
        let name = Name::split(path);
        self.note_pipe(name.next);
        let mut at = at;
        while let Some(quote) = self.find_key(at) {
            if self.json[quote] == b'}' {
                return Stop::missed(quote + 1);
            }
            let Some(end) = token::end_of(self.json, quote, Start::Quote) else {
                return Stop::missed(self.json.len());
            };
            let matched = is_named(&self.json[quote + 1..end - 1], &name, self.budget);
            let Some((start_at, start)) = token::find_start(self.json, end) else {
                return Stop::missed(self.json.len());
            };
            at = match (name.next.more(), start) {
                (Some(rest), Start::Object | Start::Array) if matched => {
                    let stop = self.descend(start_at, rest);
                    if stop.found {
                        return stop;
                    }
                    stop.at
                }
                (more, _) => {
                    let Some(end) = token::end_of(self.json, start_at, start) else {
                        return Stop::missed(self.json.len());
                    };
                    if matched && more.is_none() {
                        self.value = Some(token::hit(self.json, start_at, end, start));
                        return Stop::found(end);
                    }
                    end
                }
            };
        }
        Stop::missed(self.json.len())
    }

    /// The quote that opens the next key, or the brace behind the last one.
    fn find_key(&self, at: usize) -> Option<usize> {
        let offset = self
            .json
            .get(at..)?
            .iter()
            .position(|byte| matches!(byte, b'"' | b'}'))?;
        Some(at + offset)
    }
}

fn is_named(key: &[u8], name: &Name<'_>, budget: &Budget) -> bool {
    let unescaped;
    let key = if key.contains(&b'\\') {
        unescaped = token::unescape(key);
        &unescaped
    } else {
        key
    };
    if name.wild {
        wildcard::matches(key, &name.part, budget)
    } else {
        key == &*name.part
    }
}
