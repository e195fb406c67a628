//! The tokens inside an action: names, numbers, strings, punctuation.
//!
//! As in Go this accepts some malformed numbers and constants; the parser checks their values.

use lockstep_golang::unicode::decode_rune;

use super::{Kind, Lexer, Token, is_space};
use crate::ast::Span;
use crate::strconv::quote_rune_point;
use crate::unicode::is_alphanumeric;

impl Lexer<'_> {
    /// The rune at the current position and its width; nothing at the end of input.
    fn peek(&self) -> Option<(char, usize)> {
        let rest = self.rest();
        match rest.first() {
            None => None,
            Some(byte) if byte.is_ascii() => Some((char::from(*byte), 1)),
            Some(_) => Some(decode_rune(rest)),
        }
    }

    /// Takes the rest of an action that is nothing but `.name`, by far the most common one.
    ///
    /// Returns the place of the field, or nothing if the action is anything else; then nothing
    /// has been taken.
    pub(crate) fn lone_field(&mut self) -> Option<Span> {
        let rest = self.rest();
        let start = rest.iter().position(|b| !is_space(*b))?;
        let name = rest[start..].strip_prefix(b".")?;
        let len = name
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
            .count();
        if len == 0 || name[0].is_ascii_digit() {
            return None;
        }
        let after = &name[len..];
        let space = after.iter().position(|b| !is_space(*b))?;
        if !self.is_right_delim(&after[space..]) {
            return None;
        }
        let field = Token::new(Kind::Field, self.pos + start, self.pos + start + 1 + len).span();
        self.pos += start + 1 + len + space + self.right.len();
        self.start = self.pos;
        self.inside_action = false;
        Some(field)
    }

    pub(super) fn inside_action(&mut self) -> Token {
        if let Some(trim) = self.at_right_delim() {
            if self.paren_depth == 0 {
                return self.right_delim(trim);
            }
            return self.fail("unclosed left paren");
        }
        let Some((rune, width)) = self.peek() else {
            return self.fail("unclosed action");
        };
        match rune {
            ' ' | '\t' | '\r' | '\n' => return self.space(),
            '.' if self.rest().get(1).is_none_or(u8::is_ascii_digit) => return self.number(),
            '+' | '-' | '0'..='9' => return self.number(),
            _ if is_alphanumeric(rune) => return self.identifier(),
            _ => self.pos += width,
        }
        match rune {
            '=' => self.emit(Kind::Assign),
            ':' => self.declare(),
            '|' => self.emit(Kind::Pipe),
            '"' => self.quoted('"', Kind::String, "unterminated quoted string"),
            '`' => self.raw_quoted(),
            '\'' => self.quoted('\'', Kind::CharConstant, "unterminated character constant"),
            '$' => self.field_or_variable(Kind::Variable),
            '.' => self.field_or_variable(Kind::Field),
            '(' => {
                self.paren_depth += 1;
                self.emit(Kind::LeftParen)
            }
            ')' if self.paren_depth == 0 => self.fail("unexpected right paren"),
            ')' => {
                self.paren_depth -= 1;
                self.emit(Kind::RightParen)
            }
            '!'..='~' => self.emit(Kind::Char),
            _ => {
                let point = quote_rune_point(rune);
                self.fail(format!("unrecognized character in action: {point}"))
            }
        }
    }

    fn declare(&mut self) -> Token {
        if self.rest().first() != Some(&b'=') {
            return self.fail("expected :=");
        }
        self.pos += 1;
        self.emit(Kind::Declare)
    }

    /// A run of spaces, leaving the one that belongs to a trim-marked right delimiter.
    fn space(&mut self) -> Token {
        let spaces = self.rest().iter().take_while(|b| is_space(**b)).count();
        self.pos += spaces - 1;
        if self.at_right_delim() == Some(true) {
            if spaces == 1 {
                return self.right_delim(true);
            }
        } else {
            self.pos += 1;
        }
        self.emit(Kind::Space)
    }

    fn absorb_name(&mut self) {
        while let Some((rune, width)) = self.peek()
            && is_alphanumeric(rune)
        {
            self.pos += width;
        }
    }

    fn bad_character(&mut self) -> Token {
        let rune = self
            .peek()
            .map_or(char::REPLACEMENT_CHARACTER, |(rune, _)| rune);
        self.fail(format!("bad character {}", quote_rune_point(rune)))
    }

    fn identifier(&mut self) -> Token {
        self.absorb_name();
        if !self.at_terminator() {
            return self.bad_character();
        }
        let kind = keyword(&self.source[self.start..self.pos]);
        self.emit(kind)
    }

    /// What follows a `.` or `$`, which has been consumed.
    fn field_or_variable(&mut self, kind: Kind) -> Token {
        if self.at_terminator() {
            return self.emit(if kind == Kind::Variable {
                kind
            } else {
                Kind::Dot
            });
        }
        self.absorb_name();
        if !self.at_terminator() {
            return self.bad_character();
        }
        self.emit(kind)
    }

    fn at_terminator(&self) -> bool {
        match self.rest().first() {
            None | Some(b' ' | b'\t' | b'\r' | b'\n' | b'.' | b',' | b'|' | b':' | b')' | b'(') => {
                true
            }
            _ => self.is_right_delim(self.rest()),
        }
    }

    fn quoted(&mut self, quote: char, kind: Kind, problem: &str) -> Token {
        loop {
            let Some((rune, width)) = self.peek() else {
                return self.fail(problem);
            };
            self.pos += width;
            match rune {
                '\\' => match self.peek() {
                    None | Some(('\n', _)) => return self.fail(problem),
                    Some((_, width)) => self.pos += width,
                },
                '\n' => return self.fail(problem),
                _ if rune == quote => return self.emit(kind),
                _ => {}
            }
        }
    }

    fn raw_quoted(&mut self) -> Token {
        match memchr::memchr(b'`', self.rest()) {
            None => self.fail("unterminated raw quoted string"),
            Some(at) => {
                self.pos += at + 1;
                self.emit(Kind::RawString)
            }
        }
    }

    fn number(&mut self) -> Token {
        if !self.scan_number() {
            return self.bad_number();
        }
        if matches!(self.rest().first(), Some(b'+' | b'-')) {
            // A complex constant: no spaces, and it must end in `i`.
            if !self.scan_number() || self.source[self.pos - 1] != b'i' {
                return self.bad_number();
            }
            return self.emit(Kind::Complex);
        }
        self.emit(Kind::Number)
    }

    fn bad_number(&mut self) -> Token {
        let text = crate::strconv::quote(&self.source[self.start..self.pos]);
        self.fail(format!("bad number syntax: {text}"))
    }

    fn accept(&mut self, set: &[u8]) -> bool {
        let found = self.rest().first().is_some_and(|b| set.contains(b));
        self.pos += usize::from(found);
        found
    }

    fn accept_run(&mut self, set: &[u8]) {
        while self.accept(set) {}
    }

    fn scan_number(&mut self) -> bool {
        const DECIMAL: &[u8] = b"0123456789_";
        const HEX: &[u8] = b"0123456789abcdefABCDEF_";
        self.accept(b"+-");
        let mut digits = DECIMAL;
        if self.accept(b"0") {
            if self.accept(b"xX") {
                digits = HEX;
            } else if self.accept(b"oO") {
                digits = b"01234567_";
            } else if self.accept(b"bB") {
                digits = b"01_";
            }
        }
        self.accept_run(digits);
        if self.accept(b".") {
            self.accept_run(digits);
        }
        let exponent: &[u8] = match digits.len() {
            11 => b"eE",
            23 => b"pP",
            _ => b"",
        };
        if self.accept(exponent) {
            self.accept(b"+-");
            self.accept_run(DECIMAL);
        }
        self.accept(b"i");
        match self.peek() {
            Some((rune, width)) if is_alphanumeric(rune) => {
                self.pos += width;
                false
            }
            _ => true,
        }
    }
}

/// What a name is; written out by letters, which is faster than comparing with each word.
fn keyword(name: &[u8]) -> Kind {
    match name {
        [b'i', b'f'] => Kind::If,
        [b'e', b'n', b'd'] => Kind::End,
        [b'n', b'i', b'l'] => Kind::Nil,
        [b'e', b'l', b's', b'e'] => Kind::Else,
        [b'w', b'i', b't', b'h'] => Kind::With,
        [b't', b'r', b'u', b'e'] | [b'f', b'a', b'l', b's', b'e'] => Kind::Bool,
        [b'r', b'a', b'n', b'g', b'e'] => Kind::Range,
        [b'b', b'l', b'o', b'c', b'k'] => Kind::Block,
        [b'b', b'r', b'e', b'a', b'k'] => Kind::Break,
        [b'd', b'e', b'f', b'i', b'n', b'e'] => Kind::Define,
        [b'c', b'o', b'n', b't', b'i', b'n', b'u', b'e'] => Kind::Continue,
        [b't', b'e', b'm', b'p', b'l', b'a', b't', b'e'] => Kind::Template,
        _ => Kind::Identifier,
    }
}
