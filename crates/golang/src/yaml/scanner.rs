//! Splits a stream into tokens.
//!
//! Indentation turns into tokens that open and close blocks. A key is known as such only at its
//! colon; the token that announces it is then put in front of it, which is why tokens wait in a
//! queue as long as the first of them may still turn out to be a key.

mod block;
mod plain;
mod properties;
mod quoted;
mod structure;

use std::collections::{BTreeMap, VecDeque};

use super::Error;
use super::reader::{Mark, Reader, is_blank, is_blank_or_end, is_break, is_break_or_end};

/// How deep flow collections may nest, and blocks as well.
pub(super) const MAX_DEPTH: usize = 500;

/// A token and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) mark: Mark,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    StreamEnd,
    VersionDirective { major: u32, minor: u32 },
    TagDirective { handle: String, prefix: String },
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(String),
    Anchor(String),
    Tag { handle: String, suffix: String },
    Scalar { text: String, plain: bool },
}

/// A place where a key may have begun.
#[derive(Debug, Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    required: bool,
    /// The number of the token that would be the key.
    token: usize,
    mark: Mark,
}

pub(super) struct Scanner {
    reader: Reader,
    tokens: VecDeque<Token>,
    /// How many tokens were taken.
    taken: usize,
    /// The column of the current block plus one; zero outside of blocks.
    indent: usize,
    indents: Vec<usize>,
    /// One for each flow level, and one for the blocks.
    keys: Vec<SimpleKey>,
    /// The places where the tokens still in the queue may turn out to be keys.
    keys_by_token: BTreeMap<usize, usize>,
    key_allowed: bool,
}

impl Scanner {
    pub(super) fn new(text: &str) -> Self {
        Self {
            reader: Reader::new(text),
            tokens: VecDeque::new(),
            taken: 0,
            indent: 0,
            indents: Vec::new(),
            keys: vec![SimpleKey::default()],
            keys_by_token: BTreeMap::new(),
            key_allowed: true,
        }
    }

    /// The next token.
    pub(super) fn peek(&mut self) -> Result<&Token, Error> {
        while self.needs_more()? {
            self.fetch()?;
        }
        // The loop ends with a token in the queue; the fallback is never seen.
        Ok(self.tokens.front().unwrap_or(&STREAM_END))
    }

    /// Takes the token last peeked at; the end of the stream stays.
    pub(super) fn take(&mut self) -> Token {
        let token = self.tokens.pop_front().unwrap_or(STREAM_END);
        self.taken += 1;
        token
    }

    fn needs_more(&mut self) -> Result<bool, Error> {
        if self.tokens.is_empty() {
            return Ok(true);
        }
        match self.keys_by_token.get(&self.taken) {
            Some(index) => self.key_holds(*index),
            None => Ok(false),
        }
    }

    fn flow(&self) -> bool {
        self.keys.len() > 1
    }

    /// The refusal of what stands here.
    fn refuse<T>(&self, problem: &str) -> Result<T, Error> {
        let line = self.reader.mark.line;
        Err(Error::at_line(
            if line == 0 { 0 } else { line + 1 },
            problem,
        ))
    }

    fn push(&mut self, kind: TokenKind, mark: Mark) {
        self.tokens.push_back(Token { kind, mark });
    }

    /// Reads the next token of the stream into the queue.
    fn fetch(&mut self) -> Result<(), Error> {
        self.skip_to_token();
        self.close_blocks(self.reader.mark.column + 1);
        let here = self.reader.here();
        let next = self.reader.ahead(1);
        if self.reader.at_document_indicator() {
            let start = here == '-';
            return self.document_indicator(if start {
                TokenKind::DocumentStart
            } else {
                TokenKind::DocumentEnd
            });
        }
        let flow = self.flow();
        match here {
            super::reader::END => self.stream_end(),
            '%' if self.reader.mark.column == 0 => self.directive(),
            '[' => self.open_flow(TokenKind::FlowSequenceStart),
            '{' => self.open_flow(TokenKind::FlowMappingStart),
            ']' => self.close_flow(TokenKind::FlowSequenceEnd),
            '}' => self.close_flow(TokenKind::FlowMappingEnd),
            ',' => self.flow_entry(),
            '-' if is_blank_or_end(next) => self.block_entry(),
            '?' if flow || is_blank_or_end(next) => self.key(),
            ':' if flow || is_blank_or_end(next) => self.value(),
            '*' => self.anchor(TokenKind::Alias),
            '&' => self.anchor(TokenKind::Anchor),
            '!' => self.tag(),
            '|' if !flow => self.block_scalar(true),
            '>' if !flow => self.block_scalar(false),
            '\'' | '"' => self.quoted_scalar(here == '\''),
            '-' if !is_blank(next) => self.plain_scalar(),
            '?' | ':' if !flow => self.plain_scalar(),
            '-' | '?' | ':' | '#' | '|' | '>' | '%' | '@' | '`' | '\t' => {
                self.refuse("found character that cannot start any token")
            }
            _ => self.plain_scalar(),
        }
    }

    /// Skips white space and comments.
    fn skip_to_token(&mut self) {
        if self.reader.mark.index == 0 && self.reader.here() == '\u{feff}' {
            self.reader.skip();
        }
        loop {
            // A tab could be meant as indentation, so it is skipped only where none can be.
            let tabs = self.flow() || !self.key_allowed;
            self.reader.skip_while(|c| c == ' ' || (tabs && c == '\t'));
            if self.reader.here() == '#' {
                self.reader.skip_while(|c| !is_break_or_end(c));
            }
            if !is_break(self.reader.here()) {
                break;
            }
            self.reader.take_break();
            self.key_allowed |= !self.flow();
        }
    }
}

const STREAM_END: Token = Token {
    kind: TokenKind::StreamEnd,
    mark: Mark {
        index: 0,
        line: 0,
        column: 0,
    },
};
