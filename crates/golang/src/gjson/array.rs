//! The walk through the elements of an array.

use std::ops::Range;

use super::path::{Select, Selector, split_pipe};
use super::query::Query;
use super::search::{self, Search, Stop};
use super::token::{self, Start};
use super::{Hit, Kind};

/// What the walk meets next.
enum Met {
    Element(usize, Start),
    End(usize),
    /// An element ran beyond the end of the text.
    Broken(usize),
}

impl<'j, 'p> Search<'j, 'p, '_> {
    /// Looks for the elements that `path` selects, from just behind the opening bracket on.
    pub(super) fn array(&mut self, at: usize, path: &'p [u8]) -> Stop {
        let Selector { select, next } = Selector::split(path);
        self.note_pipe(next);
        match select {
            Select::Index(index) => self.element(at, index, next.more()),
            Select::Count => self.count(at),
            Select::Each(rest) => self.each(at, rest),
            Select::First(query) => self.first(at, &query, next.more()),
            Select::All(query) => self.all(at, &query, next.more()),
            Select::Nothing => self.element(at, None, None),
        }
    }

    /// The next element, or the end of the array, for which the end of the text also counts.
    fn next_element(&self, at: usize) -> Met {
        if at > self.json.len() {
            return Met::Broken(at);
        }
        for at in at..self.json.len() {
            if self.json[at] == b']' {
                return Met::End(at + 1);
            }
            if let Some(start) = token::start_at(self.json, at) {
                return Met::Element(at, start);
            }
        }
        Met::End(self.json.len() + 1)
    }

    fn element(&mut self, at: usize, index: Option<u64>, more: Option<&'p [u8]>) -> Stop {
        let mut at = at;
        let mut position = 0;
        loop {
            let (start_at, start) = match self.next_element(at) {
                Met::Element(at, start) => (at, start),
                Met::End(end) | Met::Broken(end) => return Stop::missed(end),
            };
            let matched = index == Some(position);
            position += 1;
            at = match (more, start) {
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
    }

    /// Calls `visit` with each element until it returns true; returns where the walk ended and
    /// whether it came to the end of the array.
    fn elements(
        &mut self,
        at: usize,
        mut visit: impl FnMut(&mut Self, usize, Start, usize) -> bool,
    ) -> (Stop, bool) {
        let mut at = at;
        loop {
            let (start_at, start) = match self.next_element(at) {
                Met::Element(at, start) => (at, start),
                Met::End(end) => return (Stop::missed(end), true),
                Met::Broken(end) => return (Stop::missed(end), false),
            };
            let Some(end) = token::end_of(self.json, start_at, start) else {
                return (Stop::missed(self.json.len()), false);
            };
            if visit(self, start_at, start, end) {
                return (Stop::found(end), false);
            }
            at = end;
        }
    }

    fn count(&mut self, at: usize) -> Stop {
        let mut count = 0;
        let (stop, complete) = self.elements(at, |_, _, _, _| {
            count += 1;
            false
        });
        if !complete {
            return stop;
        }
        self.value = Some(Hit::count(count));
        Stop::found(stop.at)
    }

    /// `#.rest`: collects what the rest finds in each element.
    fn each(&mut self, at: usize, rest: &'p [u8]) -> Stop {
        let (rest, pipe) = split_pipe(rest);
        let mut list = List::default();
        let mut from = at;
        let (stop, complete) = self.elements(at, |search, at, _, end| {
            list.push(
                search::get(token::slice(search.json, at, end), rest, search.budget),
                search,
            );
            from = end;
            false
        });
        if !complete {
            return stop;
        }
        // Junk behind the last element makes gjson take the next value after the array along.
        let junk = self.json[from..]
            .iter()
            .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        if junk.is_some_and(|byte| *byte != b']')
            && let Some((value, _)) = token::next_value(self.json, from)
        {
            let found = search::get(&value.raw, rest, self.budget).map(Hit::into_owned);
            list.push(found, self);
        }
        if pipe.is_some() {
            self.pipe = pipe;
        }
        self.value = Some(Hit::json(list.close()));
        Stop::found(stop.at)
    }

    fn first(&mut self, at: usize, query: &Query<'_>, more: Option<&'p [u8]>) -> Stop {
        let mut more = more;
        let (stop, _) = self.elements(at, |search, at, start, end| {
            let element = token::hit(search.json, at, end, start);
            if !search.satisfies(query, &element) {
                return false;
            }
            search.value = search.rest_of(at..end, start, &mut more);
            true
        });
        stop
    }

    fn all(&mut self, at: usize, query: &Query<'_>, more: Option<&'p [u8]>) -> Stop {
        let mut more = more;
        let mut list = List::default();
        let (stop, complete) = self.elements(at, |search, at, start, end| {
            let element = token::hit(search.json, at, end, start);
            if search.satisfies(query, &element) {
                let found = search.rest_of(at..end, start, &mut more);
                list.push(found, search);
            }
            false
        });
        // The walk goes on behind the array; the first list made is the one that counts.
        if complete && self.value.is_none() {
            self.value = Some(Hit::json(list.close()));
        }
        stop
    }

    fn satisfies(&self, query: &Query<'_>, element: &Hit<'j>) -> bool {
        if element.kind == Kind::Json {
            let found = search::get(&element.raw, query.path, self.budget);
            return query.accepts(found.as_ref(), self.budget);
        }
        query.path.is_empty() && query.accepts(Some(element), self.budget)
    }

    /// What the path behind a query finds in an element that satisfied it.
    fn rest_of(
        &mut self,
        element: Range<usize>,
        start: Start,
        more: &mut Option<&'p [u8]>,
    ) -> Option<Hit<'j>> {
        let Some(path) = *more else {
            return Some(token::hit(self.json, element.start, element.end, start));
        };
        let (path, pipe) = split_pipe(path);
        if pipe.is_some() {
            *more = Some(path);
            self.pipe = pipe;
        }
        search::get(
            token::slice(self.json, element.start, element.end),
            path,
            self.budget,
        )
    }
}

/// A JSON array under construction.
#[derive(Default)]
struct List(Vec<u8>);

impl List {
    fn push(&mut self, found: Option<Hit<'_>>, search: &Search<'_, '_, '_>) {
        let Some(found) = found.filter(|hit| search.budget.make(hit.raw.len() + 1)) else {
            return;
        };
        self.0.push(if self.0.is_empty() { b'[' } else { b',' });
        self.0.extend_from_slice(&found.raw);
    }

    fn close(mut self) -> Vec<u8> {
        if self.0.is_empty() {
            self.0.push(b'[');
        }
        self.0.push(b']');
        self.0
    }
}
