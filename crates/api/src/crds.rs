//! The CRDs: upstream's definitions as data, with our own schemas where the Rust types own them.
//!
//! Everything that ends up in `deploy/crds` is decided here: which schemas are derived, what is
//! added to upstream's, how fields are described. The comparison in [`compare`] holds the result
//! against upstream's definitions.

pub mod compare;
mod data;
mod describe;
mod normalise;
mod owned;
mod passes;
mod render;
mod walk;

use std::collections::BTreeMap;

use serde_json::{Value, json};

pub use render::render;

use crate::keys;
use data::{Parts, Upstream};

/// A CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq)]
pub struct Crd {
    name: String,
    kind: String,
    manifest: Value,
}

impl Crd {
    /// Name of the definition: plural and group.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Kind that it defines.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The whole manifest.
    pub fn manifest(&self) -> &Value {
        &self.manifest
    }

    /// The schema of one version.
    pub fn schema(&self, version: &str) -> Option<&Value> {
        let versions = self.manifest["spec"]["versions"].as_array()?;
        let found = versions
            .iter()
            .find(|candidate| candidate["name"] == version)?;
        found.pointer("/schema/openAPIV3Schema")
    }
}

/// What keeps CRDs from being made; only a damaged build can show it.
#[derive(Debug, thiserror::Error)]
pub enum CrdError {
    /// A data file cannot be read.
    #[error("built-in file {file}: {message}")]
    Data {
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// A part that does not exist is named.
    #[error("schema part {0:?} is named but does not exist")]
    Part(String),
    /// A definition has not the expected shape.
    #[error("definition {crd:?} has no {place:?}")]
    Shape {
        /// Name of the definition.
        crd: String,
        /// What is missing.
        place: String,
    },
    /// YAML cannot be written.
    #[error("definition {crd:?} cannot be written as yaml: {message}")]
    Yaml {
        /// Name of the definition.
        crd: String,
        /// What is wrong with it.
        message: String,
    },
}

/// All CRDs in the order of their names.
///
/// `providers` holds the schemas of the providers that are built in, by their key under
/// `spec.provider`; the others keep upstream's schema, so that existing manifests still apply.
pub fn all(providers: &BTreeMap<String, Value>) -> Result<Vec<Crd>, CrdError> {
    let upstream = Upstream::load()?;
    let descriptions = describe::Descriptions::load()?;
    let mut parts = upstream.parts.clone();
    for (name, schema) in providers {
        parts.insert(
            format!("provider.{name}"),
            normalise::schema(schema.clone()),
        );
    }
    let assembled = upstream.crds.iter().map(|definition| {
        let mut crd = assemble(definition, &upstream.parts, &parts)?;
        descriptions.apply(&mut crd);
        passes::sort_keys(&mut crd.manifest);
        Ok(crd)
    });
    assembled.collect()
}

/// Puts one definition together. Versions that are not stored keep upstream's schemas.
fn assemble(definition: &Value, frozen: &Parts, current: &Parts) -> Result<Crd, CrdError> {
    let text = |place| {
        definition
            .pointer(place)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (kind, plural, group) = (text("/names/kind"), text("/names/plural"), text("/group"));
    let name = format!("{plural}.{group}");
    let shape = |place: &str| CrdError::Shape {
        crd: name.clone(),
        place: place.to_owned(),
    };

    let mut spec = definition.clone();
    let versions = spec["versions"]
        .as_array_mut()
        .ok_or_else(|| shape("versions"))?;
    for version in versions {
        let storage = version["storage"] == true;
        *version = data::expand(version, if storage { current } else { frozen })?;
        if let Some((spec, status)) = owned::schemas(kind, current).filter(|_| storage) {
            let fields = version.pointer_mut("/schema/openAPIV3Schema/properties");
            let fields = fields.ok_or_else(|| shape("properties"))?;
            fields["spec"] = data::expand(&spec, current)?;
            fields["status"] = status;
        }
    }
    let manifest = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": name,
            "annotations": {
                // Kept because tools that compare CRDs look at it.
                "controller-gen.kubebuilder.io/version": "v0.19.0",
                keys::ANNOTATION_RESOURCE_POLICY: "keep",
            },
            "labels": { keys::LABEL_COMPONENT: keys::COMPONENT_CONTROLLER },
        },
        "spec": spec,
    });
    let mut crd = Crd {
        kind: kind.to_owned(),
        name,
        manifest,
    };
    passes::apply(&mut crd)?;
    Ok(crd)
}

#[cfg(test)]
mod tests;
