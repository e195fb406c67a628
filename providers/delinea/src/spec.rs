//! `spec.provider.delinea`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
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
    /// Checks everything that can be checked without looking anywhere; upstream makes these checks
    /// for every connection.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        if self.tenant.is_empty() {
            return Err(Error::invalid_spec("tenant must not be empty"));
        }
        for (field, credential) in [
            ("clientId", &self.client_id),
            ("clientSecret", &self.client_secret),
        ] {
            credential.validate(scope, field)?;
            if let Some(selector) = &credential.secret_ref {
                scope.check_strict(selector.namespace.as_deref())?;
            }
        }
        Template::new(self)?;
        Ok(Warnings::new())
    }
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
    }

    #[test]
    fn an_empty_tenant_is_refused() {
        let scope = Scope::Cluster { caller: None };

        let error = DelineaSpec::default().validate(&scope).unwrap_err();

        assert_eq!(error.to_string(), "tenant must not be empty");
    }
}
