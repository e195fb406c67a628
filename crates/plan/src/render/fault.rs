//! Why rendering failed: the text that events show, and the position in the template. Neither holds a
//! value.

use lockstep_template::Error;

use crate::template_fault::{TemplateFault, TemplateText};

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
    pub(crate) fn within(mut self, context: &str) -> Self {
        self.text = format!("{context}: {}", self.text);
        self
    }
}

impl From<String> for RenderError {
    fn from(text: String) -> Self {
        Self { text, fault: None }
    }
}
