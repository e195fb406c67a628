//! Which object a document is about: its kind, namespace and name, and whether local mode has a
//! use for it. Nothing below `spec` is looked at.

use lockstep_api::external_secret::{GeneratorKind, GeneratorRef};
use serde_json::Value;

use super::Kind;
use crate::closest::closest;
use crate::name::{Name, is_namespace_name, is_object_name};
use crate::strict::Fault;

const GROUP: &str = "external-secrets.io";
const VERSION: &str = "external-secrets.io/v1";
/// Kinds of the group, those that only a cluster has a use for included.
const KINDS: [&str; 6] = [
    "ClusterExternalSecret",
    "ClusterPushSecret",
    "ClusterSecretStore",
    "ExternalSecret",
    "PushSecret",
    "SecretStore",
];

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
            Self::Generator(kind) => kind,
        }
    }

    fn is_namespaced(self) -> bool {
        !matches!(
            self,
            Self::ClusterSecretStore
                | Self::Namespace
                | Self::Generator(lockstep_generators::CLUSTER_KIND)
        )
    }

    fn of(api_version: &str, kind: &str) -> Option<Self> {
        Some(match (api_version, kind) {
            (VERSION, "ExternalSecret") => Self::ExternalSecret,
            (VERSION, "SecretStore") => Self::SecretStore,
            (VERSION, "ClusterSecretStore") => Self::ClusterSecretStore,
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
    /// The identity of a document; `None` for one of a kind that plays no part. A missing namespace
    /// is filled in.
    pub(crate) fn of(value: &mut Value, namespace: &str) -> Result<Option<Self>, Fault> {
        if !value.is_object() {
            return Err(fault(
                "",
                "the document is no map",
                "begin it with apiVersion and kind",
            ));
        }
        let text = |field: &str| value[field].as_str().filter(|text| !text.is_empty());
        let Some(api_version) = text("apiVersion") else {
            return Err(fault(
                "apiVersion",
                "is required",
                "add it, for example external-secrets.io/v1",
            ));
        };
        let Some(kind) = text("kind") else {
            return Err(fault(
                "kind",
                "is required",
                "add it, for example ExternalSecret",
            ));
        };
        let Some(kind) = Kind::of(api_version, kind) else {
            return refuse_near_miss(api_version, kind).map(|()| None);
        };
        let name = checked_name(value)?;
        let namespace = checked_namespace(value, kind, namespace)?;
        Ok(Some(Self {
            kind,
            name: Name { namespace, name },
        }))
    }
}

/// Tells documents of our own group that nobody would ever look at.
fn refuse_near_miss(api_version: &str, kind: &str) -> Result<(), Fault> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    if group != GROUP {
        return Ok(());
    }
    if version != "v1" && KINDS.contains(&kind) && !kind.contains("Push") {
        let message = format!("version {version} is not served");
        return Err(fault(
            "apiVersion",
            &message,
            "write external-secrets.io/v1",
        ));
    }
    if KINDS.contains(&kind) {
        return Ok(());
    }
    let remedy = match closest(kind, KINDS) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("known kinds: {}", KINDS.join(", ")),
    };
    Err(fault(
        "kind",
        &format!("there is no such kind in {GROUP}"),
        &remedy,
    ))
}

fn checked_name(value: &Value) -> Result<String, Fault> {
    match value.pointer("/metadata/name") {
        Some(Value::String(name)) if is_object_name(name) => Ok(name.clone()),
        None | Some(Value::Null) => Err(fault("metadata.name", "is required", "name the object")),
        Some(Value::String(_)) => Err(fault(
            "metadata.name",
            "is no name of an object",
            "use lower case letters, digits, dashes and dots",
        )),
        Some(_) => Err(fault("metadata.name", "must be a text", "put it in quotes")),
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
                "is no name of a namespace",
                remedy,
            ));
        }
        Some(_) => {
            return Err(fault(
                "metadata.namespace",
                "must be a text",
                "put it in quotes",
            ));
        }
    };
    value["metadata"]["namespace"] = namespace.clone().into();
    Ok(namespace)
}

fn fault(field: &str, message: &str, remedy: &str) -> Fault {
    Fault {
        field: field.to_owned(),
        message: message.to_owned(),
        remedy: remedy.to_owned(),
    }
}
