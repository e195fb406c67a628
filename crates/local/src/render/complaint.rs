//! One thing that is wrong, as the command prints it: place, field, what, the line with a caret, and
//! what to do. Texts name keys and fields, never values.

use std::fmt;

/// What is wrong and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(crate) file: String,
    /// Line and column, from one; zero where they are not known.
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Path of the field.
    pub(crate) field: Option<String>,
    pub(crate) message: String,
    /// The line with a caret.
    pub(crate) excerpt: Option<String>,
    /// What to do.
    pub(crate) hint: Option<String>,
    /// What the Ready condition would say in a cluster.
    pub(crate) condition: Option<String>,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("error: ")?;
        if !self.file.is_empty() {
            f.write_str(&self.file)?;
            for number in [self.line, self.column] {
                if number > 0 {
                    write!(f, ":{number}")?;
                }
            }
            f.write_str(": ")?;
        }
        if let Some(field) = &self.field {
            write!(f, "{field}: ")?;
        }
        writeln!(f, "{}", self.message)?;
        if let Some(excerpt) = &self.excerpt {
            f.write_str(excerpt)?;
        }
        if let Some(hint) = &self.hint {
            writeln!(f, "hint: {hint}")?;
        }
        if let Some(condition) = &self.condition {
            writeln!(f, "in a cluster: {condition}")?;
        }
        Ok(())
    }
}
