//! The position of a fault in a template, so that a command line can point at it. Holds no value.

use crate::template_source::{SourceKey, SourceKind};

/// The place in a template that could not be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFault {
    /// The template.
    pub template: TemplateText,
    /// Line in the template, from one; zero where the template as a whole is meant.
    pub line: u32,
    /// Column in bytes, from zero.
    pub column: u32,
    /// What is wrong there.
    pub message: String,
}

/// Where the text of a template stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateText {
    /// A field of the ExternalSecret, by its path.
    Field(String),
    /// A key of an object that `templateFrom` names.
    Source(SourceKey, String),
}

impl TemplateText {
    /// Whether the text may be kept after the run: what a Secret holds may not.
    pub(crate) fn is_public(&self) -> bool {
        match self {
            Self::Field(_) => true,
            Self::Source(key, _) => key.kind == SourceKind::ConfigMap,
        }
    }
}
