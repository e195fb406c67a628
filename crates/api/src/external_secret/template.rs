//! The blueprint of a target: type, metadata and templated data.
//! Rendering lives in the template crate; this file only holds what the user wrote.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DecodingStrategy;
use crate::choice::choice;

/// Blueprint of a Secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Template {
    /// Type of the Secret, for example kubernetes.io/tls.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_: Option<String>,
    /// Version of the template language; only v2 exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "v2"))]
    pub engine_version: Option<EngineVersion>,
    /// Whether fetched values are replaced by the templated ones (Replace) or kept beside them (Merge).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Replace"))]
    pub merge_policy: Option<TemplateMergePolicy>,
    /// Labels, annotations and finalizers of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<TemplateMetadata>,
    /// Templates by key of the target.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
    /// Further templates from ConfigMaps, Secrets or literal text, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub template_from: Vec<TemplateFrom>,
}

impl Template {
    /// The merge policy in force; an absent one means `Replace`.
    pub fn merge_policy(&self) -> &TemplateMergePolicy {
        self.merge_policy
            .as_ref()
            .unwrap_or(&TemplateMergePolicy::Replace)
    }
}

choice! {
    /// Version of the template language.
    pub enum EngineVersion {
        /// Go templates with sprig functions.
        V2 = "v2",
    }
}

choice! {
    /// How templated and fetched values go together.
    pub enum TemplateMergePolicy {
        /// Templated values alone, if there are any.
        Replace = "Replace",
        /// Templated values over the fetched ones.
        Merge = "Merge",
    }
}

/// Metadata of the target; values of labels and annotations are templates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TemplateMetadata {
    /// Labels of the target.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations of the target.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// Finalizers added to the target; never removed again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub finalizers: Vec<String>,
}

/// One source of templates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TemplateFrom {
    /// Templates from keys of a ConfigMap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_map: Option<TemplateRef>,
    /// Templates from keys of a Secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<TemplateRef>,
    /// Template whose result is a YAML map of keys and values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub literal: Option<String>,
    /// Where results go: Data (used when absent), Annotations, Labels, or a path in a manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Data"))]
    pub target: Option<String>,
    /// How rendered values are decoded; not at all when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values_decoding_strategy: Option<DecodingStrategy>,
}

/// A ConfigMap or Secret that holds templates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateRef {
    /// Name of the object, in the namespace of the ExternalSecret.
    #[schemars(schema_with = "crate::schema::object_name")]
    pub name: String,
    /// Keys to take from it.
    pub items: Vec<TemplateItem>,
}

/// One key of a ConfigMap or Secret that holds templates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateItem {
    /// The key.
    #[schemars(schema_with = "crate::schema::data_key")]
    pub key: String,
    /// Values: the text is one value under this key. KeysAndValues: it renders to a YAML map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Values"))]
    pub template_as: Option<TemplateAs>,
}

impl TemplateItem {
    /// The scope in force; an absent one means `Values`.
    pub fn template_as(&self) -> &TemplateAs {
        self.template_as.as_ref().unwrap_or(&TemplateAs::Values)
    }
}

choice! {
    /// What a template renders to.
    pub enum TemplateAs {
        /// One value.
        Values = "Values",
        /// A YAML map of keys and values.
        KeysAndValues = "KeysAndValues",
    }
}
