//! The search methods, with Go's rules for empty matches.

use std::ops::Range;

use regex_automata::util::captures::Captures;
use regex_automata::{Input, Span};

use super::Regexp;
use super::expand::Template;
use super::text::Text;

impl Regexp {
    /// Whether the pattern matches anywhere in the text.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.engine.is_match(Input::new(Text::new(text).valid()))
    }

    /// The leftmost match.
    pub fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        let text = Text::new(text);
        let found = self.find_at(&text, 0)?;
        Some(text.original(found.start)..text.original(found.end))
    }

    /// The leftmost match and its groups, in order; groups that took no part are absent.
    pub fn captures(&self, text: &[u8]) -> Option<Vec<Option<Range<usize>>>> {
        let text = Text::new(text);
        let mut captures = self.engine.create_captures();
        self.captures_at(&text, 0, &mut captures)?;
        let groups = (0..self.names.len()).map(|index| {
            let span = captures.get_group(index)?;
            Some(text.original(span.start)..text.original(span.end))
        });
        Some(groups.collect())
    }

    /// The matches one after the other, at most `limit` of them, or all if it is negative.
    pub fn find_all(&self, text: &[u8], limit: i64) -> Vec<Range<usize>> {
        let text = Text::new(text);
        let found = self.spans(&text, limit);
        found
            .into_iter()
            .map(|m| text.original(m.start)..text.original(m.end))
            .collect()
    }

    /// How many matches there are, or nothing if it was stopped.
    ///
    /// Each search is linear, yet a pattern can make every one of them read to the end. `proceed`
    /// is asked for each with the bytes it reads at most: before it all that are left, or after it,
    /// if the pattern cannot read far beyond a match, only those.
    pub fn count_matches(
        &self,
        text: &[u8],
        mut proceed: impl FnMut(usize) -> bool,
    ) -> Option<usize> {
        let text = Text::new(text);
        let whole = text.valid().len();
        let (mut count, mut at) = (0, 0);
        while at <= whole {
            if self.reach.is_none() && !proceed(whole - at) {
                return None;
            }
            let Some(found) = self.find_at(&text, at) else {
                break;
            };
            if let Some(reach) = self.reach
                && !proceed((found.end - at).saturating_add(reach).min(whole - at))
            {
                return None;
            }
            count += 1;
            at = found.end.max(at + text.width(at).max(1));
        }
        Some(count)
    }

    /// The pieces between matches: at most `limit`, or all if it is negative; none if it is zero.
    pub fn split<'t>(&self, text: &'t [u8], limit: i64) -> Vec<&'t [u8]> {
        if limit == 0 {
            return Vec::new();
        }
        if !self.expression.is_empty() && text.is_empty() {
            return vec![text];
        }
        let text = Text::new(text);
        let whole = text.valid().len();
        let room = usize::try_from(limit).map_or(usize::MAX, |limit| limit - 1);
        let mut pieces = Vec::new();
        let (mut begin, mut end) = (0, 0);
        for found in self.spans(&text, limit) {
            if pieces.len() == room {
                break;
            }
            end = found.start;
            if found.end != 0 {
                pieces.push(text.slice(begin, end));
            }
            begin = found.end;
        }
        if end != whole {
            pieces.push(text.slice(begin, whole));
        }
        pieces
    }

    /// Replaces each match with the template, in which `$1` or `${name}` stands for a group.
    pub fn replace_all(&self, text: &[u8], template: &[u8]) -> Vec<u8> {
        self.replace(&Text::new(text), &Template::parse(template, &self.names))
    }

    /// Replaces each match with the text given, whatever is in it.
    pub fn replace_all_literal(&self, text: &[u8], replacement: &[u8]) -> Vec<u8> {
        self.replace(&Text::new(text), &Template::literal(replacement))
    }

    fn replace(&self, text: &Text<'_>, template: &Template<'_>) -> Vec<u8> {
        let whole = text.valid().len();
        let mut captures = self.engine.create_captures();
        let mut out = Vec::with_capacity(whole);
        let (mut last, mut at) = (0, 0);
        while at <= whole {
            let found = if template.uses_groups() {
                self.captures_at(text, at, &mut captures)
            } else {
                self.find_at(text, at)
            };
            let Some(found) = found else {
                break;
            };
            out.extend_from_slice(text.slice(last, found.start));
            // An empty match right behind another match is not replaced.
            if found.end > last || found.start == 0 {
                template.expand(text, &captures, &mut out);
            }
            last = found.end;
            at = found.end.max(at + text.width(at).max(1));
        }
        out.extend_from_slice(text.slice(last, whole));
        out
    }

    fn find_at(&self, text: &Text<'_>, at: usize) -> Option<Span> {
        self.engine
            .search(&Input::new(text.valid()).range(at..))
            .map(|found| found.span())
    }

    fn captures_at(&self, text: &Text<'_>, at: usize, captures: &mut Captures) -> Option<Span> {
        self.engine
            .search_captures(&Input::new(text.valid()).range(at..), captures);
        captures.get_match().map(|found| found.span())
    }

    /// The matches as positions in the searched text.
    fn spans(&self, text: &Text<'_>, limit: i64) -> Vec<Span> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut spans = Vec::new();
        let mut at = 0;
        let mut previous = None;
        while spans.len() < limit && at <= text.valid().len() {
            let Some(found) = self.find_at(text, at) else {
                break;
            };
            let empty = found.end == at;
            at = if empty {
                at + text.width(at).max(1)
            } else {
                found.end
            };
            // An empty match right behind another match does not count.
            if !empty || previous != Some(found.start) {
                spans.push(found);
            }
            previous = Some(found.end);
        }
        spans
    }
}
