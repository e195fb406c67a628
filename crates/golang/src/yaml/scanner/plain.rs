//! Plain scalars, and the folding of line breaks that they share with quoted ones.

use super::{Scanner, TokenKind};
use crate::yaml::Error;
use crate::yaml::reader::{is_blank, is_blank_or_end, is_break};

/// White space between two words of a scalar that may go over several lines.
#[derive(Default)]
pub(super) struct Gap {
    blanks: String,
    first_break: Option<char>,
    more_breaks: String,
    /// A line ended here, be it with a break that counts or one that was escaped.
    pub(super) broken: bool,
}

impl Gap {
    pub(super) fn add_blank(&mut self, c: char) {
        if !self.broken {
            self.blanks.push(c);
        }
    }

    pub(super) fn add_break(&mut self, c: char) {
        if self.broken {
            self.more_breaks.push(c);
        } else {
            self.blanks.clear();
            self.first_break = Some(c);
            self.broken = true;
        }
    }

    /// Adds what the gap stands for: blanks as they are; one line feed as a space, more as line
    /// feeds less one.
    pub(super) fn fold_into(&mut self, text: &mut String) {
        let gap = std::mem::take(self);
        if !gap.broken {
            text.push_str(&gap.blanks);
            return;
        }
        match gap.first_break {
            Some('\n') if gap.more_breaks.is_empty() => text.push(' '),
            Some('\n') => {}
            first => text.extend(first),
        }
        text.push_str(&gap.more_breaks);
    }
}

impl Scanner {
    pub(super) fn plain_scalar(&mut self) -> Result<(), Error> {
        self.save_key()?;
        self.key_allowed = false;
        let mark = self.reader.mark;
        let mut text = String::new();
        let mut gap = Gap::default();
        while !self.reader.at_document_indicator() && self.reader.here() != '#' {
            while !self.ends_plain() {
                gap.fold_into(&mut text);
                text.push(self.reader.take());
            }
            let here = self.reader.here();
            if !is_blank(here) && !is_break(here) {
                break;
            }
            self.plain_gap(&mut gap)?;
            if !self.flow() && self.reader.mark.column < self.indent {
                break;
            }
        }
        // Behind a line break, the next line may start with a key.
        self.key_allowed |= gap.broken;
        self.push(TokenKind::Scalar { text, plain: true }, mark);
        Ok(())
    }

    /// Whether the word at hand ends here.
    fn ends_plain(&self) -> bool {
        let here = self.reader.here();
        is_blank_or_end(here)
            || (here == ':' && is_blank_or_end(self.reader.ahead(1)))
            || (self.flow() && ",?[]{}".contains(here))
    }

    fn plain_gap(&mut self, gap: &mut Gap) -> Result<(), Error> {
        loop {
            let here = self.reader.here();
            if is_blank(here) {
                if gap.broken && self.reader.mark.column < self.indent && here == '\t' {
                    return self.refuse("found a tab character that violates indentation");
                }
                gap.add_blank(here);
                self.reader.skip();
            } else if is_break(here) {
                gap.add_break(self.reader.take_break());
            } else {
                return Ok(());
            }
        }
    }
}
