//! A line and column of a file, found from what a fault is about: a field, a syntax error, or a
//! place inside a template that is written in the file.

use serde_saphyr::granit_parser::{Parser, ScanError};

use super::caret::{column, excerpt};
use super::complaint::Complaint;
use super::files::File;

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    file: String,
    line: usize,
    /// In characters, from one.
    column: usize,
    excerpt: Option<String>,
}

/// What of a field is pointed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    Name,
    Value,
}

impl Spot {
    fn at(file: &File, line: usize, byte: usize) -> Self {
        let text = file.line(line).unwrap_or_default();
        let column = column(text, byte);
        Self {
            file: file.name.clone(),
            line,
            column,
            excerpt: Some(excerpt(line, text, column)),
        }
    }

    /// A field on this line.
    pub(crate) fn of_field(file: &File, line: usize, field: &str, aim: Aim) -> Self {
        let text = file.line(line).unwrap_or_default();
        let byte = named(text, field, aim).unwrap_or_else(|| indent(text));
        Self::at(file, line, byte)
    }

    /// A syntax error near this line. Go names lines only, and at times the next one; where another
    /// parser fails nearby, its place is the better one.
    pub(crate) fn of_syntax(file: &File, line: usize) -> Self {
        let failed = Parser::new_from_str(&file.text).find_map(Result::err);
        let mark = failed.as_ref().map(ScanError::marker);
        match mark.filter(|mark| mark.line().abs_diff(line) <= 2) {
            Some(mark) => {
                let text = file.line(mark.line()).unwrap_or_default();
                let byte = text.char_indices().nth(mark.col());
                Self::at(file, mark.line(), byte.map_or(text.len(), |(byte, _)| byte))
            }
            None => Self::at(file, line, indent(file.line(line).unwrap_or_default())),
        }
    }

    /// A place inside a template whose field begins on `line`: line `at.0` of it from one, byte
    /// `at.1` of that. `None` where the file writes the text otherwise, folded or with escapes.
    pub(crate) fn of_template(
        file: &File,
        line: usize,
        template_line: &str,
        at: (usize, usize),
    ) -> Option<Self> {
        let wanted = template_line.trim_end();
        if wanted.is_empty() {
            return None;
        }
        let candidates = [line + at.0, line + at.0 - 1];
        candidates.into_iter().find_map(|number| {
            let start = file.line(number)?.rfind(wanted)?;
            Some(Self::at(file, number, start + at.1))
        })
    }

    /// A complaint about this place.
    pub(crate) fn complaint(&self) -> Complaint {
        Complaint {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            excerpt: self.excerpt.clone(),
            ..Complaint::default()
        }
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Where a line names the last part of a field, or has its value. Keys may hold dots, so longer
/// parts are tried first.
fn named(line: &str, field: &str, aim: Aim) -> Option<usize> {
    let mut rest = field;
    loop {
        if let Some(start) = word(line, rest) {
            let behind = start + rest.len();
            return Some(match aim {
                Aim::Name => start,
                Aim::Value => {
                    let value = line[behind..].trim_start_matches(['"', '\'', ':', ' ']);
                    if value.is_empty() {
                        start
                    } else {
                        line.len() - value.len()
                    }
                }
            });
        }
        rest = &rest[rest.find('.')? + 1..];
    }
}

/// Where a key stands in a line: whole, with a colon behind it.
fn word(line: &str, key: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = line[from..].find(key) {
        let start = from + found;
        let behind = line[start + key.len()..].trim_start_matches(['"', '\'']);
        let whole = !line[..start].ends_with(|letter: char| letter.is_alphanumeric());
        if whole && behind.trim_start().starts_with(':') {
            return Some(start);
        }
        from = start + key.len().max(1);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> File {
        File {
            name: "a.yaml".to_owned(),
            text: text.to_owned(),
        }
    }

    fn place(spot: &Spot) -> (usize, usize) {
        (spot.line, spot.column)
    }

    #[test]
    fn a_field_is_found_by_its_name_or_value() {
        let file = file("- secretKey: a\n  remoteRef: {key: b}\n  \"config.yml\": x\n");
        let found = |line, field, aim| place(&Spot::of_field(&file, line, field, aim));

        assert_eq!(found(2, "spec.data[0].remoteRef.key", Aim::Name), (2, 15));
        assert_eq!(found(2, "spec.data[0].remoteRef.key", Aim::Value), (2, 20));
        assert_eq!(found(3, "data.config.yml", Aim::Name), (3, 4));
        assert_eq!(found(1, "spec.data[0]", Aim::Name), (1, 1));
    }

    #[test]
    fn a_place_in_a_block_is_found_in_the_file() {
        let file = file("data:\n  x: |\n    one\n    two {{ .y }}\n  z: 'p {{ .q }}'\n");

        let block = Spot::of_template(&file, 2, "two {{ .y }}", (2, 7)).unwrap();
        let quoted = Spot::of_template(&file, 5, "p {{ .q }}", (1, 5)).unwrap();

        assert_eq!((place(&block), place(&quoted)), ((4, 12), (5, 12)));
        assert_eq!(Spot::of_template(&file, 2, "folded", (1, 0)), None);
    }

    #[test]
    fn a_syntax_error_is_found_with_its_column() {
        let file = file("a: 1\nb: [1, 2\nc: 3\n");

        let (line, column) = place(&Spot::of_syntax(&file, 3));

        assert!((2..=4).contains(&line) && column > 0, "{line}:{column}");
    }
}
