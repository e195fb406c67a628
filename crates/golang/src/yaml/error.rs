//! Refusals of YAML, in the words of the Go libraries where those are known.

/// Why YAML was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not YAML, or not YAML that JSON can express.
    #[error("error converting YAML to JSON: yaml: {0}")]
    Syntax(String),
    /// A value JSON cannot hold.
    #[error("error converting YAML to JSON: {0}")]
    Conversion(String),
    /// Not of the type wanted.
    #[error("error unmarshaling JSON: while decoding JSON: {0}")]
    Type(crate::json::Error),
}

impl Error {
    pub(super) fn syntax(problem: impl Into<String>) -> Self {
        Self::Syntax(problem.into())
    }

    /// A problem of which the line is known, counted from one; zero stands for unknown.
    pub(super) fn at_line(line: usize, problem: &str) -> Self {
        match line {
            0 => Self::syntax(problem),
            _ => Self::Syntax(format!("line {line}: {problem}")),
        }
    }
}
