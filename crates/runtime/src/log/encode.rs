//! Turns fields into JSON members. Values of types without a JSON form are written as text.

use std::error::Error;
use std::fmt::{Debug, Write};

use tracing::field::{Field, Visit};

/// The message and the other fields, these as `,"name":value`.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) message: String,
    pub(super) members: String,
}

impl Fields {
    fn member(&mut self, field: &Field, value: impl FnOnce(&mut String)) {
        self.members.push(',');
        string(&mut self.members, field.name());
        self.members.push(':');
        value(&mut self.members);
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            // Writing to a string cannot fail.
            let _ = write!(self.message, "{value:?}");
        } else {
            self.member(field, |out| string(out, &format!("{value:?}")));
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.message.push_str(value);
        } else {
            self.member(field, |out| string(out, value));
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.member(field, |out| out.push_str(&value.to_string()));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.member(field, |out| out.push_str(&value.to_string()));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.member(field, |out| out.push_str(&value.to_string()));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.member(field, |out| {
            if value.is_finite() {
                let _ = write!(out, "{value}");
            } else {
                string(out, &value.to_string());
            }
        });
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.member(field, |out| string(out, &value.to_string()));
    }
}

/// A JSON string.
pub(super) fn string(out: &mut String, text: &str) {
    // Encoding a string cannot fail.
    if let Ok(json) = serde_json::to_string(text) {
        out.push_str(&json);
    }
}
