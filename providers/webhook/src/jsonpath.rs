//! JSONPath as the original reads it: the first dialect, of which a definite path gives its value and
//! `..`, `*`, slices, unions and filters give a list. Filters know `==`, `!=` and parentheses. Members
//! come in the order of their keys. Errors name keys of the path, never values of the document. What
//! a path finds refers to the document; copies and work have a budget.

mod budget;
mod evaluate;
mod found;
mod parse;
mod slice;

#[cfg(test)]
mod tests;

use std::fmt;

use lockstep_provider_api::json::Value;

pub(crate) use found::Found;

/// What the path leads to; of a list made on the way, the first element alone.
pub(crate) fn first<T>(
    path: &str,
    document: &Value,
    take: impl FnOnce(&Found<'_>) -> T,
) -> Result<T, PathError> {
    let expression = parse::parse(path)?;
    let found = evaluate::evaluate(&expression, document, 1)?;
    Ok(take(&found))
}

/// A value to be computed.
#[derive(Debug, PartialEq)]
enum Expression {
    Literal(Value),
    /// Steps from the root or from the element a filter looks at.
    Path(Start, Vec<Step>),
    Equal(Box<Expression>, Box<Expression>),
    NotEqual(Box<Expression>, Box<Expression>),
    Negative(Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Root,
    Current,
}

/// One step of a path.
#[derive(Debug, PartialEq)]
enum Step {
    /// `.key`, `[expression]`
    One(Expression),
    /// `[a, b]`; misses are left out.
    Union(Vec<Expression>),
    /// `.*`, `[*]`
    All,
    /// `..`: the value and everything below.
    Descend,
    /// `[from:to:by]`
    Slice([Option<Expression>; 3]),
    /// `[?(…)]`
    Filter(Expression),
    /// `(…)`
    Script(Expression),
}

impl Step {
    /// Whether it may lead to several places, or none.
    fn is_ambiguous(&self) -> bool {
        !matches!(self, Self::One(_) | Self::Script(_))
    }
}

/// Why a path leads nowhere.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PathError {
    /// It is no path; with the column of the fault, from one.
    Syntax(usize, &'static str),
    /// The object has no such member.
    UnknownKey(String),
    /// A list was asked for something that is no number.
    NoIndex,
    /// The list has no such element; counting from its end is not known here.
    OutOfBounds(i64),
    /// Neither an object nor a list.
    NoContainer(&'static str),
    /// Following the path takes too many steps or copies.
    TooMany,
    /// The path itself has so many bytes.
    TooLong(usize),
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(column, what) => write!(f, "not a JSONPath at column {column}: {what}"),
            Self::UnknownKey(key) => write!(f, "unknown key {key}"),
            Self::NoIndex => f.write_str("could not select value, invalid key: expected a number"),
            Self::OutOfBounds(index) => write!(f, "index {index} out of bounds"),
            Self::NoContainer(kind) => write!(
                f,
                "unsupported value type {kind} for select, expected map[string]interface{{}} or \
                 []interface{{}}"
            ),
            Self::TooMany => f.write_str("the path leads to too many places"),
            Self::TooLong(length) => write!(
                f,
                "the path has {length} bytes; at most {} are allowed",
                parse::MAX_LENGTH
            ),
        }
    }
}
