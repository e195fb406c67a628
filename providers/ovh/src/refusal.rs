//! The body of a refusal, and its text as the backend's SDK prints it: the errors line by line, then ids
//! and the code with the names of its parts. The names are those of the SDK.

use std::fmt;

use lockstep_provider_api::http::Answer;
use serde::Deserialize;

/// Systems by the first byte of a code, with their components by the second. Components 0 and 1 have
/// the same names everywhere.
const SYSTEMS: [(&str, &[&str]); 7] = [
    ("Undefined", &[]),
    (
        "CCM",
        &[
            "IAM",
            "Domain",
            "DSK Manager",
            "Secret Manager",
            "MOB Manager",
            "Admin Provider",
            "Admin Auth Provider",
            "User Auth provider",
            "SSM Provider",
        ],
    ),
    ("SSM", &[]),
    (
        "REST",
        &["Authentication Provider", "Service Keys API", "Secrets API"],
    ),
    ("KMIP", &[]),
    ("DB", &["File System DB", "S3", "Postgres"]),
    (
        "XLIB",
        &["HTTP Provider", "IAM Provider", "Certificate Provider"],
    ),
];
const CATEGORIES: [&str; 9] = [
    "Unspecified",
    "Internal",
    "Argument",
    "Authentication",
    "Authorization",
    "Not Found",
    "Database",
    "Unavailable",
    "Bad Argument",
];

/// What the backend says of a request it refuses.
#[derive(Deserialize)]
pub(crate) struct Refusal {
    error_code: Option<u32>,
    error_id: Option<String>,
    errors: Option<Vec<String>>,
    request_id: Option<String>,
}

impl Refusal {
    /// The refusal in an answer, where it is one.
    pub(crate) fn of(answer: &Answer) -> Option<Self> {
        answer.json().ok()
    }

    /// The backend's code.
    pub(crate) fn code(&self) -> u32 {
        self.error_code.unwrap_or_default()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for error in self.errors.iter().flatten() {
            writeln!(f, "{error}")?;
        }
        let [system, component, rest, _] = self.code().to_be_bytes();
        write!(
            f,
            "ID={:?}, Request-ID:{:?}, Code={}, System={}, Component={}, Category={}",
            self.error_id.as_deref().unwrap_or_default(),
            self.request_id.as_deref().unwrap_or_default(),
            self.code(),
            named(SYSTEMS.get(usize::from(system)).map(|it| it.0), system),
            component_name(system, component),
            named(CATEGORIES.get(usize::from(rest >> 4)).copied(), rest >> 4),
        )
    }
}

fn component_name(system: u8, component: u8) -> String {
    let components = SYSTEMS.get(usize::from(system)).map_or(&[][..], |it| it.1);
    match component {
        0 => "Unspecified".to_owned(),
        1 => "General".to_owned(),
        other => named(components.get(usize::from(other) - 2).copied(), other),
    }
}

fn named(name: Option<&str>, number: u8) -> String {
    name.map_or_else(|| format!("Unknown ({number})"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_come_line_by_line_before_the_code() {
        let text = |json: &str| {
            let refusal: Refusal = serde_json::from_str(json).unwrap();
            refusal.to_string()
        };

        assert_eq!(
            text(r#"{"error_code":17125377,"errors":["a","b"],"request_id":"r"}"#),
            "a\nb\nID=\"\", Request-ID:\"r\", Code=17125377, System=CCM, Component=Secret Manager, \
             Category=Not Found"
        );
        assert_eq!(
            text(r#"{"error_id":"x","error_code":4294967295}"#),
            "ID=\"x\", Request-ID:\"\", Code=4294967295, System=Unknown (255), \
             Component=Unknown (255), Category=Unknown (15)"
        );
    }
}
