//! Refusals of patterns, in Go's words.

use std::fmt;

/// What is wrong with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A class such as `[b-a]` or an unknown class name.
    CharRange,
    /// An unknown escape.
    Escape,
    /// A group name with illegal characters, or never closed.
    NamedCapture,
    /// `(?` with something Go does not know.
    PerlOp,
    /// Two repetition operators in a row.
    RepeatOp,
    /// A repetition count above 1000, alone or multiplied with nested ones.
    RepeatSize,
    /// The pattern is not UTF-8.
    Utf8,
    /// A class is never closed.
    MissingBracket,
    /// A group is never closed.
    MissingParen,
    /// A repetition operator with nothing before it.
    MissingRepeatArgument,
    /// A backslash at the end.
    TrailingBackslash,
    /// A group is closed that was never opened.
    UnexpectedParen,
    /// Groups nest too deeply.
    NestingDepth,
    /// The pattern needs too much memory.
    TooLarge,
}

impl Problem {
    fn text(self) -> &'static str {
        match self {
            Self::CharRange => "invalid character class range",
            Self::Escape => "invalid escape sequence",
            Self::NamedCapture => "invalid named capture",
            Self::PerlOp => "invalid or unsupported Perl syntax",
            Self::RepeatOp => "invalid nested repetition operator",
            Self::RepeatSize => "invalid repeat count",
            Self::Utf8 => "invalid UTF-8",
            Self::MissingBracket => "missing closing ]",
            Self::MissingParen => "missing closing )",
            Self::MissingRepeatArgument => "missing argument to repetition operator",
            Self::TrailingBackslash => "trailing backslash at end of expression",
            Self::UnexpectedParen => "unexpected )",
            Self::NestingDepth => "expression nests too deeply",
            Self::TooLarge => "expression too large",
        }
    }
}

/// A pattern was refused; prints Go's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    problem: Problem,
    expression: String,
}

impl Error {
    pub(super) fn new(problem: Problem, expression: &[u8]) -> Self {
        Self {
            problem,
            expression: String::from_utf8_lossy(expression).into_owned(),
        }
    }

    /// What is wrong.
    pub fn problem(&self) -> Problem {
        self.problem
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "error parsing regexp: {}: `{}`",
            self.problem.text(),
            self.expression
        )
    }
}

impl std::error::Error for Error {}
