//! Groups: capturing, named, plain, and those that set flags.

use super::item::Item;
use super::parse::{Flags, Parser, check_utf8, next_char};
use super::{Error, Problem};

/// A group that is still open, or the pattern as a whole.
pub(super) struct Group {
    /// Alternatives already complete.
    alternatives: Vec<Item>,
    /// The alternative being read.
    pub(super) current: Vec<Item>,
    /// The flags to restore behind the group.
    outer: Flags,
    capture: Option<u32>,
}

impl Group {
    pub(super) fn new(outer: Flags, capture: Option<u32>) -> Self {
        Self {
            alternatives: Vec::new(),
            current: Vec::new(),
            outer,
            capture,
        }
    }

    /// Ends the alternative being read.
    pub(super) fn next_alternative(&mut self) {
        self.alternatives
            .push(Item::concat(std::mem::take(&mut self.current)));
    }

    pub(super) fn close(mut self) -> Item {
        self.next_alternative();
        let item = Item::alternation(self.alternatives);
        match self.capture {
            Some(index) => item.captured(index),
            None => item,
        }
    }
}

impl Parser<'_> {
    pub(super) fn open_group(&mut self) -> Result<(), Error> {
        if self.rest().starts_with(b"(?") {
            return self.special_group();
        }
        self.at += 1;
        self.push_capture(None);
        Ok(())
    }

    fn push_capture(&mut self, name: Option<String>) {
        let index = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name);
        self.groups.push(Group::new(self.flags, Some(index)));
    }

    pub(super) fn close_group(&mut self) -> Result<(), Error> {
        if self.groups.len() < 2 {
            return Err(Error::new(Problem::UnexpectedParen, self.pattern));
        }
        self.at += 1;
        match self.groups.pop() {
            Some(group) => {
                self.flags = group.outer;
                self.push(group.close())
            }
            None => Ok(()),
        }
    }

    /// `(?P<name>…)`, `(?<name>…)`, `(?flags)` or `(?flags:…)`.
    fn special_group(&mut self) -> Result<(), Error> {
        let rest = self.rest();
        let prefix = match rest {
            [b'(', b'?', b'P', b'<', _, ..] => 4,
            [b'(', b'?', b'<', _, ..] => 3,
            _ => return self.flag_group(),
        };
        let Some(end) = rest.iter().position(|byte| *byte == b'>') else {
            check_utf8(rest)?;
            return Err(Error::new(Problem::NamedCapture, rest));
        };
        let name = rest.get(prefix..end).unwrap_or_default();
        check_utf8(name)?;
        if name.is_empty() || !name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            return Err(Error::new(Problem::NamedCapture, &rest[..=end]));
        }
        self.at += end + 1;
        self.push_capture(Some(String::from_utf8_lossy(name).into_owned()));
        Ok(())
    }

    fn flag_group(&mut self) -> Result<(), Error> {
        let start = self.at;
        let mut flags = self.flags;
        let (mut value, mut seen) = (true, false);
        self.at += 2;
        while self.at < self.pattern.len() {
            let (c, length) = next_char(self.rest())?;
            self.at += length;
            match c {
                'i' => flags.fold = value,
                'm' => flags.multi_line = value,
                's' => flags.dot_all = value,
                'U' => flags.ungreedy = value,
                '-' if value => {
                    (value, seen) = (false, false);
                    continue;
                }
                ':' | ')' if value || seen => {
                    if c == ':' {
                        self.groups.push(Group::new(self.flags, None));
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => break,
            }
            seen = true;
        }
        self.refuse(Problem::PerlOp, start, self.at)
    }
}
