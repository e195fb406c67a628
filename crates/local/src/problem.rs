//! A fault of a manifest: where it stands, which object and field it concerns, what is wrong and
//! what to do. Texts name fields, never values.

use std::fmt;

use serde::Serialize;

/// Where a document stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Origin {
    /// File, relative to the folder.
    pub(crate) file: String,
    /// Number of the document in the file, from one.
    pub(crate) document: usize,
    /// Line in the file, from one; zero where it is not known.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) line: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn is_zero(line: &usize) -> bool {
    *line == 0
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        match self.document {
            0 => Ok(()),
            document => write!(f, " (document {document})"),
        }
    }
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Problem {
    /// Where it is.
    #[serde(flatten)]
    pub(crate) origin: Origin,
    /// Kind, namespace and name of the object, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) object: Option<String>,
    /// Path of the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) field: Option<String>,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do.
    pub(crate) remedy: String,
}

/// Ends of remedies that say what local mode does about the rest.
pub(crate) const OTHERS_ARE_USED: &str = "; the others are used";
/// The same for an object that is written twice.
pub(crate) const FIRST_IS_USED: &str = "; the first is used";

impl Problem {
    /// The text for a command that does nothing at all while there is a fault.
    pub(crate) fn ending_the_command(&self) -> String {
        let text = self.to_string();
        let ends = [OTHERS_ARE_USED, FIRST_IS_USED];
        let cut = ends.iter().find_map(|end| text.strip_suffix(end));
        cut.map_or_else(|| text.clone(), str::to_owned)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.origin)?;
        for part in [&self.object, &self.field].into_iter().flatten() {
            write!(f, "{part}: ")?;
        }
        write!(f, "{}; {}", self.message, self.remedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_place_object_field_and_remedy() {
        let origin = Origin {
            file: "a.yaml".to_owned(),
            document: 2,
            line: 7,
        };
        let problem = Problem {
            origin,
            object: Some("SecretStore default/demo".to_owned()),
            field: Some("spec.provider.faek".to_owned()),
            message: "no such field".to_owned(),
            remedy: "did you mean \"fake\"?".to_owned(),
        };

        assert_eq!(
            problem.to_string(),
            "a.yaml:7 (document 2): SecretStore default/demo: spec.provider.faek: no such field; \
             did you mean \"fake\"?"
        );
    }
}
