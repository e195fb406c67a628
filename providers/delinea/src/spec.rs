//! `spec.provider.delinea`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_kit::SecretOrValue;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::address::Template;

/// Secrets of a tenant of Delinea's DevOps Secrets Vault.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DelineaSpec {
    /// Id of the client, a value or a reference.
    pub client_id: SecretOrValue,
    /// Secret of the client, a value or a reference.
    pub client_secret: SecretOrValue,
    /// Name of the tenant, the first part of its address.
    pub tenant: String,
    /// Top-level domain of the address; `com` where it is empty.
    #[serde(default)]
    pub tld: Option<String>,
    /// Template of addresses with four `%s`: tenant, top-level domain, resource and path.
    #[serde(default)]
    pub url_template: Option<String>,
}

impl DelineaSpec {
    /// Checks what upstream checks in its webhook and for every connection.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        if self.tenant.is_empty() {
            return refused("tenant must not be empty");
        }
        for credential in [&self.client_id, &self.client_secret] {
            let value = credential.value.as_deref().filter(|it| !it.is_empty());
            match (value, &credential.secret_ref) {
                (Some(_), None) => {}
                (None, Some(selector)) => admit_one(selector, scope)?,
                (Some(_), Some(_)) => return refused("cannot specify both value and reference"),
                (None, None) => return refused("must specify either value or reference"),
            }
        }
        Ok(Warnings::new())
    }

    /// Checks for a connection: a ClusterSecretStore must say where its Secrets are.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        let warnings = self.admit(&scope.as_at_admission())?;
        for credential in [&self.client_id, &self.client_secret] {
            let selector = credential.secret_ref.as_ref();
            if selector.is_some_and(|one| scope.is_cluster() && one.namespace.is_none()) {
                return refused(
                    "when using a ClusterSecretStore, namespaces must be explicitly set",
                );
            }
        }
        Template::new(self)?;
        Ok(warnings)
    }
}

fn admit_one(selector: &SecretKeySelector, scope: &Scope) -> Result<()> {
    scope.check_referent(selector.namespace.as_deref())?;
    let is_empty = |text: &Option<String>| text.as_deref().unwrap_or_default().is_empty();
    if is_empty(&selector.name) {
        return refused("must specify a secret name");
    }
    if is_empty(&selector.key) {
        return refused("must specify a secret key");
    }
    Ok(())
}

fn refused<T>(text: &str) -> Result<T> {
    Err(Error::invalid_spec(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_store_names_the_namespaces_of_its_credentials() {
        let spec = |namespace: Option<&str>| -> DelineaSpec {
            let reference = serde_json::json!({"name": "c", "key": "k", "namespace": namespace});
            let spec = serde_json::json!({
                "tenant": "shop",
                "clientId": {"value": "id"},
                "clientSecret": {"secretRef": reference},
            });
            serde_json::from_value(spec).unwrap()
        };
        let cluster = Scope::Cluster { caller: None };

        assert!(spec(Some("n")).validate(&cluster).is_ok());
        assert!(spec(None).validate(&cluster).is_err());
        assert!(spec(None).admit(&cluster).is_ok());
        let used = Scope::Used {
            namespace: "team".to_owned(),
        };
        assert!(spec(Some("other")).validate(&used).is_err());
        assert!(spec(Some("team")).validate(&used).is_ok());
    }

    #[test]
    fn an_empty_tenant_is_refused() {
        let scope = Scope::Cluster { caller: None };

        let error = DelineaSpec::default().validate(&scope).unwrap_err();

        assert_eq!(error.to_string(), "tenant must not be empty");
    }
}
