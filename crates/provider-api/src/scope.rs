//! Whose store it is and which namespace a selector then means. The rule is written here once:
//! a namespaced store never leaves its namespace, a cluster store may name one.

use crate::error::{Error, Result};

/// Upstream's text for a namespaced store that names a foreign namespace.
pub const NAMESPACE_NOT_ALLOWED: &str = "namespace should either be empty or match the namespace \
    of the SecretStore for a namespaced SecretStore";

/// Upstream's text for a cluster store whose selector must say where to look.
pub const NAMESPACE_REQUIRED: &str = "cluster scope requires namespace";

/// Whose store this is, and for whom it is opened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// A SecretStore: everything happens in its own namespace.
    Namespaced {
        /// Namespace of the store and of its users.
        namespace: String,
    },
    /// A SecretStore that is used, not admitted: a selector means its own namespace whatever it
    /// says, so that a foreign one is no fault.
    Used {
        /// Namespace of the store and of its users.
        namespace: String,
    },
    /// A ClusterSecretStore.
    Cluster {
        /// Namespace of the object that uses the store; `None` while the store itself is checked.
        caller: Option<String>,
    },
}

impl Scope {
    /// The scope of admission for a store in use, for providers whose upstream refuses a foreign namespace for a connection
    /// too.
    pub fn as_at_admission(&self) -> Self {
        match self {
            Self::Used { namespace } => Self::Namespaced {
                namespace: namespace.clone(),
            },
            other => other.clone(),
        }
    }

    /// The namespace a selector without a namespace means; `None` while a cluster store is checked
    /// without a caller.
    pub fn home(&self) -> Option<&str> {
        match self {
            Self::Namespaced { namespace } | Self::Used { namespace } => Some(namespace),
            Self::Cluster { caller } => caller.as_deref(),
        }
    }

    /// The scope for checks of a store that is used. A SecretStore whose selector names another
    /// namespace reads its own, as it does at upstream's controller; only admission refuses it.
    pub fn used(&self) -> Self {
        match self {
            Self::Namespaced { namespace } => Self::Used {
                namespace: namespace.clone(),
            },
            other => other.clone(),
        }
    }

    /// Whether this is a ClusterSecretStore.
    pub fn is_cluster(&self) -> bool {
        matches!(self, Self::Cluster { .. })
    }

    /// Whether a selector with this namespace can only be resolved for a caller: a
    /// ClusterSecretStore's selector without a namespace.
    pub fn is_referent(&self, namespace: Option<&str>) -> bool {
        self.is_cluster() && namespace.is_none_or(str::is_empty)
    }

    /// Validates a selector's namespace for providers whose ClusterSecretStore must name one.
    pub fn check_strict(&self, namespace: Option<&str>) -> Result<()> {
        if self.is_cluster() && namespace.is_none() {
            return Err(Error::invalid_spec(NAMESPACE_REQUIRED));
        }
        self.check_referent(namespace)
    }

    /// Validates a selector's namespace for providers whose ClusterSecretStore may leave it to
    /// the caller.
    pub fn check_referent(&self, namespace: Option<&str>) -> Result<()> {
        match (self, namespace) {
            (Self::Namespaced { namespace: own }, Some(wanted)) if own != wanted => {
                Err(Error::invalid_spec(NAMESPACE_NOT_ALLOWED))
            }
            _ => Ok(()),
        }
    }

    /// The namespace a selector means: its own only in a ClusterSecretStore, the caller's otherwise.
    pub(crate) fn resolve<'a>(&'a self, wanted: Option<&'a str>) -> Result<&'a str> {
        let wanted = wanted.filter(|namespace| !namespace.is_empty());
        match (self, wanted) {
            (Self::Cluster { .. }, Some(namespace)) => Ok(namespace),
            _ => self.home().ok_or_else(|| {
                Error::invalid_spec("the selector has no namespace and the store has no caller yet")
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn namespaced() -> Scope {
        Scope::Namespaced {
            namespace: "team".to_owned(),
        }
    }

    fn cluster(caller: Option<&str>) -> Scope {
        Scope::Cluster {
            caller: caller.map(str::to_owned),
        }
    }

    #[test]
    fn a_namespaced_store_reads_its_own_namespace_whatever_the_selector_says() {
        assert_eq!(namespaced().resolve(Some("other")).unwrap(), "team");
        assert_eq!(namespaced().resolve(None).unwrap(), "team");
    }

    #[test]
    fn a_store_that_is_used_may_name_another_namespace_and_reads_its_own() {
        let used = namespaced().used();

        assert!(used.check_strict(Some("other")).is_ok());
        assert!(used.check_referent(Some("other")).is_ok());
        assert_eq!(used.resolve(Some("other")).unwrap(), "team");
        assert!(cluster(None).used().check_strict(None).is_err());
    }

    #[test]
    fn a_cluster_store_reads_the_named_namespace_or_the_callers() {
        let scope = cluster(Some("app"));

        assert_eq!(scope.resolve(Some("vault")).unwrap(), "vault");
        assert_eq!(scope.resolve(None).unwrap(), "app");
        assert_eq!(scope.resolve(Some("")).unwrap(), "app");
        assert!(cluster(None).resolve(None).is_err());
    }

    #[test]
    fn only_a_cluster_selector_without_a_namespace_is_referent() {
        assert!(cluster(None).is_referent(None));
        assert!(cluster(None).is_referent(Some("")));
        assert!(!cluster(None).is_referent(Some("vault")));
        assert!(!namespaced().is_referent(None));
    }

    #[test]
    fn the_strict_check_wants_a_namespace_on_cluster_stores() {
        let error = cluster(None).check_strict(None).unwrap_err();

        assert_eq!(error.to_string(), "cluster scope requires namespace");
        assert!(cluster(None).check_strict(Some("vault")).is_ok());
        assert!(cluster(None).check_referent(None).is_ok());
    }

    #[test]
    fn a_namespaced_store_may_only_name_its_own_namespace() {
        for check in [Scope::check_strict, Scope::check_referent] {
            let error = check(&namespaced(), Some("other")).unwrap_err();

            assert_eq!(error.to_string(), NAMESPACE_NOT_ALLOWED);
            assert!(check(&namespaced(), Some("team")).is_ok());
            assert!(check(&namespaced(), None).is_ok());
        }
    }
}
