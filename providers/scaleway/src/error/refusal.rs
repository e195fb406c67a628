//! The body of a refusal: its type decides which members explain it, and in which words.

use lockstep_provider_api::http::Answer;
use serde::Deserialize;

/// What a refusal says; members that its type does not have are empty.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Refusal {
    r#type: String,
    message: String,
    resource: String,
    resource_id: String,
    current_state: String,
    method: String,
    reason: String,
    precondition: String,
    help_message: String,
    details: Vec<Detail>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Detail {
    argument_name: String,
    reason: String,
    help_message: String,
    resource: String,
    action: String,
    quota: u64,
    current: u64,
}

impl Refusal {
    /// The refusal in an answer; `None` where its body is something else.
    pub(super) fn read(answer: &Answer) -> Option<Self> {
        if answer.status().is_success() {
            return None;
        }
        answer.json().ok()
    }

    /// Whether it says that a secret or version is missing.
    pub(super) fn is_absence(&self) -> bool {
        self.r#type == "not_found"
    }

    /// Its text; `status` is for types without one.
    pub(super) fn text(&self, status: &str) -> String {
        let Self {
            resource,
            resource_id: id,
            ..
        } = self;
        match self.r#type.as_str() {
            "invalid_arguments" => format!("invalid argument(s): {}", self.each(Detail::invalid)),
            "quotas_exceeded" => format!("quota exceeded(s): {}", self.each(Detail::exceeded)),
            "permissions_denied" => {
                format!("insufficient permissions: {}", self.each(Detail::denied))
            }
            "not_found" => format!("resource {resource} with ID {id} is not found"),
            "locked" => format!("resource {resource} with ID {id} is locked"),
            "out_of_stock" => format!("resource {resource} is out of stock"),
            "transient_state" => {
                let state = &self.current_state;
                format!("resource {resource} with ID {id} is in a transient state: {state}")
            }
            "denied_authentication" => format!("denied authentication: {}", self.unknown_caller()),
            "precondition_failed" => format!("precondition failed: {}", self.unmet()),
            _ => self.plain(status),
        }
    }

    fn each(&self, text: fn(&Detail) -> String) -> String {
        let texts: Vec<String> = self.details.iter().map(text).collect();
        texts.join("; ")
    }

    fn unknown_caller(&self) -> String {
        let method = match self.method.as_str() {
            "unknown_method" => "unknown method",
            "jwt" => "JWT",
            "api_key" => "API key",
            _ => "",
        };
        match self.reason.as_str() {
            "unknown_reason" => "unknown reason".to_owned(),
            "invalid_argument" => format!("invalid {method} format or empty value"),
            "not_found" => format!("{method} does not exist"),
            "expired" => format!("{method} is expired"),
            _ => String::new(),
        }
    }

    fn unmet(&self) -> String {
        let what = match self.precondition.as_str() {
            "unknown_precondition" => "unknown precondition",
            "resource_still_in_use" => "resource is still in use",
            "attribute_must_be_set" => "attribute must be set",
            _ => "",
        };
        with_help(what, &self.help_message)
    }

    fn plain(&self, status: &str) -> String {
        let mut text = format!("http error {status}");
        if !self.resource.is_empty() {
            text.push_str(": resource ");
            text.push_str(&self.resource);
        }
        if !self.message.is_empty() {
            text.push_str(": ");
            text.push_str(&self.message);
        }
        text
    }
}

impl Detail {
    fn invalid(&self) -> String {
        let why = match self.reason.as_str() {
            "unknown" => " is invalid for unexpected reason",
            "required" => " is required",
            "format" => " is wrongly formatted",
            "constraint" => " does not respect constraint",
            _ => "",
        };
        with_help(&format!("{}{why}", self.argument_name), &self.help_message)
    }

    fn exceeded(&self) -> String {
        let Self {
            resource,
            current,
            quota,
            ..
        } = self;
        format!("{resource} has reached its quota ({current}/{quota})")
    }

    fn denied(&self) -> String {
        format!("{} {}", self.action, self.resource)
    }
}

fn with_help(text: &str, help: &str) -> String {
    if help.is_empty() {
        return text.to_owned();
    }
    format!("{text}, {help}")
}
