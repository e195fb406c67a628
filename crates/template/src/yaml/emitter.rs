//! Puts the nodes on the page: indentation, indicators, quoting and folding.

use super::scalar::{Analysis, Style, analyze, is_break, is_printable, style};
use super::{Node, keys};
use crate::limits::Exceeded;
use crate::print::Cap;

/// Beyond this column a line may be folded at a space.
const WIDTH: usize = 80;
const INDENT: i32 = 2;

/// Longer keys are written behind a question mark.
const LONGEST_SIMPLE_KEY: usize = 128;

type Emitted = Result<(), Exceeded>;

/// The document for a node; an error if it grows beyond the room there is.
pub(super) fn document(node: &Node, room: Cap) -> Result<String, Exceeded> {
    let mut emitter = Emitter {
        out: String::new(),
        room,
        column: 0,
        indent: -1,
        whitespace: true,
        indention: true,
    };
    emitter.node(
        node,
        Place {
            mapping: false,
            simple_key: false,
        },
    )?;
    emitter.write_indent();
    Ok(emitter.out)
}

/// Where a node stands.
#[derive(Clone, Copy)]
struct Place {
    mapping: bool,
    simple_key: bool,
}

struct Emitter {
    out: String,
    room: Cap,
    column: usize,
    indent: i32,
    whitespace: bool,
    indention: bool,
}

impl Emitter {
    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn put_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    /// A line break of the text itself.
    fn write_break(&mut self, c: char) {
        self.out.push(c);
        self.column = 0;
    }

    fn write_indent(&mut self) {
        let indent = usize::try_from(self.indent).unwrap_or(0);
        if !self.indention || self.column > indent || self.column == indent && !self.whitespace {
            self.put_break();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    fn indicator(&mut self, text: &str, apart: bool, whitespace: bool, indention: bool) {
        if apart && !self.whitespace {
            self.put(' ');
        }
        for c in text.chars() {
            self.put(c);
        }
        self.whitespace = whitespace;
        self.indention = self.indention && indention;
    }

    fn increase_indent(&mut self, flow: bool, indentless: bool) -> i32 {
        let before = self.indent;
        if before < 0 {
            self.indent = if flow { INDENT } else { 0 };
        } else if !indentless {
            self.indent += INDENT;
        }
        before
    }

    fn node(&mut self, node: &Node, place: Place) -> Emitted {
        if self.out.len() > self.room.bytes {
            return Err(self.room.exceeded);
        }
        match node {
            Node::Word(word) => self.scalar(word, place, |_, _, _| Style::Plain),
            Node::Text(text) => self.scalar(text, place, style),
            Node::List(items) if items.is_empty() => self.empty("[", "]"),
            Node::Map(entries) if entries.is_empty() => self.empty("{", "}"),
            Node::List(items) => return self.list(items, place),
            Node::Map(entries) => return self.map(entries),
        }
        Ok(())
    }

    fn empty(&mut self, open: &str, close: &str) {
        self.indicator(open, true, true, false);
        self.indicator(close, false, false, false);
    }

    fn list(&mut self, items: &[Node], place: Place) -> Emitted {
        let before = self.increase_indent(false, place.mapping && !self.indention);
        for item in items {
            self.write_indent();
            self.indicator("-", true, false, true);
            self.node(
                item,
                Place {
                    mapping: false,
                    simple_key: false,
                },
            )?;
        }
        self.indent = before;
        Ok(())
    }

    fn map(&mut self, entries: &[(String, Node)]) -> Emitted {
        let before = self.increase_indent(false, false);
        let mut sorted: Vec<&(String, Node)> = entries.iter().collect();
        sorted.sort_by(|a, b| keys::compare(&a.0, &b.0));
        for (key, value) in sorted {
            self.write_indent();
            let simple = !analyze(key).multiline && key.len() <= LONGEST_SIMPLE_KEY;
            if !simple {
                self.indicator("?", true, false, true);
            }
            self.scalar(
                key,
                Place {
                    mapping: true,
                    simple_key: simple,
                },
                style,
            );
            if simple {
                self.indicator(":", false, false, false);
            } else {
                self.write_indent();
                self.indicator(":", true, false, true);
            }
            self.node(
                value,
                Place {
                    mapping: true,
                    simple_key: false,
                },
            )?;
        }
        self.indent = before;
        Ok(())
    }

    fn scalar(&mut self, text: &str, place: Place, choose: fn(&str, Analysis, bool) -> Style) {
        let before = self.increase_indent(true, false);
        let may_fold = !place.simple_key;
        match choose(text, analyze(text), place.simple_key) {
            Style::Plain => self.plain(text, may_fold),
            Style::SingleQuoted => self.single_quoted(text, may_fold),
            Style::DoubleQuoted => self.double_quoted(text, may_fold),
            Style::Literal => self.literal(text),
        }
        self.indent = before;
    }

    fn plain(&mut self, text: &str, may_fold: bool) {
        if !self.whitespace {
            self.put(' ');
        }
        let mut after_space = false;
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            let fold = c == ' '
                && may_fold
                && !after_space
                && self.column > WIDTH
                && rest.peek() != Some(&' ');
            if fold {
                self.write_indent();
            } else {
                self.put(c);
            }
            after_space = c == ' ';
            if c != ' ' {
                self.indention = false;
            }
        }
        self.whitespace = false;
        self.indention = false;
    }

    fn single_quoted(&mut self, text: &str, may_fold: bool) {
        self.indicator("'", true, false, false);
        let (mut after_space, mut after_break, mut at) = (false, false, 0);
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            if c == ' ' {
                let inside = at > 0 && at + 1 < text.len();
                let fold = may_fold && !after_space && self.column > WIDTH && inside;
                if fold && rest.peek() != Some(&' ') {
                    self.write_indent();
                } else {
                    self.put(c);
                }
                after_space = true;
            } else if is_break(c) {
                if !after_break && c == '\n' {
                    self.put_break();
                }
                self.write_break(c);
                self.indention = true;
                after_break = true;
            } else {
                if after_break {
                    self.write_indent();
                }
                if c == '\'' {
                    self.put('\'');
                }
                self.put(c);
                self.indention = false;
                (after_space, after_break) = (false, false);
            }
            at += c.len_utf8();
        }
        self.indicator("'", false, false, false);
        self.whitespace = false;
        self.indention = false;
    }

    fn double_quoted(&mut self, text: &str, may_fold: bool) {
        self.indicator("\"", true, false, false);
        // Upstream looks for the mark at the start of the text, whatever character it is at.
        let marked = text.starts_with('\u{feff}');
        let (mut after_space, mut at) = (false, 0);
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            if marked || !is_printable(c) || is_break(c) || matches!(c, '"' | '\\') {
                self.escape(c);
                after_space = false;
            } else if c == ' ' {
                let inside = at > 0 && at + 1 < text.len();
                if may_fold && !after_space && self.column > WIDTH && inside {
                    self.write_indent();
                    if rest.peek() == Some(&' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(c);
                }
                after_space = true;
            } else {
                self.put(c);
                after_space = false;
            }
            at += c.len_utf8();
        }
        self.indicator("\"", false, false, false);
        self.whitespace = false;
        self.indention = false;
    }

    fn escape(&mut self, c: char) {
        let short = match c {
            '\0' => "0",
            '\x07' => "a",
            '\x08' => "b",
            '\t' => "t",
            '\n' => "n",
            '\x0b' => "v",
            '\x0c' => "f",
            '\r' => "r",
            '\x1b' => "e",
            '"' => "\"",
            '\\' => "\\",
            '\u{85}' => "N",
            '\u{a0}' => "_",
            '\u{2028}' => "L",
            '\u{2029}' => "P",
            _ => "",
        };
        let code = u32::from(c);
        let long = match code {
            _ if !short.is_empty() => short.to_owned(),
            0..=0xff => format!("x{code:02X}"),
            0x100..=0xffff => format!("u{code:04X}"),
            _ => format!("U{code:08X}"),
        };
        self.put('\\');
        for c in long.chars() {
            self.put(c);
        }
    }

    fn literal(&mut self, text: &str) {
        self.indicator("|", true, false, false);
        if text.starts_with(' ') || text.starts_with(is_break) {
            self.indicator("2", false, false, false);
        }
        let mut backwards = text.chars().rev();
        let (last, before) = (backwards.next(), backwards.next());
        let hint = match (last.is_some_and(is_break), before) {
            (false, _) => "-",
            (true, None) => "+",
            (true, Some(before)) if is_break(before) => "+",
            (true, Some(_)) => "",
        };
        self.indicator(hint, false, false, false);
        self.put_break();
        self.indention = true;
        self.whitespace = true;
        let mut after_break = true;
        for c in text.chars() {
            if is_break(c) {
                self.write_break(c);
                self.indention = true;
                after_break = true;
            } else {
                if std::mem::take(&mut after_break) {
                    self.write_indent();
                }
                self.put(c);
                self.indention = false;
            }
        }
    }
}
