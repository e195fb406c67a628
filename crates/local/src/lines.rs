//! Lines of the fields of a YAML document, by path, so that a fault found in the parsed value can
//! be shown where it was written. A path that is not known is simply not found.

use std::collections::{BTreeMap, BTreeSet};

use serde_saphyr::granit_parser::{Event, Parser};

/// Line of each field of one document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    lines: BTreeMap<String, usize>,
    /// Fields that are written more than once.
    repeated: BTreeSet<String>,
}

/// One open collection.
enum Open {
    /// A map and its key whose value comes next.
    Map(Option<String>),
    /// A list and the position of its next item.
    List(usize),
}

impl Lines {
    /// The lines of a document that begins after `skipped` lines of its file.
    pub(crate) fn of(document: &str, skipped: usize) -> Self {
        let mut lines = Self::default();
        let mut open: Vec<Open> = Vec::new();
        for step in Parser::new_from_str(document) {
            let Ok((event, span)) = step else { break };
            let line = span.start.line() + skipped;
            match event {
                Event::MappingStart(..) => {
                    lines.value(&mut open, line);
                    open.push(Open::Map(None));
                }
                Event::SequenceStart(..) => {
                    lines.value(&mut open, line);
                    open.push(Open::List(0));
                }
                Event::MappingEnd | Event::SequenceEnd => {
                    open.pop();
                    close_value(&mut open);
                }
                Event::Scalar(text, ..) => lines.scalar(&mut open, &text, line),
                Event::Alias(..) => {
                    lines.value(&mut open, line);
                    close_value(&mut open);
                }
                _ => {}
            }
        }
        lines
    }

    /// Line of a field or of the nearest field around it.
    pub(crate) fn line(&self, path: &str) -> Option<usize> {
        let mut path = path;
        loop {
            if let Some(line) = self.lines.get(path) {
                return Some(*line);
            }
            path = path.get(..path.rfind(['.', '['])?)?;
        }
    }

    /// The lines of the value at `path`, by paths that begin there.
    pub(crate) fn below(&self, path: &str) -> Self {
        let inner = |full: &str| Some(full.strip_prefix(path)?.strip_prefix('.')?.to_owned());
        let lines = self.lines.iter();
        let repeated = self.repeated.iter();
        Self {
            lines: lines
                .filter_map(|(full, line)| Some((inner(full)?, *line)))
                .collect(),
            repeated: repeated.filter_map(|full| inner(full)).collect(),
        }
    }

    fn scalar(&mut self, open: &mut [Open], text: &str, line: usize) {
        if let Some(Open::Map(key @ None)) = open.last_mut() {
            *key = Some(text.to_owned());
            let path = path(open);
            // Several merges into one map are usual.
            if text != "<<" && self.lines.contains_key(&path) {
                self.repeated.insert(path);
            } else {
                self.lines.insert(path, line);
            }
            return;
        }
        self.value(open, line);
        close_value(open);
    }

    /// Notes the line of a list item; that of a map's value is the line of its key.
    fn value(&mut self, open: &mut [Open], line: usize) {
        if matches!(open.last(), Some(Open::List(_))) {
            self.lines.entry(path(open)).or_insert(line);
        }
    }

    /// Fields of which only one of several values can count.
    pub(crate) fn repeated(&self) -> impl Iterator<Item = &str> {
        self.repeated.iter().map(String::as_str)
    }
}

/// Moves on behind a value that is complete.
fn close_value(open: &mut [Open]) {
    match open.last_mut() {
        Some(Open::Map(key)) => *key = None,
        Some(Open::List(position)) => *position += 1,
        None => {}
    }
}

fn path(open: &[Open]) -> String {
    let mut path = String::new();
    for step in open {
        match step {
            Open::Map(key) => join(&mut path, key.as_deref().unwrap_or_default()),
            Open::List(position) => path.extend(["[", &position.to_string(), "]"]),
        }
    }
    path
}

/// Adds the name of a field to a path.
pub(crate) fn join(path: &mut String, field: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(field);
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "\
kind: ExternalSecret
spec:
  data:
    - secretKey: a
      remoteRef: {key: k}
    - secretKey: b
  target:
    name: t
";

    #[test]
    fn fields_and_items_are_found_by_path() {
        let lines = Lines::of(DOCUMENT, 10);

        assert_eq!(lines.line("spec.data[0].remoteRef.key"), Some(15));
        assert_eq!(lines.line("spec.data[1].secretKey"), Some(16));
        assert_eq!(lines.line("spec.target.name"), Some(18));
    }

    #[test]
    fn an_absent_field_has_the_line_of_what_is_around_it() {
        let lines = Lines::of(DOCUMENT, 0);

        assert_eq!(lines.line("spec.data[1].remoteRef.key"), Some(6));
        assert_eq!(lines.line("status.conditions"), None);
    }

    #[test]
    fn the_lines_of_an_item_are_found_by_paths_of_its_own() {
        let item = Lines::of(DOCUMENT, 0).below("spec.data[0]");

        assert_eq!(item.line("remoteRef.key"), Some(5));
        assert_eq!(item.line("name"), None);
    }

    #[test]
    fn a_field_that_is_written_twice_is_found() {
        let lines = Lines::of("a: 1\nb: [{c: 1}, {c: 2}]\na: 2\n", 0);

        assert_eq!(lines.repeated().collect::<Vec<_>>(), ["a"]);
    }
}
