//! Manifests as data: YAML text with one or many documents becomes JSON values, the way kubectl
//! reads files.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// Every document of a YAML text; empty ones are skipped.
pub fn parse(text: &str) -> Result<Vec<Value>> {
    let mut found = Vec::new();
    for (number, document) in documents(text).enumerate() {
        let value: Value = serde_saphyr::from_str(&document)
            .with_context(|| format!("document {} is not valid YAML", number + 1))?;
        if !value.is_null() {
            found.push(value);
        }
    }
    Ok(found)
}

/// Every document of a YAML file.
pub fn read(path: &Path) -> Result<Vec<Value>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| path.display().to_string())
}

/// The text at `pointer`, or nothing when it is missing or no text.
pub fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// `Kind name` of an object, for messages.
pub fn label(value: &Value) -> String {
    format!("{} {}", text(value, "/kind"), text(value, "/metadata/name"))
}

fn documents(text: &str) -> impl Iterator<Item = String> {
    let mut parts = vec![String::new()];
    for line in text.lines() {
        if line.trim_end() == "---" {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push_str(line);
            last.push('\n');
        }
    }
    parts.into_iter().filter(|part| {
        part.lines()
            .any(|line| !line.trim().is_empty() && !line.starts_with('#'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_split_and_empty_ones_skipped() {
        let found = parse("# only a comment\n---\na: 1\n---\n\n---\nb: [x]\n").unwrap();

        assert_eq!(
            found,
            [serde_json::json!({"a": 1}), serde_json::json!({"b": ["x"]})]
        );
    }

    #[test]
    fn a_broken_document_is_named_by_its_number() {
        let error = parse("a: 1\n---\nb: [\n").unwrap_err();

        assert!(error.to_string().contains("document 2"), "{error}");
    }
}
