//! Kinds of objects, and answers that say no.

use serde_json::json;

use crate::stub::Answer;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Kind {
    Secret,
    Key,
    Certificate,
}

impl Kind {
    pub(super) fn of(collection: &str) -> Option<Self> {
        [Self::Secret, Self::Key, Self::Certificate]
            .into_iter()
            .find(|kind| kind.path() == collection)
    }

    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Secret => "secrets",
            Self::Key => "keys",
            Self::Certificate => "certificates",
        }
    }

    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Secret => "Secret",
            Self::Key => "Key",
            Self::Certificate => "Certificate",
        }
    }
}

/// An answer that says no.
pub(in super::super) struct Refusal {
    status: u16,
    code: String,
    inner: Option<String>,
    message: String,
}

impl Refusal {
    pub(in super::super) fn new(status: u16, code: &str, message: &str) -> Self {
        Self {
            status,
            code: code.to_owned(),
            inner: None,
            message: message.to_owned(),
        }
    }

    pub(in super::super) fn because(mut self, inner: &str) -> Self {
        self.inner = Some(inner.to_owned());
        self
    }

    pub(in super::super) fn answer(&self) -> Answer {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(inner) = &self.inner {
            error["innererror"] = json!({ "code": inner });
        }
        Answer::json(self.status, &json!({ "error": error }))
    }
}
