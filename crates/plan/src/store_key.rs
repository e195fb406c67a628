//! Names of stores: the kind, the namespace of a SecretStore, the name. Everything else in the
//! program refers to stores by this key.

use std::fmt;

use lockstep_api::external_secret::{StoreKind as WrittenKind, StoreRef};

/// Kind of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoreKind {
    /// A store of one namespace.
    SecretStore,
    /// A store for all namespaces its conditions admit.
    ClusterSecretStore,
}

impl StoreKind {
    /// The kind as manifests spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SecretStore => "SecretStore",
            Self::ClusterSecretStore => "ClusterSecretStore",
        }
    }
}

impl fmt::Display for StoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Identity of a store. Prints as `SecretStore "name"`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoreKey {
    /// Kind of the store.
    pub kind: StoreKind,
    /// Namespace of a SecretStore; `None` for a ClusterSecretStore.
    pub namespace: Option<String>,
    /// Name of the store.
    pub name: String,
}

impl StoreKey {
    /// A SecretStore.
    pub fn namespaced(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            kind: StoreKind::SecretStore,
            namespace: Some(namespace.into()),
            name: name.into(),
        }
    }

    /// A ClusterSecretStore.
    pub fn cluster(name: impl Into<String>) -> Self {
        Self {
            kind: StoreKind::ClusterSecretStore,
            namespace: None,
            name: name.into(),
        }
    }

    /// The store a reference in `namespace` means.
    pub fn referenced(reference: &StoreRef, namespace: &str) -> Result<Self, UnsupportedKind> {
        match reference.kind() {
            WrittenKind::SecretStore => Ok(Self::namespaced(namespace, reference.name())),
            WrittenKind::ClusterSecretStore => Ok(Self::cluster(reference.name())),
            WrittenKind::Unknown(kind) if kind.is_empty() => {
                Ok(Self::namespaced(namespace, reference.name()))
            }
            WrittenKind::Unknown(kind) => Err(UnsupportedKind(kind.to_string())),
        }
    }

    /// The store with its namespace, for logs, which stand beside no object.
    pub fn qualified(&self) -> impl fmt::Display {
        Qualified(self)
    }
}

/// Shows a store with its namespace, for logs: `SecretStore team-a/vault`.
struct Qualified<'a>(&'a StoreKey);

impl fmt::Display for Qualified<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StoreKey {
            kind,
            namespace,
            name,
        } = self.0;
        match namespace {
            Some(namespace) => write!(f, "{kind} {namespace}/{name}"),
            None => write!(f, "{kind} {name}"),
        }
    }
}

impl fmt::Display for StoreKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.kind, self.name)
    }
}

/// A reference to something that is no store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unsupported secret store kind: {0}")]
pub struct UnsupportedKind(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_name_the_namespace_of_a_store() {
        let namespaced = StoreKey::namespaced("team-a", "vault")
            .qualified()
            .to_string();

        assert_eq!(namespaced, "SecretStore team-a/vault");
        assert_eq!(
            StoreKey::cluster("vault").qualified().to_string(),
            "ClusterSecretStore vault"
        );
    }
}
