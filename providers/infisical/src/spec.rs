//! `spec.provider.infisical`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::CaProvider;
use schemars::JsonSchema;
use serde::Deserialize;

pub use self::auth::Auth;
pub(crate) use self::auth::{Kubernetes, Oci};

mod auth;

/// Where Infisical's own cloud answers.
pub(crate) const HOST: &str = "https://app.infisical.com/api";

/// Secrets of an Infisical project.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InfisicalSpec {
    /// How to sign in: exactly one of these.
    pub auth: Auth,
    /// Certificate authorities to trust, PEM in base64.
    #[serde(default)]
    pub ca_bundle: Option<CaBundle>,
    /// A Secret or ConfigMap with the certificate authorities to trust.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
    /// Address of the API.
    #[serde(rename = "hostAPI", default = "host")]
    pub host_api: Option<String>,
    /// Project, environment and folder to read.
    pub secrets_scope: SecretsScope,
}

#[allow(clippy::unnecessary_wraps)] // The type of the field is optional.
fn host() -> Option<String> {
    Some(HOST.to_owned())
}

fn root() -> String {
    "/".to_owned()
}

fn yes() -> bool {
    true
}

/// Project, environment and folder.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretsScope {
    /// Slug of the environment.
    pub environment_slug: String,
    /// Whether references to other secrets are replaced by their values.
    #[serde(default = "yes")]
    pub expand_secret_references: bool,
    /// Slug of the organization to sign in to.
    #[serde(default)]
    pub organization_slug: Option<String>,
    /// Slug of the project.
    pub project_slug: String,
    /// Whether a search goes into folders.
    #[serde(default)]
    pub recursive: bool,
    /// Folder that keys are relative to.
    #[serde(default = "root")]
    pub secrets_path: String,
}

impl InfisicalSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        self.secrets_scope.validate()?;
        if let Some(provider) = &self.ca_provider {
            match (scope.is_cluster(), &provider.namespace) {
                (true, None) => {
                    return Err(Error::invalid_spec(
                        "caProvider.namespace is required for ClusterSecretStore",
                    ));
                }
                (false, Some(_)) => {
                    return Err(Error::invalid_spec(
                        "caProvider.namespace must be empty with SecretStore",
                    ));
                }
                _ => {}
            }
        }
        self.validate(scope)
    }

    /// Checks what a connection needs. An empty scope is the affair of the store's check, and the
    /// namespace of an authority that of the look for it, as upstream's conditions have it.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        self.auth.validate(scope)?;
        Ok(Warnings::new())
    }
}

impl SecretsScope {
    /// Checks that project and environment are named.
    pub(crate) fn validate(&self) -> Result<()> {
        if self.environment_slug.is_empty() || self.project_slug.is_empty() {
            return Err(Error::invalid_spec(
                "secretsScope.projectSlug and secretsScope.environmentSlug cannot be empty",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(scope: serde_json::Value) -> InfisicalSpec {
        let auth = serde_json::json!({"tokenAuthCredentials": {"accessToken": {"name": "c"}}});
        let spec = serde_json::json!({"auth": auth, "secretsScope": scope});
        serde_json::from_value(spec).unwrap()
    }

    #[test]
    fn what_is_left_out_has_upstreams_defaults() {
        let spec = spec(serde_json::json!({"projectSlug": "p", "environmentSlug": "e"}));

        assert_eq!(spec.host_api.as_deref(), Some(HOST));
        assert_eq!(spec.secrets_scope.secrets_path, "/");
        assert!(spec.secrets_scope.expand_secret_references);
        assert!(!spec.secrets_scope.recursive);
    }

    #[test]
    fn an_empty_project_is_refused_by_admission_alone() {
        let spec = spec(serde_json::json!({"projectSlug": "", "environmentSlug": "e"}));
        let scope = Scope::Cluster { caller: None };

        let error = spec.admit(&scope).unwrap_err();

        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        assert!(spec.validate(&scope).is_ok());
    }
}
