//! `spec.provider.oracle`: its shape, its schema and the checks that need neither cluster nor backend.
//! Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};
use schemars::JsonSchema;
use serde::Deserialize;

/// Secrets of a vault of Oracle Cloud Infrastructure.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OracleSpec {
    /// The user to sign in as. Without it the operator is the instance it runs on.
    #[serde(default)]
    pub auth: Option<Auth>,
    /// OCID of the compartment that secrets are listed and made in; for searches and pushes.
    #[serde(default)]
    pub compartment: Option<String>,
    /// OCID of the key that new secrets are encrypted with; for pushes.
    #[serde(default)]
    pub encryption_key: Option<String>,
    /// Who the operator is. Without it, `auth` decides.
    #[serde(default)]
    pub principal_type: Option<PrincipalType>,
    /// Region of the vault.
    pub region: String,
    /// The ServiceAccount to sign in as with workload identity.
    #[serde(default)]
    pub service_account_ref: Option<ServiceAccountSelector>,
    /// OCID of the vault.
    pub vault: String,
}

/// Kinds of identities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum PrincipalType {
    /// `auth` decides.
    #[serde(rename = "")]
    Unset,
    /// The user in `auth`.
    UserPrincipal,
    /// The compute instance.
    InstancePrincipal,
    /// A ServiceAccount of an OKE cluster.
    Workload,
}

/// A user with an API signing key.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// The user's API signing key.
    pub secret_ref: SecretRef,
    /// OCID of the tenancy that the user belongs to.
    pub tenancy: String,
    /// OCID of the user.
    pub user: String,
}

/// Where an API signing key is kept.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct SecretRef {
    /// The key's fingerprint.
    pub fingerprint: SecretKeySelector,
    /// The private key, PEM.
    pub privatekey: SecretKeySelector,
}

/// Who the operator is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Principal {
    User,
    Instance,
    Workload,
}

impl OracleSpec {
    /// Who the operator is; without `auth` there is no user it could be.
    pub(crate) fn principal(&self) -> Principal {
        match (self.principal_type, &self.auth) {
            (Some(PrincipalType::Workload), _) => Principal::Workload,
            (Some(PrincipalType::InstancePrincipal), _) | (_, None) => Principal::Instance,
            _ => Principal::User,
        }
    }

    /// Checks what upstream checks when it connects.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        let refused = |text: &str| Err(Error::invalid_spec(text));
        if self.vault.is_empty() {
            return refused("missing Vault");
        }
        if self.region.is_empty() {
            return refused("missing Region");
        }
        if let (Principal::Workload, Some(account)) = (self.principal(), &self.service_account_ref)
        {
            let checked = scope.check_strict(account.namespace.as_deref());
            checked.map_err(|error| {
                error.context("cannot setup new oracle client: invalid ServiceAccountRef")
            })?;
        }
        Ok(Warnings::new())
    }

    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        if self.vault.is_empty() {
            return Err(empty("vault"));
        }
        if self.region.is_empty() {
            return Err(empty("region"));
        }
        if let Some(auth) = &self.auth {
            auth.admit(scope)?;
        }
        if let Some(account) = &self.service_account_ref {
            let checked = scope.check_referent(account.namespace.as_deref());
            checked.map_err(|error| error.context("invalid ServiceAccountRef"))?;
        }
        Ok(Warnings::new())
    }
}

impl Auth {
    fn admit(&self, scope: &Scope) -> Result<()> {
        if self.user.is_empty() {
            return Err(empty("user"));
        }
        if self.tenancy.is_empty() {
            return Err(empty("tenant"));
        }
        for (field, selector) in [
            ("privateKey", &self.secret_ref.privatekey),
            ("fingerprint", &self.secret_ref.fingerprint),
        ] {
            if selector.name.as_deref().is_none_or(str::is_empty) {
                return Err(empty(&format!("{field}.name")));
            }
            if selector.key.as_deref().is_none_or(str::is_empty) {
                return Err(empty(&format!("{field}.key")));
            }
            scope.check_strict(selector.namespace.as_deref())?;
        }
        Ok(())
    }
}

fn empty(field: &str) -> Error {
    Error::invalid_spec(format!("{field} cannot be empty"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn spec(change: impl FnOnce(&mut Value)) -> OracleSpec {
        let mut spec = json!({
            "region": "r",
            "vault": "v",
            "auth": {
                "tenancy": "t",
                "user": "u",
                "secretRef": {
                    "privatekey": {"name": "c", "key": "k"},
                    "fingerprint": {"name": "c", "key": "f"},
                },
            },
        });
        change(&mut spec);
        serde_json::from_value(spec).unwrap()
    }

    fn refusal(change: impl FnOnce(&mut Value)) -> String {
        let scope = Scope::Namespaced {
            namespace: "team".to_owned(),
        };
        spec(change).admit(&scope).unwrap_err().to_string()
    }

    #[test]
    fn admission_names_the_field_that_is_empty() {
        assert_eq!(refusal(|s| s["vault"] = json!("")), "vault cannot be empty");
        assert_eq!(
            refusal(|s| s["region"] = json!("")),
            "region cannot be empty"
        );
        assert_eq!(
            refusal(|s| s["auth"]["user"] = json!("")),
            "user cannot be empty"
        );
        assert_eq!(
            refusal(|s| s["auth"]["tenancy"] = json!("")),
            "tenant cannot be empty"
        );
        assert_eq!(
            refusal(|s| s["auth"]["secretRef"]["privatekey"] = json!({})),
            "privateKey.name cannot be empty"
        );
        assert_eq!(
            refusal(|s| s["auth"]["secretRef"]["fingerprint"] = json!({"name": "c"})),
            "fingerprint.key cannot be empty"
        );
    }

    #[test]
    fn a_cluster_store_says_where_its_credentials_are() {
        let scope = Scope::Cluster { caller: None };

        let error = spec(|_| {}).admit(&scope).unwrap_err();

        assert_eq!(error.to_string(), "cluster scope requires namespace");
    }

    #[test]
    fn the_principal_is_named_or_follows_from_auth() {
        let named = |name: &str| spec(|s| s["principalType"] = json!(name)).principal();

        assert_eq!(named(""), Principal::User);
        assert_eq!(named("UserPrincipal"), Principal::User);
        assert_eq!(named("InstancePrincipal"), Principal::Instance);
        assert_eq!(named("Workload"), Principal::Workload);
        assert_eq!(
            spec(|s| s["auth"] = Value::Null).principal(),
            Principal::Instance
        );
    }
}
