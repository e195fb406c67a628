//! Whether a document is JSON or YAML, and what is wrong with its syntax in the words of that language.
//! Messages quote no value.

use std::fmt;

use lockstep_golang::yaml;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::without_values;

/// What the reader says at the end of a text in which something is still open.
const UNCLOSED: &str = "found unexpected end of stream";

/// Language of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Json,
    Yaml,
}

/// Why a document cannot be parsed.
pub(super) struct SyntaxFault {
    /// Line in the document, from one.
    pub(super) line: Option<usize>,
    pub(super) message: String,
}

impl Language {
    /// The language of a document: that of the file's name if it begins as one does. Standard input
    /// has no such name; there, `{"` begins what `kubectl get --output json` prints.
    pub(super) fn of(file: &str, text: &str) -> Self {
        let begins = text.trim_start();
        let is_json = if let Some(extension) = std::path::Path::new(file).extension() {
            extension == "json" && begins.starts_with(['{', '['])
        } else {
            let inside = begins.strip_prefix('{').map(str::trim_start);
            inside.is_some_and(|inside| inside.starts_with('"'))
        };
        if is_json { Self::Json } else { Self::Yaml }
    }

    /// Parses one document as kubectl does, so that it means the same here and in a cluster.
    pub(super) fn parse(self, text: &str) -> Result<Value, SyntaxFault> {
        if self == Self::Json {
            check_json(text)?;
        }
        let value = yaml::decode(text.as_bytes()).map_err(|error| {
            let fault = yaml_fault(&error.to_string());
            if fault.message != UNCLOSED {
                return fault;
            }
            SyntaxFault {
                line: Some(opening_line(text)),
                message: "a quotation mark or bracket is not closed".to_owned(),
            }
        })?;
        Ok(Value::from(&value))
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "JSON",
            Self::Yaml => "YAML",
        })
    }
}

fn check_json(text: &str) -> Result<(), SyntaxFault> {
    let checked: Result<IgnoredAny, _> = serde_json::from_str(text);
    checked.map(drop).map_err(|error| {
        // Texts about syntax quote marks of the language and no values.
        let text = error.to_string();
        // The line is shown with the file's name.
        let message = text
            .rsplit_once(" at line ")
            .map_or(&*text, |(text, _)| text);
        SyntaxFault {
            line: Some(error.line()).filter(|line| *line > 0),
            message: message.to_owned(),
        }
    })
}

/// The first line up to which the text is cut off inside something: where that was opened.
fn opening_line(text: &str) -> usize {
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let is_closed = |end: &usize| {
        let cut = text.get(..*end).unwrap_or(text);
        let read = yaml::decode(cut.as_bytes());
        read.err()
            .is_none_or(|error| yaml_fault(&error.to_string()).message != UNCLOSED)
    };
    ends.partition_point(is_closed) + 1
}

fn yaml_fault(error: &str) -> SyntaxFault {
    let message = without_values(error);
    let message = message
        .rsplit_once("yaml: ")
        .map_or(&*message, |(_, rest)| rest);
    let numbered = message
        .strip_prefix("line ")
        .and_then(|rest| rest.split_once(": "));
    match numbered.and_then(|(line, rest)| Some((line.parse().ok()?, rest))) {
        Some((line, rest)) => SyntaxFault {
            line: Some(line),
            message: rest.to_owned(),
        },
        None => SyntaxFault {
            line: None,
            message: message.to_owned(),
        },
    }
}
