//! Splits template source into tokens, as Go's `text/template/parse` does.
//!
//! Text outside actions, delimiters with their trim markers, and comments are handled here; what
//! stands inside an action is in `lex::action`. Tokens are ranges of the source: nothing is copied.

mod action;

use memchr::memmem;

use crate::ast::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Error,
    Bool,
    Char,
    CharConstant,
    Complex,
    Assign,
    Declare,
    Eof,
    Field,
    Identifier,
    LeftDelim,
    LeftParen,
    Number,
    Pipe,
    RawString,
    RightDelim,
    RightParen,
    Space,
    String,
    Text,
    Variable,
    // Keywords.
    Block,
    Break,
    Continue,
    Dot,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

impl Kind {
    pub(crate) fn is_keyword(self) -> bool {
        matches!(
            self,
            Self::Block
                | Self::Break
                | Self::Continue
                | Self::Dot
                | Self::Define
                | Self::Else
                | Self::End
                | Self::If
                | Self::Nil
                | Self::Range
                | Self::Template
                | Self::With
        )
    }
}

/// All kinds, in the order of their declaration.
const KINDS: [Kind; 33] = [
    Kind::Error,
    Kind::Bool,
    Kind::Char,
    Kind::CharConstant,
    Kind::Complex,
    Kind::Assign,
    Kind::Declare,
    Kind::Eof,
    Kind::Field,
    Kind::Identifier,
    Kind::LeftDelim,
    Kind::LeftParen,
    Kind::Number,
    Kind::Pipe,
    Kind::RawString,
    Kind::RightDelim,
    Kind::RightParen,
    Kind::Space,
    Kind::String,
    Kind::Text,
    Kind::Variable,
    Kind::Block,
    Kind::Break,
    Kind::Continue,
    Kind::Dot,
    Kind::Define,
    Kind::Else,
    Kind::End,
    Kind::If,
    Kind::Nil,
    Kind::Range,
    Kind::Template,
    Kind::With,
];

/// A token: its kind and its place in the source, packed so that it fits a register.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token(u64);

/// Bits of a position; a source is far shorter than 2²⁸ bytes.
const POSITION_BITS: u32 = 28;
const POSITION: u64 = (1 << POSITION_BITS) - 1;

impl Token {
    pub(crate) fn new(kind: Kind, start: usize, end: usize) -> Self {
        let (start, end) = (start as u64 & POSITION, end as u64 & POSITION);
        Self(end << (8 + POSITION_BITS) | start << 8 | kind as u64)
    }

    pub(crate) fn kind(self) -> Kind {
        // The low byte came from a kind.
        KINDS[(self.0 & 0xff) as usize % KINDS.len()]
    }

    pub(crate) fn span(self) -> Span {
        let position = |shift: u32| u32::try_from(self.0 >> shift & POSITION).unwrap_or(0);
        Span {
            start: position(8),
            end: position(8 + POSITION_BITS),
        }
    }
}

/// The scanner.
pub(crate) struct Lexer<'s> {
    source: &'s [u8],
    left: &'s [u8],
    right: &'s [u8],
    pos: usize,
    start: usize,
    paren_depth: usize,
    inside_action: bool,
    /// The sentence of the first error; after it only the end of input follows.
    problem: Option<String>,
}

impl<'s> Lexer<'s> {
    pub(crate) fn new(source: &'s [u8], left: &'s [u8], right: &'s [u8]) -> Self {
        Self {
            source,
            left,
            right,
            pos: 0,
            start: 0,
            paren_depth: 0,
            inside_action: false,
            problem: None,
        }
    }

    /// The text of an error token.
    pub(crate) fn problem(&self) -> &str {
        self.problem.as_deref().unwrap_or_default()
    }

    pub(crate) fn next_token(&mut self) -> Token {
        if self.problem.is_some() {
            return Token::new(Kind::Eof, self.start, self.start);
        }
        if self.inside_action {
            self.inside_action()
        } else {
            self.text()
        }
    }

    fn rest(&self) -> &'s [u8] {
        self.source.get(self.pos..).unwrap_or_default()
    }

    fn emit(&mut self, kind: Kind) -> Token {
        let token = Token::new(kind, self.start, self.pos);
        self.start = self.pos;
        token
    }

    fn fail(&mut self, problem: impl Into<String>) -> Token {
        self.problem = Some(problem.into());
        Token::new(Kind::Error, self.start, self.start)
    }

    /// Scans up to the next action, skipping comments.
    fn text(&mut self) -> Token {
        loop {
            let Some(at) = find(self.rest(), self.left) else {
                self.pos = self.source.len();
                let kind = if self.pos > self.start {
                    Kind::Text
                } else {
                    Kind::Eof
                };
                return self.emit(kind);
            };
            self.pos += at;
            let after = self
                .source
                .get(self.pos + self.left.len()..)
                .unwrap_or_default();
            let trim = has_left_trim_marker(after);
            if at > 0 {
                let text = &self.source[self.start..self.pos];
                let end = self.start
                    + if trim {
                        trim_end(text).len()
                    } else {
                        text.len()
                    };
                let token = Token::new(Kind::Text, self.start, end);
                self.start = self.pos;
                if !token.span().range().is_empty() {
                    return token;
                }
            }
            match self.left_delim(trim) {
                Some(token) => return token,
                None => self.start = self.pos,
            }
        }
    }

    /// Scans the left delimiter; nothing if it opened a comment, which is then skipped.
    fn left_delim(&mut self, trim: bool) -> Option<Token> {
        self.pos += self.left.len();
        let after_marker = if trim { TRIM_MARKER_LEN } else { 0 };
        if self
            .source
            .get(self.pos + after_marker..)
            .is_some_and(|s| s.starts_with(b"/*"))
        {
            self.pos += after_marker;
            self.start = self.pos;
            return self.comment();
        }
        let token = self.emit(Kind::LeftDelim);
        self.inside_action = true;
        self.paren_depth = 0;
        self.pos += after_marker;
        self.start = self.pos;
        Some(token)
    }

    fn comment(&mut self) -> Option<Token> {
        self.pos += 2;
        let Some(at) = memmem::find(self.rest(), b"*/") else {
            return Some(self.fail("unclosed comment"));
        };
        self.pos += at + 2;
        let Some(trim) = self.at_right_delim() else {
            return Some(self.fail("comment ends before closing delimiter"));
        };
        self.skip_right_delim(trim);
        None
    }

    /// Whether a right delimiter stands here, and if so whether it has a trim marker.
    fn at_right_delim(&self) -> Option<bool> {
        let rest = self.rest();
        if has_right_trim_marker(rest) && rest[TRIM_MARKER_LEN..].starts_with(self.right) {
            return Some(true);
        }
        self.is_right_delim(rest).then_some(false)
    }

    /// Whether `rest` begins with the right delimiter; asked at every token, so the first byte
    /// decides where it can.
    fn is_right_delim(&self, rest: &[u8]) -> bool {
        rest.first() == self.right.first() && rest.starts_with(self.right)
    }

    fn skip_right_delim(&mut self, trim: bool) {
        self.pos += self.right.len();
        if trim {
            self.pos += TRIM_MARKER_LEN;
            let rest = self.rest();
            self.pos += rest.len() - trim_start(rest).len();
        }
    }

    fn right_delim(&mut self, trim: bool) -> Token {
        if trim {
            self.start += TRIM_MARKER_LEN;
        }
        let token = Token::new(Kind::RightDelim, self.start, self.start + self.right.len());
        self.skip_right_delim(trim);
        self.start = self.pos;
        self.inside_action = false;
        token
    }
}

/// Finds a delimiter; these are short, so its first byte is looked for.
fn find(text: &[u8], delimiter: &[u8]) -> Option<usize> {
    let first = *delimiter.first()?;
    memchr::memchr_iter(first, text).find(|at| text[*at..].starts_with(delimiter))
}

/// The marker and the space beside it.
const TRIM_MARKER_LEN: usize = 2;

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn has_left_trim_marker(text: &[u8]) -> bool {
    matches!(text, [b'-', space, ..] if is_space(*space))
}

fn has_right_trim_marker(text: &[u8]) -> bool {
    matches!(text, [space, b'-', ..] if is_space(*space))
}

fn trim_end(mut text: &[u8]) -> &[u8] {
    while let [head @ .., last] = text
        && is_space(*last)
    {
        text = head;
    }
    text
}

fn trim_start(mut text: &[u8]) -> &[u8] {
    while let [first, tail @ ..] = text
        && is_space(*first)
    {
        text = tail;
    }
    text
}
