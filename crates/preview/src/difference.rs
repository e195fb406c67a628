//! What differs between two states of a Secret, as far as it may be shown: sections and keys, lengths and
//! salted hashes. Types and owners are words, no values; everything else is redacted.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Secret;
use lockstep_api::keys::ANNOTATION_DATA_HASH;
use lockstep_provider_api::SecretValue;
use lockstep_toolbox::redact::{Hash, Redactor};
use serde::Serialize;

/// A part of a Secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Section {
    Data,
    Label,
    Annotation,
    Type,
    Owner,
    Finalizer,
    Immutable,
    /// The annotation with the hash of the data.
    Hash,
}

impl Section {
    /// The word of the table.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Label => "label",
            Self::Annotation => "annotation",
            Self::Type => "type",
            Self::Owner => "owner",
            Self::Finalizer => "finalizer",
            Self::Immutable => "immutable",
            Self::Hash => "hash",
        }
    }
}

/// What may be shown of one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Shown {
    /// A word that is no value.
    Word(String),
    /// A value, redacted.
    Value {
        /// Bytes it has.
        length: usize,
        /// Hash under the salt of this run.
        hash: Hash,
    },
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Difference {
    pub(crate) section: Section,
    pub(crate) key: String,
    /// How it is; absent where it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<Shown>,
    /// How it would be; absent where it would not be there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<Shown>,
}

/// What differs, in the order of sections and keys.
pub(crate) fn differences(
    before: Option<&Secret>,
    after: Option<&Secret>,
    redactor: &Redactor,
) -> Vec<Difference> {
    let (before, after) = (facts(before), facts(after));
    let places: BTreeSet<&(Section, String)> = before.keys().chain(after.keys()).collect();
    let mut differences = Vec::new();
    for place in places {
        let (old, new) = (before.get(place), after.get(place));
        if old == new {
            continue;
        }
        let (section, key) = place;
        let shown = |fact: Option<&Fact>| fact.map(|fact| fact.shown(redactor));
        differences.push(Difference {
            section: *section,
            key: key.clone(),
            before: shown(old),
            after: shown(new),
        });
    }
    differences
}

/// One thing a Secret says.
#[derive(PartialEq)]
enum Fact {
    Word(String),
    Value(SecretValue),
}

impl Fact {
    fn shown(&self, redactor: &Redactor) -> Shown {
        match self {
            Self::Word(word) => Shown::Word(word.clone()),
            Self::Value(value) => Shown::Value {
                length: value.len(),
                hash: redactor.hash(value),
            },
        }
    }
}

fn facts(secret: Option<&Secret>) -> BTreeMap<(Section, String), Fact> {
    let mut facts = BTreeMap::new();
    let Some(secret) = secret else {
        return facts;
    };
    for (key, value) in secret.data.iter().flatten() {
        let value = SecretValue::from(value.0.as_slice());
        facts.insert((Section::Data, key.clone()), Fact::Value(value));
    }
    let metadata = &secret.metadata;
    let texts = [
        (Section::Label, &metadata.labels),
        (Section::Annotation, &metadata.annotations),
    ];
    for (section, map) in texts {
        for (key, text) in map.iter().flatten() {
            let section = match key.as_str() {
                ANNOTATION_DATA_HASH => Section::Hash,
                _ => section,
            };
            let value = SecretValue::from(text.as_str());
            facts.insert((section, key.clone()), Fact::Value(value));
        }
    }
    let secret_type = secret.type_.clone().unwrap_or_else(|| "Opaque".to_owned());
    let word = |text: String| Fact::Word(text);
    facts.insert((Section::Type, String::new()), word(secret_type));
    for owner in metadata.owner_references.iter().flatten() {
        let role = if owner.controller == Some(true) {
            "controller"
        } else {
            "owner"
        };
        let key = format!("{} {}", owner.kind, owner.name);
        facts.insert((Section::Owner, key), word(role.to_owned()));
    }
    for finalizer in metadata.finalizers.iter().flatten() {
        let place = (Section::Finalizer, finalizer.clone());
        facts.insert(place, word("set".to_owned()));
    }
    if secret.immutable == Some(true) {
        facts.insert((Section::Immutable, String::new()), word("true".to_owned()));
    }
    facts
}

#[cfg(test)]
mod tests {
    use k8s_openapi::ByteString;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

    use super::*;

    fn secret(data: &[(&str, &str)], label: Option<&str>) -> Secret {
        let bytes = |text: &str| ByteString(text.as_bytes().to_vec());
        let label = label.map(|text| BTreeMap::from([("team".to_owned(), text.to_owned())]));
        Secret {
            data: Some(
                data.iter()
                    .map(|(key, text)| ((*key).to_owned(), bytes(text)))
                    .collect(),
            ),
            metadata: ObjectMeta {
                labels: label,
                ..ObjectMeta::default()
            },
            ..Secret::default()
        }
    }

    #[test]
    fn equal_secrets_differ_in_nothing() {
        let one = secret(&[("a", "canary-1")], Some("x"));

        assert_eq!(
            differences(Some(&one), Some(&one.clone()), &Redactor::new([0; 16])),
            []
        );
    }

    #[test]
    fn keys_lengths_and_hashes_are_shown_and_never_values() {
        let before = secret(
            &[("kept", "canary-1"), ("gone", "canary-2")],
            Some("canary-3"),
        );
        let after = secret(&[("kept", "canary-44"), ("new", "canary-5")], None);

        let found = differences(Some(&before), Some(&after), &Redactor::new([0; 16]));

        let text = serde_json::to_string(&found).unwrap();
        let places: Vec<String> = found
            .iter()
            .map(|one| format!("{} {}", one.section.word(), one.key))
            .collect();
        assert_eq!(places, ["data gone", "data kept", "data new", "label team"]);
        assert!(text.contains("\"length\":9"), "{text}");
        assert!(!text.contains("canary"), "{text}");
    }

    #[test]
    fn a_new_secret_shows_everything_it_would_have() {
        let after = secret(&[("a", "v")], None);

        let found = differences(None, Some(&after), &Redactor::new([0; 16]));

        assert_eq!(found.len(), 2, "the key and the type");
        assert!(found.iter().all(|one| one.before.is_none()));
    }
}
