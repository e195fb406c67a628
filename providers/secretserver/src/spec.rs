//! `spec.provider.secretserver`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use schemars::JsonSchema;
use serde::Deserialize;

/// Secrets of a Delinea Secret Server or Platform.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "message": "either token, or both username and password, must be set",
    "rule": "has(self.token) || (has(self.username) && has(self.password))",
}]))]
pub struct SecretserverSpec {
    /// Certificate authorities to trust, PEM or PEM in base64.
    #[serde(default)]
    pub ca_bundle: Option<CaBundle>,
    /// A Secret or ConfigMap with the certificate authorities to trust.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
    /// Domain of the user.
    #[serde(default)]
    pub domain: Option<String>,
    /// The password, a value or a reference.
    #[serde(default)]
    pub password: Option<Credential>,
    /// Address of the server, such as `https://corp.secretservercloud.com`.
    #[serde(rename = "serverURL")]
    pub server_url: String,
    /// A token in place of user name and password, a value or a reference.
    #[serde(default)]
    pub token: Option<Credential>,
    /// The user name, a value or a reference.
    #[serde(default)]
    pub username: Option<Credential>,
}

/// A value in the manifest itself, or a reference to a Secret.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "message": "exactly one of value or secretRef must be set",
    "rule": "has(self.value) != has(self.secretRef)",
}]))]
pub struct Credential {
    /// Key of a Secret that holds the value.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
    /// The value itself.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub value: Option<String>,
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credential")
            .field("secret_ref", &self.secret_ref)
            .finish_non_exhaustive()
    }
}

impl SecretserverSpec {
    /// Checks what upstream checks in its webhook and for every connection.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        if self.server_url.is_empty() {
            return refused("serverURL must be set");
        }
        for credential in self.credentials()? {
            credential.admit(scope)?;
        }
        Ok(Warnings::new())
    }

    /// Checks for a connection: a ClusterSecretStore must say where its Secrets are.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        let warnings = self.admit(&scope.as_at_admission())?;
        for credential in self.credentials()? {
            let selector = credential.secret_ref.as_ref();
            if selector.is_some_and(|one| scope.is_cluster() && one.namespace.is_none()) {
                return refused(
                    "when using a ClusterSecretStore, namespaces must be explicitly set",
                );
            }
        }
        Ok(warnings)
    }

    /// The token, or user name and password.
    fn credentials(&self) -> Result<Vec<&Credential>> {
        if let Some(token) = &self.token {
            return Ok(vec![token]);
        }
        match (&self.username, &self.password) {
            (None, _) => refused("username must not be empty"),
            (_, None) => refused("password must be set"),
            (Some(user), Some(password)) => Ok(vec![user, password]),
        }
    }
}

impl Credential {
    fn admit(&self, scope: &Scope) -> Result<()> {
        let value = self.value.as_deref().filter(|value| !value.is_empty());
        let Some(selector) = &self.secret_ref else {
            return match value {
                Some(_) => Ok(()),
                None => refused("must specify either value or reference"),
            };
        };
        if value.is_some() {
            return refused("cannot specify both value and reference");
        }
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

    /// The value.
    pub(crate) async fn resolve(&self, ctx: &Ctx) -> Result<SecretValue> {
        match &self.secret_ref {
            Some(selector) => ctx.secret(selector).await,
            None => Ok(SecretValue::from(self.value.as_deref().unwrap_or_default())),
        }
    }
}

fn refused<T>(text: &str) -> Result<T> {
    Err(Error::invalid_spec(text))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refusal(mut spec: Value, scope: &Scope) -> Option<String> {
        if spec.get("serverURL").is_none() {
            spec["serverURL"] = json!("https://ss.test");
        }
        let spec: SecretserverSpec = serde_json::from_value(spec).unwrap();
        spec.validate(scope).err().map(|error| error.to_string())
    }

    #[test]
    fn what_is_missing_is_named() {
        let scope = Scope::Namespaced {
            namespace: "team".to_owned(),
        };
        let of = |spec| refusal(spec, &scope).unwrap_or_default();

        assert_eq!(of(json!({"serverURL": ""})), "serverURL must be set");
        assert_eq!(of(json!({})), "username must not be empty");
        let user = json!({"username": {"value": "u"}});
        assert_eq!(of(user), "password must be set");
        let name = json!({"token": {"secretRef": {"key": "k"}}});
        assert_eq!(of(name), "must specify a secret name");
        assert_eq!(of(json!({"token": {"value": "t"}})), "");
    }

    #[test]
    fn a_cluster_store_says_where_its_secrets_are() {
        let scope = Scope::Cluster { caller: None };
        let token = json!({"token": {"secretRef": {"name": "c", "key": "k"}}});

        let text = refusal(token, &scope).unwrap();

        assert!(
            text.ends_with("namespaces must be explicitly set"),
            "{text}"
        );
        let token = json!({"secretRef": {"name": "c", "key": "k", "namespace": "n"}});
        assert_eq!(refusal(json!({"token": token}), &scope), None);
    }

    #[test]
    fn a_connection_refuses_a_foreign_namespace() {
        let scope = Scope::Used {
            namespace: "team".to_owned(),
        };
        let of = |namespace: &str| {
            let token = json!({"secretRef": {"name": "c", "key": "k", "namespace": namespace}});
            refusal(json!({"token": token}), &scope)
        };

        assert_eq!(of("team"), None);
        assert!(of("other").unwrap().starts_with("namespace should"));
    }
}
