//! The CRDs: upstream's definitions as data, with our own schemas where the Rust types own them.
//!
//! Everything that ends up in `deploy/crds` is decided here: which schemas are derived, what is
//! added to upstream's, how fields are described. The comparison in [`compare`] holds the result
//! against upstream's definitions.

pub mod compare;
mod data;
mod describe;
mod normalise;
mod passes;
mod render;
mod walk;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Value, json};

pub use render::render;

use crate::{
    external_secret::{ExternalSecretSpec, ExternalSecretStatus},
    keys,
    store::{SecretStoreSpec, SecretStoreStatus},
};
use data::{Parts, Upstream};

/// Kinds with a status that our controllers write.
const REPORTING_KINDS: &[&str] = &[
    "ClusterExternalSecret",
    "ClusterPushSecret",
    "ClusterSecretStore",
    "ExternalSecret",
    "PushSecret",
    "SecretStore",
];

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
    parts.insert(
        "external-secret-spec.v1".to_owned(),
        derived::<ExternalSecretSpec>(),
    );
    parts.insert("secret-store.v1".to_owned(), store_schema(&parts));

    let mut crds = Vec::new();
    for definition in &upstream.crds {
        let mut crd = assemble(definition, &upstream.parts, &parts)?;
        passes::apply(&mut crd)?;
        descriptions.apply(&mut crd);
        passes::sort_keys(&mut crd.manifest);
        crds.push(crd);
    }
    Ok(crds)
}

/// Puts one definition together. Versions that are not stored stay as upstream has them.
fn assemble(definition: &Value, frozen: &Parts, current: &Parts) -> Result<Crd, CrdError> {
    let text = |pointer| {
        definition
            .pointer(pointer)
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
        let parts = if version["storage"] == true {
            current
        } else {
            frozen
        };
        *version = data::expand(version, parts)?;
        if name == crate::ExternalSecret::CRD_NAME && version["storage"] == true {
            let status = version.pointer_mut("/schema/openAPIV3Schema/properties/status");
            *status.ok_or_else(|| shape("status"))? = derived::<ExternalSecretStatus>();
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
    Ok(Crd {
        kind: kind.to_owned(),
        name,
        manifest,
    })
}

/// Schema of a type of ours, in the form of a CRD.
fn derived<T: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::openapi3();
    let generator = settings
        .with(|s| s.inline_subschemas = true)
        .into_generator();
    normalise::schema(generator.into_root_schema_for::<T>().to_value())
}

/// Schema of both store kinds: our envelope around every provider there is a part for.
fn store_schema(parts: &Parts) -> Value {
    let mut spec = derived::<SecretStoreSpec>();
    let names = parts
        .keys()
        .filter_map(|part| part.strip_prefix("provider."));
    let union = names.map(|name| {
        (
            name.to_owned(),
            json!({ "$part": format!("provider.{name}") }),
        )
    });
    spec["properties"]["provider"]["properties"] = Value::Object(union.collect());
    json!({
        "type": "object",
        "properties": {
            "apiVersion": { "type": "string" },
            "kind": { "type": "string" },
            "metadata": { "type": "object" },
            "spec": spec,
            "status": derived::<SecretStoreStatus>(),
        },
    })
}

#[cfg(test)]
mod tests;
