//! Which object a document describes: its kind, namespace and name, and whether local mode uses it.
//! Reads nothing below `spec`.

use lockstep_api::external_secret::{GeneratorKind, GeneratorRef};
use serde_json::Value;

use super::{Kind, near_miss};
use crate::name::{Name, is_namespace_name, is_object_name};
use crate::strict::Fault;

const VERSION: &str = "external-secrets.io/v1";
const ALPHA: &str = "external-secrets.io/v1alpha1";

/// Kind and name of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) kind: Kind,
    pub(crate) name: Name,
}

impl Kind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::ExternalSecret => "ExternalSecret",
            Self::SecretStore => "SecretStore",
            Self::ClusterSecretStore => "ClusterSecretStore",
            Self::Secret => "Secret",
            Self::ConfigMap => "ConfigMap",
            Self::Namespace => "Namespace",
            Self::ServiceAccount => "ServiceAccount",
            Self::Checked(kind) | Self::Generator(kind) => kind,
        }
    }

    fn is_namespaced(self) -> bool {
        !matches!(
            self,
            Self::ClusterSecretStore
                | Self::Namespace
                | Self::Checked("ClusterExternalSecret" | "ClusterPushSecret")
                | Self::Generator(lockstep_generators::CLUSTER_KIND)
        )
    }

    fn of(api_version: &str, kind: &str) -> Option<Self> {
        Some(match (api_version, kind) {
            (VERSION, "ExternalSecret") => Self::ExternalSecret,
            (VERSION, "SecretStore") => Self::SecretStore,
            (VERSION, "ClusterSecretStore") => Self::ClusterSecretStore,
            (VERSION, "ClusterExternalSecret") => Self::Checked("ClusterExternalSecret"),
            (ALPHA, "PushSecret") => Self::Checked("PushSecret"),
            (ALPHA, "ClusterPushSecret") => Self::Checked("ClusterPushSecret"),
            ("v1", "Secret") => Self::Secret,
            ("v1", "ConfigMap") => Self::ConfigMap,
            ("v1", "Namespace") => Self::Namespace,
            ("v1", "ServiceAccount") => Self::ServiceAccount,
            (GeneratorRef::API_VERSION, word) => {
                let known = GeneratorKind::WORDS.iter().find(|known| **known == word);
                Self::Generator(known?)
            }
            _ => return None,
        })
    }
}

impl Identity {
    /// The identity of a document; `None` for one that local mode does not use. Fills in a missing
    /// namespace.
    pub(crate) fn of(value: &mut Value, namespace: &str) -> Result<Option<Self>, Fault> {
        let text = |field: &str| value[field].as_str().filter(|text| !text.is_empty());
        let (Some(api_version), Some(kind)) = (text("apiVersion"), text("kind")) else {
            return near_miss::headless(value).map(|()| None);
        };
        let Some(kind) = Kind::of(api_version, kind) else {
            return near_miss::check(api_version, kind).map(|()| None);
        };
        let name = checked_name(value)?;
        let namespace = checked_namespace(value, kind, namespace)?;
        Ok(Some(Self {
            kind,
            name: Name { namespace, name },
        }))
    }
}

fn checked_name(value: &Value) -> Result<String, Fault> {
    match value.pointer("/metadata/name") {
        Some(Value::String(name)) if is_object_name(name) => Ok(name.clone()),
        None | Some(Value::Null) if value.pointer("/metadata/generateName").is_some() => {
            let message = "is required: an object with generateName cannot be applied";
            Err(fault("metadata.name", message, "name the object"))
        }
        None | Some(Value::Null) => Err(fault("metadata.name", "is required", "name the object")),
        Some(Value::String(_)) => Err(fault(
            "metadata.name",
            "is not a valid object name",
            "use lower case letters, digits, dashes and dots",
        )),
        Some(_) => Err(fault(
            "metadata.name",
            "must be a string",
            "put it in quotes",
        )),
    }
}

fn checked_namespace(value: &mut Value, kind: Kind, default: &str) -> Result<String, Fault> {
    let written = value
        .pointer("/metadata/namespace")
        .filter(|written| !written.is_null());
    let namespace = match written {
        Some(_) if !kind.is_namespaced() => {
            let message = format!("{} objects have no namespace", kind.as_str());
            return Err(fault("metadata.namespace", &message, "remove it"));
        }
        None if !kind.is_namespaced() => return Ok(String::new()),
        None => default.to_owned(),
        Some(Value::String(name)) if is_namespace_name(name) => return Ok(name.clone()),
        Some(Value::String(_)) => {
            let remedy = "use lower case letters, digits and dashes";
            return Err(fault(
                "metadata.namespace",
                "is not a valid namespace name",
                remedy,
            ));
        }
        Some(_) => {
            return Err(fault(
                "metadata.namespace",
                "must be a string",
                "put it in quotes",
            ));
        }
    };
    value["metadata"]["namespace"] = namespace.clone().into();
    Ok(namespace)
}

pub(super) fn fault(field: &str, message: &str, remedy: &str) -> Fault {
    Fault {
        field: field.to_owned(),
        message: message.to_owned(),
        remedy: remedy.to_owned(),
    }
}
