//! Events as plans ask for them. Which object they are about, how they are aggregated and limited
//! is up to the recorder.

/// One event to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventNote {
    /// Normal or Warning.
    pub severity: Severity,
    /// One word for programs.
    pub reason: &'static str,
    /// What happened.
    pub message: String,
}

impl EventNote {
    /// An event about something that went as wished.
    pub fn normal(reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Normal,
            reason,
            message: message.into(),
        }
    }

    /// An event about something that needs a look.
    pub fn warning(reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            reason,
            message: message.into(),
        }
    }
}

/// Type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// As wished.
    Normal,
    /// Needs a look.
    Warning,
}

impl Severity {
    /// Kubernetes' spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}
