//! Labels and annotations in place of a value (`metadataPolicy: Fetch`). What is absent is `null`,
//! as upstream's encoder writes it. Pure.

use lockstep_provider_api::json::{Html, to_json_strings};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::api::Secret;
use crate::managed::Words;

#[derive(Deserialize)]
struct Document {
    annotations: Option<Words>,
    labels: Option<Words>,
}

/// All metadata of a secret.
pub(crate) fn document(secret: &Secret) -> SecretValue {
    let annotations = text(&secret.annotations);
    let labels = text(&secret.labels);
    SecretValue::from(format!(
        r#"{{"annotations":{annotations},"labels":{labels}}}"#
    ))
}

fn text(words: &Words) -> String {
    if words.is_empty() {
        return "null".to_owned();
    }
    to_json_strings(words, Html::Escaped)
}

/// What a reference wants of all metadata.
pub(crate) fn wanted(document: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    let Some(property) = reference.wanted_property() else {
        return Ok(document.clone());
    };
    let all: Document = serde_json::from_slice(document.expose())
        .map_err(|_| Error::invalid_data("the metadata is not the JSON expected"))?;
    let parts = [
        ("annotations", "annotation", all.annotations),
        ("labels", "label", all.labels),
    ];
    for (name, one, words) in parts {
        let words = words.unwrap_or_default();
        if property == name {
            return Ok(SecretValue::from(text(&words)));
        }
        let key = property.strip_prefix(name);
        let key = key.and_then(|rest| rest.strip_prefix('.'));
        let Some(key) = key.filter(|key| !key.is_empty()) else {
            continue;
        };
        let value = words
            .get(key)
            .map(|value| SecretValue::from(value.as_str()));
        return value.ok_or_else(|| {
            Error::invalid_data(format!(
                "{one} with key {key} does not exist in secret {}",
                reference.key
            ))
        });
    }
    Err(Error::invalid_spec(format!(
        "invalid property {property}: metadata property should start with either annotations or \
         labels"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(entries: &[(&str, &str)]) -> Words {
        let entries = entries.iter();
        entries
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn read(property: &str) -> Result<String> {
        let secret = Secret {
            labels: words(&[("team", "blue")]),
            annotations: words(&[("a.b", "dotted"), ("note", "<hi>")]),
            ..Secret::default()
        };
        let reference = RemoteRef {
            metadata: MetadataPolicy::Fetch,
            ..RemoteRef::key("m").property(property)
        };
        let found = wanted(&document(&secret), &reference)?;
        Ok(found.expose_utf8()?.to_owned())
    }

    #[test]
    fn metadata_is_read_whole_by_kind_and_by_key() {
        assert_eq!(
            read("").unwrap(),
            r#"{"annotations":{"a.b":"dotted","note":"\u003chi\u003e"},"labels":{"team":"blue"}}"#
        );
        assert_eq!(read("labels").unwrap(), r#"{"team":"blue"}"#);
        assert_eq!(read("annotations.a.b").unwrap(), "dotted");
        assert_eq!(read("labels.team").unwrap(), "blue");
    }

    #[test]
    fn a_key_that_is_not_there_is_named() {
        let label = read("labels.x").unwrap_err();
        let annotation = read("annotations.x").unwrap_err();
        let other = read("team").unwrap_err();

        assert_eq!(
            label.to_string(),
            "label with key x does not exist in secret m"
        );
        assert_eq!(
            annotation.to_string(),
            "annotation with key x does not exist in secret m"
        );
        assert_eq!(other.kind(), &ErrorKind::InvalidSpec);
        assert!(!label.consequence().absent);
    }

    #[test]
    fn what_is_absent_is_null() {
        let secret = Secret::default();

        assert_eq!(
            document(&secret),
            r#"{"annotations":null,"labels":null}"#.into()
        );
    }
}
