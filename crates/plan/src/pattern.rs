//! Go regular expressions as the planner uses them: on names, which are text.

use lockstep_golang::regexp::Regexp;

/// A compiled expression.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Regexp);

impl Pattern {
    /// Compiles an expression; the error is Go's text.
    pub(crate) fn compile(text: &str) -> Result<Self, String> {
        Regexp::new(text)
            .map(Self)
            .map_err(|error| error.to_string())
    }

    /// Whether the expression occurs in the text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text.as_bytes())
    }

    /// Replaces every match; `$1` and `${name}` stand for groups.
    pub(crate) fn replace_all(&self, text: &str, replacement: &str) -> String {
        let replaced = self.0.replace_all(text.as_bytes(), replacement.as_bytes());
        lockstep_golang::unicode::to_valid_utf8(&replaced)
    }
}
