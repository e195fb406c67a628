//! Scalars in single or double quotes.

use super::plain::Gap;
use super::{Scanner, TokenKind};
use crate::yaml::Error;
use crate::yaml::reader::{END, is_blank, is_blank_or_end, is_break};

impl Scanner {
    pub(super) fn quoted_scalar(&mut self, single: bool) -> Result<(), Error> {
        self.save_key()?;
        self.key_allowed = false;
        let mark = self.reader.mark;
        let quote = self.reader.take();
        let mut text = String::new();
        loop {
            if self.reader.at_document_indicator() {
                return self.refuse("found unexpected document indicator");
            }
            if self.reader.here() == END {
                return self.refuse("found unexpected end of stream");
            }
            let mut gap = Gap::default();
            self.quoted_word(single, &mut text, &mut gap)?;
            if self.reader.here() == quote {
                break;
            }
            loop {
                let here = self.reader.here();
                if is_blank(here) {
                    gap.add_blank(here);
                    self.reader.skip();
                } else if is_break(here) {
                    gap.add_break(self.reader.take_break());
                } else {
                    break;
                }
            }
            gap.fold_into(&mut text);
        }
        self.reader.skip();
        self.push(TokenKind::Scalar { text, plain: false }, mark);
        Ok(())
    }

    /// Reads up to white space, the closing quote or an escaped line break.
    fn quoted_word(&mut self, single: bool, text: &mut String, gap: &mut Gap) -> Result<(), Error> {
        loop {
            let (here, next) = (self.reader.here(), self.reader.ahead(1));
            match (single, here) {
                _ if is_blank_or_end(here) => return Ok(()),
                (true, '\'') if next == '\'' => {
                    text.push('\'');
                    self.reader.skip_many(2);
                }
                (true, '\'') | (false, '"') => return Ok(()),
                (false, '\\') if is_break(next) => {
                    self.reader.skip();
                    self.reader.take_break();
                    gap.broken = true;
                    return Ok(());
                }
                (false, '\\') => text.push(self.escape()?),
                _ => text.push(self.reader.take()),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let c = match self.reader.ahead(1) {
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            c @ (' ' | '"' | '\'' | '\\') => c,
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            'x' => return self.code(2),
            'u' => return self.code(4),
            'U' => return self.code(8),
            _ => return self.refuse("found unknown escape character"),
        };
        self.reader.skip_many(2);
        Ok(c)
    }

    fn code(&mut self, length: usize) -> Result<char, Error> {
        self.reader.skip_many(2);
        let mut value = 0u32;
        for place in 0..length {
            let Some(digit) = self.reader.ahead(place).to_digit(16) else {
                return self.refuse("did not find expected hexdecimal number");
            };
            value = value << 4 | digit;
        }
        let Some(c) = char::from_u32(value) else {
            return self.refuse("found invalid Unicode character escape code");
        };
        self.reader.skip_many(length);
        Ok(c)
    }
}
