//! The parser's view of the lexer: look-ahead, and the errors that quote a token.
//!
//! Go keeps three tokens and reports the line of the newest one; so does this.

use super::{Grammar, Parsed, Parser};
use crate::ast::{Span, line_column};
use crate::error::Error;
use crate::lex::{Kind, Lexer, Token};

pub(super) struct Tokens<'s> {
    lexer: Lexer<'s>,
    /// The newest token first, older ones pushed back behind it.
    buffer: [Token; 3],
    pending: usize,
}

impl<'s> Tokens<'s> {
    pub(super) fn new(source: &'s [u8], grammar: Grammar<'s>) -> Self {
        let none = Token::new(Kind::Eof, 0, 0);
        Self {
            lexer: Lexer::new(source, grammar.left, grammar.right),
            buffer: [none; 3],
            pending: 0,
        }
    }

    pub(super) fn next(&mut self) -> Token {
        if self.pending > 0 {
            self.pending -= 1;
        } else {
            self.buffer[0] = self.lexer.next_token();
        }
        self.buffer[self.pending]
    }

    pub(super) fn peek(&mut self) -> Token {
        if self.pending == 0 {
            self.buffer[0] = self.lexer.next_token();
            self.pending = 1;
        }
        self.buffer[self.pending - 1]
    }

    pub(super) fn backup(&mut self) {
        self.pending += 1;
    }

    /// Pushes back `older` in addition to the newest token.
    pub(super) fn backup2(&mut self, older: Token) {
        self.buffer[1] = older;
        self.pending = 2;
    }

    /// Pushes back `oldest` and `older` in addition to the newest token.
    pub(super) fn backup3(&mut self, oldest: Token, older: Token) {
        self.buffer[1] = older;
        self.buffer[2] = oldest;
        self.pending = 3;
    }

    pub(super) fn next_non_space(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind() != Kind::Space {
                return token;
            }
        }
    }

    pub(super) fn peek_non_space(&mut self) -> Token {
        let token = self.next_non_space();
        self.backup();
        token
    }

    /// See [`Lexer::lone_field`]; the left delimiter must have been the last token read.
    pub(super) fn lone_field(&mut self) -> Option<Span> {
        if self.pending == 0 {
            self.lexer.lone_field()
        } else {
            None
        }
    }

    /// The token that was read last from the source.
    pub(super) fn newest(&self) -> Token {
        self.buffer[0]
    }
}

impl Parser<'_> {
    pub(super) fn error(&self, message: impl Into<String>) -> Error {
        self.error_at(self.tokens.newest(), message)
    }

    pub(super) fn error_at(&self, token: Token, message: impl Into<String>) -> Error {
        let place = line_column(self.source, token.span().start as usize);
        Error::parse(self.name, place, message.into())
    }

    pub(super) fn expect(&mut self, kind: Kind, context: &str) -> Parsed<Token> {
        let token = self.tokens.next_non_space();
        if token.kind() == kind {
            Ok(token)
        } else {
            Err(self.unexpected(token, context))
        }
    }

    pub(super) fn unexpected(&self, token: Token, context: &str) -> Error {
        let shown = self.show(token);
        if token.kind() != Kind::Error {
            return self.error(format!("unexpected {shown} in {context}"));
        }
        let line = |pos| line_column(self.source, pos).0;
        let started = self
            .action
            .map(line)
            .filter(|started| *started != line(token.span().start as usize));
        match started {
            None => self.error(shown),
            Some(started) if shown.ends_with(" action") => {
                self.error(format!("{shown} started at {}:{started}", self.name))
            }
            Some(started) => self.error(format!(
                "{shown} in action started at {}:{started}",
                self.name
            )),
        }
    }

    /// How Go shows a token: keywords in angle brackets, others quoted and cut at ten characters.
    fn show(&self, token: Token) -> String {
        let text = &self.source[token.span().range()];
        match token.kind() {
            Kind::Eof => "EOF".to_owned(),
            Kind::Error => self.tokens.lexer.problem().to_owned(),
            kind if kind.is_keyword() => format!("<{}>", String::from_utf8_lossy(text)),
            _ if text.len() > 10 => {
                let end = lockstep_golang::unicode::runes(text).nth(10);
                let cut = &text[..end.map_or(text.len(), |(at, _)| at)];
                format!("{}...", crate::strconv::quote(cut))
            }
            _ => crate::strconv::quote(text),
        }
    }
}
