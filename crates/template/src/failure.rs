//! Why a function failed, with the parts that came from arguments kept apart.
//!
//! Go puts argument values into some error texts. Here such parts are shown only when the whole
//! call was written in the template itself (`{{ urlParse ":x" }}`); if any argument came from
//! data, they are left out, because data may be secret and errors end up in conditions and logs.

use crate::limits::Exceeded;

/// What stands for a value that must not be shown.
pub(crate) const WITHHELD: &str = "[value withheld]";

/// The result of a function.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Why a function gave no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Go's sentence, in parts.
    Message(Vec<Part>),
    Limit(Exceeded),
}

#[derive(Debug)]
pub(crate) enum Part {
    Text(String),
    /// Text taken from an argument.
    Value(String),
}

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::Message(vec![Part::Text(text.into())])
    }

    /// A sentence that consists of argument text alone.
    pub(crate) fn of_value(text: impl Into<String>) -> Self {
        Self::Message(vec![Part::Value(text.into())])
    }

    pub(crate) fn text(self, text: impl Into<String>) -> Self {
        self.with(Part::Text(text.into()))
    }

    pub(crate) fn value(self, text: impl Into<String>) -> Self {
        self.with(Part::Value(text.into()))
    }

    /// Adds a part of another sentence.
    pub(crate) fn with(mut self, part: Part) -> Self {
        if let Self::Message(parts) = &mut self {
            parts.push(part);
        }
        self
    }

    /// The sentence, with or without the values in it.
    pub(crate) fn sentence(&self, show_values: bool) -> String {
        let Self::Message(parts) = self else {
            return String::new();
        };
        parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.as_str(),
                Part::Value(text) if show_values => text.as_str(),
                Part::Value(_) => WITHHELD,
            })
            .collect()
    }
}

impl From<Exceeded> for Failure {
    fn from(exceeded: Exceeded) -> Self {
        Self::Limit(exceeded)
    }
}
