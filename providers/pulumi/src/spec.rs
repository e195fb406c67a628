//! `spec.provider.pulumi`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};
use schemars::JsonSchema;
use serde::Deserialize;

const API_URL: &str = "https://api.pulumi.com/api/esc";
pub(crate) const NO_METHOD: &str = "no authentication method configured: either auth.accessToken, auth.oidcConfig, or accessToken must be specified";
const TWO_METHODS: &str = "only one authentication method may be configured: use either auth.accessToken, auth.oidcConfig, or the deprecated accessToken field";

/// Values of a Pulumi ESC environment.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "message": "Exactly one of 'auth' or deprecated 'accessToken' must be specified",
    "rule": "(has(self.auth) && !has(self.accessToken)) || (!has(self.auth) && has(self.accessToken))",
}]))]
pub struct PulumiSpec {
    /// An access token. Deprecated: use `auth.accessToken`.
    #[serde(default)]
    pub access_token: Option<AccessToken>,
    /// Address of the API.
    #[serde(default = "default_api_url")]
    pub api_url: Option<String>,
    /// How to sign in.
    #[serde(default)]
    pub auth: Option<Auth>,
    /// Name of the environment.
    pub environment: String,
    /// Name of the organization.
    pub organization: String,
    /// Name of the project.
    pub project: String,
}

/// How to sign in; exactly one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "message": "Exactly one of 'accessToken' or 'oidcConfig' must be specified",
    "rule": "(has(self.accessToken) && !has(self.oidcConfig)) || (!has(self.accessToken) && has(self.oidcConfig))",
}]))]
pub struct Auth {
    /// With an access token.
    #[serde(default)]
    pub access_token: Option<AccessToken>,
    /// With a token of a ServiceAccount that Pulumi exchanges.
    #[serde(default)]
    pub oidc_config: Option<OidcConfig>,
}

/// Where the access token is.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccessToken {
    /// The key of a Secret that holds it.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
}

/// A token of a ServiceAccount that Pulumi exchanges.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OidcConfig {
    /// Seconds that the exchanged token lives.
    #[serde(default = "default_expiration")]
    #[schemars(range(min = 600))]
    pub expiration_seconds: Option<i64>,
    /// Name of the organization that trusts the cluster.
    pub organization: String,
    /// The ServiceAccount.
    pub service_account_ref: ServiceAccountSelector,
}

#[expect(clippy::unnecessary_wraps, reason = "serde wants the field's type")]
fn default_api_url() -> Option<String> {
    Some(API_URL.to_owned())
}

#[expect(clippy::unnecessary_wraps, reason = "serde wants the field's type")]
fn default_expiration() -> Option<i64> {
    Some(600)
}

impl PulumiSpec {
    /// Checks what upstream checks in its webhook and for every connection.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        for (field, value) in [
            ("organization", &self.organization),
            ("environment", &self.environment),
            ("project", &self.project),
        ] {
            if value.is_empty() {
                return refused(&format!("{field} is required"));
            }
        }
        let auth = self.auth.as_ref();
        let token = auth.and_then(|auth| auth.access_token.as_ref());
        match (token, self.exchange(), &self.access_token) {
            (None, None, None) => refused(NO_METHOD),
            (Some(token), None, None) | (None, None, Some(token)) => token.admit(scope),
            (None, Some(config), None) => config.admit(scope),
            _ => refused(TWO_METHODS),
        }
    }

    /// Checks for a connection: a ClusterSecretStore must say where its token is.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        let warnings = self.admit(&scope.as_at_admission())?;
        let selector = self.token();
        if selector.is_some_and(|one| scope.is_cluster() && one.namespace.is_none()) {
            return refused("cluster store requires namespace");
        }
        Ok(warnings)
    }

    /// The reference to the access token, in its new place or its old.
    pub(crate) fn token(&self) -> Option<&SecretKeySelector> {
        let auth = self.auth.as_ref();
        let given = auth.and_then(|auth| auth.access_token.as_ref());
        given.or(self.access_token.as_ref())?.secret_ref.as_ref()
    }

    /// The exchange of a ServiceAccount token.
    pub(crate) fn exchange(&self) -> Option<&OidcConfig> {
        self.auth.as_ref()?.oidc_config.as_ref()
    }

    pub(crate) fn api_url(&self) -> &str {
        let url = self.api_url.as_deref().filter(|url| !url.is_empty());
        url.unwrap_or(API_URL)
    }
}

impl AccessToken {
    fn admit(&self, scope: &Scope) -> Result<Warnings> {
        let Some(selector) = &self.secret_ref else {
            return refused("secretRef.name is required");
        };
        scope.check_referent(selector.namespace.as_deref())?;
        let is_empty = |text: &Option<String>| text.as_deref().unwrap_or_default().is_empty();
        if is_empty(&selector.name) {
            return refused("secretRef.name is required");
        }
        if is_empty(&selector.key) {
            return refused("secretRef.key is required");
        }
        Ok(Warnings::new())
    }
}

impl OidcConfig {
    fn admit(&self, scope: &Scope) -> Result<Warnings> {
        let account = &self.service_account_ref;
        if self.organization.is_empty() {
            return refused("oidcConfig.organization is required");
        }
        if account.name.is_empty() {
            return refused("oidcConfig.serviceAccountRef.name is required");
        }
        if scope.is_cluster() && account.namespace.is_none() {
            return refused(
                "oidcConfig.serviceAccountRef.namespace is required for ClusterSecretStore",
            );
        }
        Ok(Warnings::new())
    }
}

fn refused<T>(text: &str) -> Result<T> {
    Err(Error::invalid_spec(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_found_in_its_new_place_and_its_old() {
        let token = serde_json::json!({"secretRef": {"name": "c", "key": "k"}});
        let named = serde_json::json!({"organization": "o", "project": "p", "environment": "e"});
        for (field, value) in [
            ("accessToken", token.clone()),
            ("auth", serde_json::json!({"accessToken": token})),
        ] {
            let mut spec = named.clone();
            spec[field] = value;
            let spec: PulumiSpec = serde_json::from_value(spec).unwrap();

            assert_eq!(spec.token().unwrap().key.as_deref(), Some("k"), "{field}");
            assert_eq!(spec.api_url(), API_URL);
        }
    }

    #[test]
    fn a_store_needs_a_project_and_a_way_to_sign_in() {
        let scope = Scope::Cluster { caller: None };
        let refusal = |project: &str| {
            let spec = serde_json::json!({
                "organization": "o", "project": project, "environment": "e",
            });
            let spec: PulumiSpec = serde_json::from_value(spec).unwrap();
            spec.validate(&scope).unwrap_err().to_string()
        };

        assert_eq!(refusal(""), "project is required");
        assert_eq!(refusal("p"), NO_METHOD);
    }

    #[test]
    fn a_cluster_store_says_where_its_credentials_are() {
        let scope = Scope::Cluster { caller: None };
        let refusal = |auth: serde_json::Value| {
            let spec = serde_json::json!({
                "organization": "o", "project": "p", "environment": "e", "auth": auth,
            });
            let spec: PulumiSpec = serde_json::from_value(spec).unwrap();
            spec.validate(&scope).err().map(|error| error.to_string())
        };
        let token = serde_json::json!({"accessToken": {"secretRef": {"name": "c", "key": "k"}}});
        let account = serde_json::json!({"name": "sa"});
        let oidc =
            serde_json::json!({"oidcConfig": {"organization": "o", "serviceAccountRef": account}});

        assert_eq!(refusal(token).unwrap(), "cluster store requires namespace");
        assert!(
            refusal(oidc)
                .unwrap()
                .contains("serviceAccountRef.namespace")
        );
    }
}
