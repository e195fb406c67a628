//! Descriptions of fields whose schema is data, in our own words, for `kubectl explain`.
//!
//! The files under `data/descriptions` hold texts by the tail of a field's path; the longest tail
//! that fits wins, so a word said of `region` holds everywhere until `ovh.region` says better.
//! Descriptions that a schema brings along, from doc comments, are left alone.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Crd, CrdError, walk};

const FILES: &[(&str, &str)] = &[
    (
        "data/descriptions/common.yaml",
        include_str!("../../data/descriptions/common.yaml"),
    ),
    (
        "data/descriptions/kinds.yaml",
        include_str!("../../data/descriptions/kinds.yaml"),
    ),
    (
        "data/descriptions/providers.yaml",
        include_str!("../../data/descriptions/providers.yaml"),
    ),
    (
        "data/descriptions/generators.yaml",
        include_str!("../../data/descriptions/generators.yaml"),
    ),
];

/// Texts by the tail of a path.
pub(super) struct Descriptions(BTreeMap<String, String>);

impl Descriptions {
    /// Reads the built-in files.
    pub(super) fn load() -> Result<Self, CrdError> {
        let mut texts = BTreeMap::new();
        for (file, yaml) in FILES {
            let read: BTreeMap<String, String> =
                serde_saphyr::from_str(yaml).map_err(|error| CrdError::Data {
                    file,
                    message: error.to_string(),
                })?;
            for (tail, text) in read {
                if texts.insert(tail.clone(), text).is_some() {
                    let message = format!("{tail:?} is described in another file too");
                    return Err(CrdError::Data { file, message });
                }
            }
        }
        Ok(Self(texts))
    }

    /// Describes every field that has no description yet; gives the tails that were of use.
    pub(super) fn apply(&self, crd: &mut Crd) -> BTreeSet<&str> {
        let mut used = BTreeSet::new();
        let kind = crd.kind.clone();
        let versions = crd.manifest["spec"]["versions"].as_array_mut();
        for version in versions
            .into_iter()
            .flatten()
            .filter(|version| version["served"] == true)
        {
            let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") else {
                continue;
            };
            walk::visit(schema, &mut |path, keywords| {
                let is_field = path.last().is_none_or(|step| !["[]", "{}"].contains(step));
                if !is_field || keywords.contains_key("description") {
                    return;
                }
                if let Some((tail, text)) = self.find(&kind, path) {
                    used.insert(tail);
                    keywords.insert("description".to_owned(), Value::String(text.to_owned()));
                }
            });
        }
        used
    }

    /// Every tail that has a text.
    #[cfg(test)]
    pub(super) fn tails(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    fn find(&self, kind: &str, path: &walk::Path<'_>) -> Option<(&str, &str)> {
        let steps = described_path(kind, path);
        (0..steps.len()).find_map(|start| {
            let found = self.0.get_key_value(&steps[start..].join("."));
            found.map(|(tail, text)| (tail.as_str(), text.as_str()))
        })
    }
}

/// The path a field is described by: lists and maps are passed through, and the spec of another
/// kind inside a cluster-scoped one (`passwordSpec`) counts as the spec of that kind.
fn described_path(kind: &str, path: &walk::Path<'_>) -> Vec<String> {
    let mut steps = vec![format!("/{}", kind.to_lowercase())];
    let fields: Vec<&str> = path
        .iter()
        .copied()
        .filter(|step| !["[]", "{}"].contains(step))
        .collect();
    for (index, field) in fields.iter().enumerate() {
        match field.strip_suffix("Spec") {
            Some(inner) if index + 1 < fields.len() => {
                steps = vec![format!("/{}", inner.to_lowercase()), "spec".to_owned()];
            }
            _ => steps.push((*field).to_owned()),
        }
    }
    steps
}
