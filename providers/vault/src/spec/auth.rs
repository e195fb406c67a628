//! `spec.provider.vault.auth`: the ways to log in. The first one that is given is used, in the order
//! of upstream.

use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};
use schemars::JsonSchema;
use serde::Deserialize;

use super::cloud_auth::{Gcp, Iam};

/// Ways to log in; the first that is given is used.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// Logs in as an application.
    #[serde(default)]
    pub app_role: Option<AppRole>,
    /// Logs in with a client certificate.
    #[serde(default)]
    pub cert: Option<Cert>,
    /// Logs in with an identity of Google.
    #[serde(default)]
    pub gcp: Option<Gcp>,
    /// Logs in with an identity of AWS.
    #[serde(default)]
    pub iam: Option<Iam>,
    /// Logs in with a JSON web token.
    #[serde(default)]
    pub jwt: Option<Jwt>,
    /// Logs in with a token of a ServiceAccount that the server shows to the API server.
    #[serde(default)]
    pub kubernetes: Option<Kubernetes>,
    /// Logs in with a user of a directory.
    #[serde(default)]
    pub ldap: Option<Ldap>,
    /// Namespace of the login; that of the secrets when absent.
    #[serde(default)]
    pub namespace: Option<String>,
    /// Secret key that holds a token.
    #[serde(default)]
    pub token_secret_ref: Option<SecretKeySelector>,
    /// Logs in with user name and password.
    #[serde(default)]
    pub user_pass: Option<UserPass>,
}

/// An application.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppRole {
    /// Mount of the auth method.
    #[serde(default = "approle")]
    #[schemars(required)]
    pub path: String,
    /// Id of the role.
    #[serde(default)]
    pub role_id: Option<String>,
    /// Secret key that holds the id of the role.
    #[serde(default)]
    pub role_ref: Option<SecretKeySelector>,
    /// Secret key that holds the secret id.
    pub secret_ref: SecretKeySelector,
}

/// A client certificate.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cert {
    /// Secret key that holds the certificate.
    #[serde(default)]
    pub client_cert: Option<SecretKeySelector>,
    /// Mount of the auth method.
    #[serde(default = "cert")]
    pub path: String,
    /// Secret key that holds the private key.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
    /// Role to log in as; any that the certificate fits when absent.
    #[serde(default)]
    pub vault_role: Option<String>,
}

/// A JSON web token.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Jwt {
    /// Logs in with a token of a ServiceAccount.
    #[serde(default)]
    pub kubernetes_service_account_token: Option<ServiceAccountToken>,
    /// Mount of the auth method.
    #[serde(default = "jwt")]
    #[schemars(required)]
    pub path: String,
    /// Role to log in as.
    #[serde(default)]
    pub role: Option<String>,
    /// Secret key that holds the token.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
}

/// A token of a ServiceAccount that is requested for the login.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccountToken {
    /// Audiences of the token. Use serviceAccountRef.audiences instead.
    #[serde(default)]
    pub audiences: Option<Vec<String>>,
    /// Life of the token in seconds.
    #[serde(default)]
    pub expiration_seconds: Option<i64>,
    /// ServiceAccount whose token is used.
    pub service_account_ref: ServiceAccountSelector,
}

/// A ServiceAccount.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Kubernetes {
    /// Mount of the auth method.
    #[serde(default = "kubernetes")]
    #[schemars(required)]
    pub mount_path: String,
    /// Role to log in as.
    pub role: String,
    /// Secret key that holds the token of a ServiceAccount.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
    /// ServiceAccount whose token is used.
    #[serde(default)]
    pub service_account_ref: Option<ServiceAccountSelector>,
}

/// A user of a directory.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ldap {
    /// Mount of the auth method.
    #[serde(default = "ldap")]
    #[schemars(required)]
    pub path: String,
    /// Secret key that holds the password.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
    /// Name of the user.
    pub username: String,
}

/// A user with a password.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserPass {
    /// Mount of the auth method.
    #[serde(default = "userpass")]
    #[schemars(required)]
    pub path: String,
    /// Secret key that holds the password.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
    /// Name of the user.
    pub username: String,
}

macro_rules! defaults {
    ($($name:ident),*) => {$(
        fn $name() -> String {
            stringify!($name).to_owned()
        }
    )*};
}

defaults!(approle, cert, jwt, kubernetes, ldap, userpass);

impl Auth {
    /// Namespaces that the selectors of the method in use name. That of Google is left out, as
    /// upstream has it.
    pub(crate) fn credential_namespaces(&self) -> impl Iterator<Item = Option<&str>> {
        let mut secrets: Vec<Option<&SecretKeySelector>> = Vec::new();
        let mut accounts: Vec<Option<&ServiceAccountSelector>> = Vec::new();
        if let Some(token) = &self.token_secret_ref {
            secrets.push(Some(token));
        } else if let Some(role) = &self.app_role {
            secrets.extend([Some(&role.secret_ref), role.role_ref.as_ref()]);
        } else if let Some(kubernetes) = &self.kubernetes {
            secrets.push(kubernetes.secret_ref.as_ref());
            accounts.push(kubernetes.service_account_ref.as_ref());
        } else if let Some(ldap) = &self.ldap {
            secrets.push(ldap.secret_ref.as_ref());
        } else if let Some(user) = &self.user_pass {
            secrets.push(user.secret_ref.as_ref());
        } else if let Some(jwt) = &self.jwt {
            secrets.push(jwt.secret_ref.as_ref());
            let token = jwt.kubernetes_service_account_token.as_ref();
            accounts.push(token.map(|token| &token.service_account_ref));
        } else if let Some(cert) = &self.cert {
            secrets.extend([cert.client_cert.as_ref(), cert.secret_ref.as_ref()]);
        } else if let Some(iam) = &self.iam {
            let keys = iam.secret_ref.as_ref();
            secrets.extend(keys.iter().flat_map(|keys| keys.all()));
            let jwt = iam.jwt.as_ref();
            accounts.push(jwt.and_then(|jwt| jwt.service_account_ref.as_ref()));
        }
        let secrets = secrets.into_iter().flatten();
        let secrets = secrets.map(|selector| selector.namespace.as_deref());
        let accounts = accounts.into_iter().flatten();
        secrets.chain(accounts.map(|selector| selector.namespace.as_deref()))
    }
}
