//! Go's pattern syntax, read from left to right.
//!
//! Groups are kept on an explicit stack; nothing here recurses.

use regex_syntax::hir::{Hir, Look};

use super::charset::CharSet;
use super::group::Group;
use super::item::Item;
use super::{Error, Problem, class, escape, property};
use crate::unicode::decode_rune;

/// Ranges of characters all classes of a pattern may have together.
pub(super) const MAX_RANGES: usize = 500_000;

/// Longest pattern, in bytes. Every open group takes memory before anything else is checked.
pub(super) const MAX_LENGTH: usize = 64 << 10;

/// What a pattern means.
pub(super) struct Parsed {
    pub(super) hir: Hir,
    pub(super) names: Vec<Option<String>>,
}

/// Parses a whole pattern.
pub(super) fn parse(pattern: &[u8]) -> Result<Parsed, Error> {
    if pattern.len() > MAX_LENGTH {
        return Err(Error::new(Problem::TooLarge, &pattern[..64]));
    }
    let mut parser = Parser::new(pattern);
    while parser.at < pattern.len() {
        parser.token()?;
    }
    let (Some(root), true) = (parser.groups.pop(), parser.groups.is_empty()) else {
        return Err(Error::new(Problem::MissingParen, pattern));
    };
    let item = root.close();
    parser.check(&item)?;
    Ok(Parsed {
        hir: item.hir,
        names: parser.names,
    })
}

/// Flags that groups such as `(?i)` change.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the syntax"
)]
#[derive(Clone, Copy)]
pub(super) struct Flags {
    /// Ignore case.
    pub(super) fold: bool,
    /// `^` and `$` match at lines.
    pub(super) multi_line: bool,
    /// `.` matches newlines.
    pub(super) dot_all: bool,
    /// `x*` is what `x*?` usually is.
    pub(super) ungreedy: bool,
}

/// A pattern being read.
pub(super) struct Parser<'p> {
    pub(super) pattern: &'p [u8],
    pub(super) at: usize,
    pub(super) flags: Flags,
    pub(super) groups: Vec<Group>,
    pub(super) names: Vec<Option<String>>,
    ranges: usize,
    /// Where the repetition operator just before began.
    pub(super) last_repeat: Option<usize>,
}

impl<'p> Parser<'p> {
    fn new(pattern: &'p [u8]) -> Self {
        let flags = Flags {
            fold: false,
            multi_line: false,
            dot_all: false,
            ungreedy: false,
        };
        Self {
            pattern,
            at: 0,
            flags,
            groups: vec![Group::new(flags, None)],
            names: vec![None],
            ranges: 0,
            last_repeat: None,
        }
    }

    pub(super) fn rest(&self) -> &'p [u8] {
        &self.pattern[self.at..]
    }

    /// The refusal of the text between two positions.
    pub(super) fn refuse<T>(&self, problem: Problem, from: usize, to: usize) -> Result<T, Error> {
        Err(Error::new(problem, &self.pattern[from..to]))
    }

    pub(super) fn check(&self, item: &Item) -> Result<(), Error> {
        if item.is_too_large() || self.ranges > MAX_RANGES {
            return Err(Error::new(Problem::TooLarge, self.pattern));
        }
        if item.is_too_high() {
            return Err(Error::new(Problem::NestingDepth, self.pattern));
        }
        Ok(())
    }

    pub(super) fn push(&mut self, item: Item) -> Result<(), Error> {
        self.check(&item)?;
        if let Some(group) = self.groups.last_mut() {
            group.current.push(item);
        }
        Ok(())
    }

    fn push_set(&mut self, set: CharSet) -> Result<(), Error> {
        self.ranges += set.weight();
        self.push(Item::set(set))
    }

    pub(super) fn push_literal(&mut self, code: u32) -> Result<(), Error> {
        let set = CharSet::from_ranges([(code, code)]);
        self.push_set(if self.flags.fold { set.folded() } else { set })
    }

    /// Reads one token.
    fn token(&mut self) -> Result<(), Error> {
        let repeated = self.last_repeat.take();
        let flags = self.flags;
        let simple = match self.pattern[self.at] {
            b'(' => return self.open_group(),
            b')' => return self.close_group(),
            b'[' => {
                let (set, length) = class::parse(self.rest(), flags.fold).map_err(|error| {
                    let large = error.problem() == Problem::TooLarge;
                    if large {
                        Error::new(Problem::TooLarge, self.pattern)
                    } else {
                        error
                    }
                })?;
                self.at += length;
                return self.push_set(set);
            }
            b'*' => return self.repeat(1, (0, None), false, repeated),
            b'+' => return self.repeat(1, (1, None), false, repeated),
            b'?' => return self.repeat(1, (0, Some(1)), false, repeated),
            b'{' => return self.counted_repeat(repeated),
            b'\\' => return self.escape(),
            b'|' => {
                self.at += 1;
                if let Some(group) = self.groups.last_mut() {
                    group.next_alternative();
                }
                return Ok(());
            }
            b'^' => Item::look(if flags.multi_line {
                Look::StartLF
            } else {
                Look::Start
            }),
            b'$' => Item::look(if flags.multi_line {
                Look::EndLF
            } else {
                Look::End
            }),
            b'.' => {
                let none = CharSet::from_ranges((!flags.dot_all).then_some((10, 10)));
                Item::set(none.negated())
            }
            _ => {
                let (c, length) = next_char(self.rest())?;
                self.at += length;
                return self.push_literal(u32::from(c));
            }
        };
        self.at += 1;
        self.push(simple)
    }

    fn escape(&mut self) -> Result<(), Error> {
        let rest = self.rest();
        let look = match rest.get(1) {
            Some(b'A') => Look::Start,
            Some(b'z') => Look::End,
            Some(b'b') => Look::WordAscii,
            Some(b'B') => Look::WordAsciiNegate,
            Some(b'C') => return self.refuse(Problem::Escape, self.at, self.at + 2),
            Some(b'Q') => return self.quoted(),
            _ => {
                let set = match property::parse(rest, self.flags.fold)? {
                    Some(found) => Some(found),
                    None => class::parse_perl(rest, self.flags.fold),
                };
                if let Some((set, length)) = set {
                    self.at += length;
                    return self.push_set(set);
                }
                let (code, length) = escape::parse(rest)?;
                self.at += length;
                return self.push_literal(code);
            }
        };
        self.at += 2;
        self.push(Item::look(look))
    }

    /// `\Q…\E`: everything between stands for itself.
    fn quoted(&mut self) -> Result<(), Error> {
        self.at += 2;
        let end = self.rest().windows(2).position(|pair| pair == b"\\E");
        let stop = end.map_or(self.pattern.len(), |length| self.at + length);
        while self.at < stop {
            let (c, length) = next_char(&self.pattern[self.at..stop])?;
            self.at += length;
            self.push_literal(u32::from(c))?;
        }
        self.at = if end.is_some() { stop + 2 } else { stop };
        Ok(())
    }
}

/// The first character of a text that is not empty.
pub(super) fn next_char(text: &[u8]) -> Result<(char, usize), Error> {
    match decode_rune(text) {
        (char::REPLACEMENT_CHARACTER, 1) => Err(Error::new(Problem::Utf8, text)),
        found => Ok(found),
    }
}

pub(super) fn check_utf8(text: &[u8]) -> Result<(), Error> {
    match std::str::from_utf8(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::new(Problem::Utf8, &text[error.valid_up_to()..])),
    }
}
