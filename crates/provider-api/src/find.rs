//! Searching by name: a Go regular expression, unanchored, on the name the backend gives a secret.
//! Paths and tags are each provider's own affair.

use lockstep_golang::regexp::Regexp;

use crate::error::{Error, Result};

/// A compiled `find.name.regexp`.
#[derive(Debug)]
pub struct NameMatcher(Regexp);

impl NameMatcher {
    /// Compiles a pattern; what Go refuses is refused with Go's reason.
    pub fn new(pattern: &str) -> Result<Self> {
        let compiled = Regexp::new(pattern).map_err(|error| {
            Error::invalid_spec(format!(
                "could not compile find.name.regexp [{pattern}]: {error}"
            ))
        })?;
        Ok(Self(compiled))
    }

    /// Whether the pattern occurs in a name.
    pub fn matches(&self, name: &str) -> bool {
        self.0.is_match(name.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_pattern_is_not_anchored() {
        let matcher = NameMatcher::new("app").unwrap();

        assert!(matcher.matches("my-app-one"));
        assert!(!matcher.matches("other"));
        assert!(!NameMatcher::new("^app").unwrap().matches("my-app"));
    }

    #[test]
    fn a_bad_pattern_is_told_in_gos_words() {
        let error = NameMatcher::new("(").unwrap_err();

        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        assert_eq!(
            error.to_string(),
            "could not compile find.name.regexp [(]: error parsing regexp: missing closing ): `(`"
        );
    }
}
