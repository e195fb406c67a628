//! Holds CRDs against upstream's definitions.
//!
//! Descriptions do not count. Every other difference must be listed with a reason in
//! `data/allowed.yaml`, and every line there must be of use.

mod allowed;

use std::{collections::BTreeMap, fmt};

use serde_json::{Map, Value, json};

use super::{Crd, CrdError, data, walk};
use crate::keys;

/// Keywords that lead to further schemas; these are compared on their own.
const NESTING: &[&str] = &["properties", "items", "additionalProperties", "description"];

/// One place where a definition of ours differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Name of the definition.
    pub crd: String,
    /// Version, field and keyword, for example `v1 spec.target.name maxLength`.
    pub place: String,
    /// What we say there.
    pub ours: Option<Value>,
    /// What upstream says there.
    pub upstream: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show =
            |side: &Option<Value>| side.as_ref().map_or("nothing".to_owned(), Value::to_string);
        let (ours, upstream) = (show(&self.ours), show(&self.upstream));
        write!(
            f,
            "{}: {}: ours {ours}, upstream {upstream}",
            self.crd, self.place
        )
    }
}

/// The outcome of a comparison.
#[derive(Debug, Default)]
pub struct Report {
    /// Differences that no allowance covers.
    pub unexplained: Vec<Difference>,
    /// Allowances that cover nothing.
    pub unused: Vec<String>,
}

/// Compares definitions with upstream's.
pub fn with_upstream(crds: &[Crd]) -> Result<Report, CrdError> {
    allowed::sort_out(differences(crds)?)
}

/// Every difference, allowed or not.
pub fn differences(crds: &[Crd]) -> Result<Vec<Difference>, CrdError> {
    let mut theirs = upstream()?;
    let mut found = Vec::new();
    for crd in crds {
        let upstream = theirs.remove(&crd.name).unwrap_or_default();
        diff(
            crd,
            &flatten(&crd.manifest),
            &flatten(&upstream),
            &mut found,
        );
    }
    for (crd, _) in theirs {
        let place = "definition".to_owned();
        found.push(Difference {
            crd,
            place,
            ours: None,
            upstream: Some(true.into()),
        });
    }
    Ok(found)
}

/// Upstream's definitions by name, as its chart installs them.
pub fn upstream() -> Result<BTreeMap<String, Value>, CrdError> {
    let data = data::Upstream::load()?;
    let mut manifests = BTreeMap::new();
    for definition in &data.crds {
        let spec = data::expand(definition, &data.parts)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let name = format!(
            "{}.{}",
            text(&spec["names"]["plural"]),
            text(&spec["group"])
        );
        let manifest = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {
                "name": name,
                "annotations": { "controller-gen.kubebuilder.io/version": "v0.19.0" },
                "labels": { keys::LABEL_COMPONENT: keys::COMPONENT_CONTROLLER },
            },
            "spec": spec,
        });
        manifests.insert(name, manifest);
    }
    Ok(manifests)
}

/// A definition as a flat table from place to value.
fn flatten(manifest: &Value) -> BTreeMap<String, Value> {
    let mut table = BTreeMap::new();
    let mut envelope = manifest.clone();
    let versions = envelope["spec"]["versions"].take();
    leaves(String::new(), &envelope, &mut table);
    for version in versions.as_array().into_iter().flatten() {
        let mut version = version.clone();
        let mut schema = version["schema"]["openAPIV3Schema"].take();
        let name = version["name"].as_str().unwrap_or_default().to_owned();
        leaves(name.clone(), &version, &mut table);
        walk::visit(&mut schema, &mut |path, keywords| {
            let field = path.join(".").replace(".[]", "[]").replace(".{}", "{}");
            // The field itself counts, even one that has no keywords.
            table.insert(format!("{name} {field}"), Value::Bool(true));
            for (keyword, value) in own(keywords) {
                table.insert(format!("{name} {field} {keyword}"), value.clone());
            }
        });
    }
    table
}

fn own(keywords: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    keywords.iter().filter(|(keyword, value)| {
        !NESTING.contains(&keyword.as_str()) || (*keyword != "description" && value.is_boolean())
    })
}

fn leaves(path: String, value: &Value, table: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                let step = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                leaves(step, value, table);
            }
        }
        _ => drop(table.insert(path, value.clone())),
    }
}

fn diff(
    crd: &Crd,
    ours: &BTreeMap<String, Value>,
    theirs: &BTreeMap<String, Value>,
    found: &mut Vec<Difference>,
) {
    let mut places: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
    places.sort_unstable();
    places.dedup();
    for place in places {
        let (mine, upstream) = (ours.get(place), theirs.get(place));
        if mine != upstream {
            found.push(Difference {
                crd: crd.name.clone(),
                place: place.clone(),
                ours: mine.cloned(),
                upstream: upstream.cloned(),
            });
        }
    }
}
