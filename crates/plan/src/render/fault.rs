//! Why rendering failed: the text users see in events, and where in which template it happened, so
//! that a command line can show the place. Neither holds a value.

use lockstep_template::Error;

use crate::external_secret::{SourceKey, SourceKind};

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
    pub(super) fn is_public(&self) -> bool {
        match self {
            Self::Field(_) => true,
            Self::Source(key, _) => key.kind == SourceKind::ConfigMap,
        }
    }
}

/// A failed rendering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RenderError {
    /// Text of the event.
    pub(crate) text: String,
    /// The place, where a template is to blame.
    pub(crate) fault: Option<TemplateFault>,
}

impl RenderError {
    /// An error of the template engine; `text` is what the event says of it.
    pub(super) fn at(template: &TemplateText, error: &Error, text: String) -> Self {
        let fault = TemplateFault {
            template: template.clone(),
            line: error.line(),
            column: error.column(),
            message: error.message().to_owned(),
        };
        Self {
            text,
            fault: Some(fault),
        }
    }

    /// An error of what a template gave.
    pub(super) fn of(template: &TemplateText, text: String) -> Self {
        let fault = TemplateFault {
            template: template.clone(),
            line: 0,
            column: 0,
            message: text.clone(),
        };
        Self {
            text,
            fault: Some(fault),
        }
    }

    /// Puts words in front of the text.
    pub(super) fn within(mut self, context: &str) -> Self {
        self.text = format!("{context}: {}", self.text);
        self
    }
}

impl From<String> for RenderError {
    fn from(text: String) -> Self {
        Self { text, fault: None }
    }
}
