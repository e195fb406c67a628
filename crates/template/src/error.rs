//! The error of parsing or executing a template, with its place, printed as Go prints it.
//!
//! Values that came from data never get into the text; see `failure` for how that is kept.

use std::fmt;

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The source is not a template.
    Parse,
    /// The template failed on the data given.
    Execute,
    /// The template asked for more than the limits allow.
    Limit,
}

/// A template that cannot be parsed or executed.
///
/// `Display` is Go's text, for example
/// `template: key:1:3: executing "key" at <.x>: map has no entry for key "x"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Detail>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Detail {
    kind: ErrorKind,
    line: u32,
    column: u32,
    template: Box<str>,
    /// `executing "key" at <.x>`, unless the error is one of parsing.
    context: Option<Box<str>>,
    message: Box<str>,
}

impl Error {
    pub(crate) fn parse(template: &str, place: (u32, u32), message: String) -> Self {
        Self::new(ErrorKind::Parse, template, place, message)
    }

    pub(crate) fn limit(template: &str, place: (u32, u32), message: String) -> Self {
        Self::new(ErrorKind::Limit, template, place, message)
    }

    pub(crate) fn execute(template: &str, place: (u32, u32), message: String) -> Self {
        Self::new(ErrorKind::Execute, template, place, message)
    }

    fn new(kind: ErrorKind, template: &str, (line, column): (u32, u32), message: String) -> Self {
        let (template, message) = (template.into(), message.into());
        Self(Box::new(Detail {
            kind,
            line,
            column,
            template,
            context: None,
            message,
        }))
    }

    pub(crate) fn within(mut self, context: String) -> Self {
        self.0.context = Some(context.into());
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The name the template was parsed under.
    pub fn template(&self) -> &str {
        &self.0.template
    }

    /// The line, counted from one.
    pub fn line(&self) -> u32 {
        self.0.line
    }

    /// The column in bytes, counted from zero as Go does.
    pub fn column(&self) -> u32 {
        self.0.column
    }

    /// The cause alone, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let detail = &self.0;
        write!(out, "template: {}:{}", detail.template, detail.line)?;
        match &detail.context {
            None => write!(out, ": {}", detail.message),
            Some(context) => write!(out, ":{}: {context}: {}", detail.column, detail.message),
        }
    }
}

impl std::error::Error for Error {}
