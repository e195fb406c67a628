//! `spec.provider.infisical`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use schemars::JsonSchema;
use serde::Deserialize;

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

/// How to sign in. Every leaf is a key of a Secret.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Auth {
    /// The operator's own AWS identity.
    pub aws_auth_credentials: Option<Machine>,
    /// The operator's own Azure identity.
    pub azure_auth_credentials: Option<Azure>,
    /// A key file of a Google service account.
    pub gcp_iam_auth_credentials: Option<GcpIam>,
    /// The operator's own Google identity.
    pub gcp_id_token_auth_credentials: Option<Machine>,
    /// A JSON web token.
    pub jwt_auth_credentials: Option<SignedToken>,
    /// The operator's own ServiceAccount, or a token file.
    pub kubernetes_auth_credentials: Option<Kubernetes>,
    /// User name and password of an LDAP directory.
    pub ldap_auth_credentials: Option<Directory>,
    /// A signing key of Oracle Cloud.
    pub oci_auth_credentials: Option<Oci>,
    /// A token that is used as it is.
    pub token_auth_credentials: Option<Token>,
    /// Client id and secret of a machine identity.
    pub universal_auth_credentials: Option<Universal>,
}

macro_rules! credentials {
    ($(#[$doc:meta] $name:ident { $($(#[$field_doc:meta])+ $field:ident: $kind:ty,)+ })+) => {$(
        #[$doc]
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$field_doc])+ pub $field: $kind,)+
        }
    )+};
}

credentials! {
    /// A machine identity alone.
    Machine {
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
    }
    /// A machine identity for Azure.
    Azure {
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
        /// The resource to ask a token for.
        #[serde(default)]
        resource: Option<SecretKeySelector>,
    }
    /// A machine identity for Google service accounts.
    GcpIam {
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
        /// Path of the key file in the operator's container.
        service_account_key_file_path: SecretKeySelector,
    }
    /// A machine identity for JSON web tokens.
    SignedToken {
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
        /// The token.
        jwt: SecretKeySelector,
    }
    /// A machine identity for Kubernetes.
    Kubernetes {
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
        /// Path of the token file in the operator's container.
        #[serde(default)]
        service_account_token_path: Option<SecretKeySelector>,
    }
    /// A machine identity for LDAP.
    Directory {
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
        /// The password.
        ldap_password: SecretKeySelector,
        /// The user name.
        ldap_username: SecretKeySelector,
    }
    /// A machine identity for Oracle Cloud.
    Oci {
        /// Fingerprint of the key.
        fingerprint: SecretKeySelector,
        /// Id of the machine identity.
        identity_id: SecretKeySelector,
        /// The private key, PEM.
        private_key: SecretKeySelector,
        /// Passphrase of the private key.
        #[serde(default)]
        private_key_passphrase: Option<SecretKeySelector>,
        /// Region of the tenancy.
        region: SecretKeySelector,
        /// Id of the tenancy.
        tenancy_id: SecretKeySelector,
        /// Id of the user.
        user_id: SecretKeySelector,
    }
    /// A token.
    Token {
        /// The token.
        access_token: SecretKeySelector,
    }
    /// A machine identity with client id and secret.
    Universal {
        /// The client id.
        client_id: SecretKeySelector,
        /// The client secret.
        client_secret: SecretKeySelector,
    }
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

impl Auth {
    fn validate(&self, scope: &Scope) -> Result<()> {
        let Some(universal) = &self.universal_auth_credentials else {
            return Ok(());
        };
        for selector in [&universal.client_id, &universal.client_secret] {
            scope.check_referent(selector.namespace.as_deref())?;
            if selector.key.as_deref().unwrap_or_default().is_empty() {
                return Err(Error::invalid_spec(
                    "universalAuthCredentials.clientId and universalAuthCredentials.clientSecret \
                     cannot be empty",
                ));
            }
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
