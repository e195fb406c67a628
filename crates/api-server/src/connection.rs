//! The part of a manifest that says where an API server is and who signs in there: its shape, its
//! schema and the checks that need no cluster. Which credential is used is decided in `auth`;
//! nothing here reads one.

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector, ServiceAccountSelector};
use schemars::JsonSchema;
use serde::Deserialize;

/// Upstream's remark on a store that trusts the system's certificate roots.
pub const NO_CA_WARNING: &str =
    "No caBundle or caProvider specified; TLS connections will use system certificate roots.";

/// What a store says of its connection.
#[derive(Clone, Copy, Debug)]
pub struct Connection<'a> {
    /// API server to connect to.
    pub server: Option<&'a Server>,
    /// How to sign in.
    pub auth: Option<&'a Auth>,
    /// Key of a Secret that holds a kubeconfig, in place of server and auth.
    pub auth_ref: Option<&'a SecretKeySelector>,
}

/// Where the API server is and whom to trust.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Server {
    /// Address of the API server; without a scheme, https where a certificate is configured.
    #[serde(default = "default_url")]
    pub url: String,
    /// Certificate authority, PEM in base64.
    #[serde(default)]
    pub ca_bundle: Option<CaBundle>,
    /// Where the certificate authority is kept.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
}

/// Ways to sign in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Auth {
    /// With a client certificate.
    #[serde(default)]
    pub cert: Option<CertAuth>,
    /// With a static token.
    #[serde(default)]
    pub token: Option<TokenAuth>,
    /// As a ServiceAccount, with tokens made for the purpose.
    #[serde(default)]
    pub service_account: Option<ServiceAccountSelector>,
}

/// A client certificate.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertAuth {
    /// Certificate, PEM.
    pub client_cert: SecretKeySelector,
    /// Its private key, PEM.
    pub client_key: SecretKeySelector,
}

/// A static token.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenAuth {
    /// Key of a Secret that holds the token.
    pub bearer_token: SecretKeySelector,
}

fn default_url() -> String {
    "kubernetes.default".to_owned()
}

impl Connection<'_> {
    /// Checks everything the admission webhook can check.
    pub fn validate(&self, scope: &Scope) -> Result<Warnings> {
        self.validate_ca_provider(scope)?;
        if let Some(auth) = self.auth {
            auth.validate(scope)?;
        }
        let trusts_system = self
            .server
            .is_none_or(|server| server.ca_bundle.is_none() && server.ca_provider.is_none());
        if self.auth_ref.is_none() && trusts_system {
            return Ok(vec![NO_CA_WARNING.to_owned()]);
        }
        Ok(Warnings::new())
    }

    fn validate_ca_provider(&self, scope: &Scope) -> Result<()> {
        let provider = self.server.and_then(|server| server.ca_provider.as_ref());
        match (provider, scope.is_cluster()) {
            (Some(provider), true) if provider.namespace.is_none() => Err(Error::invalid_spec(
                "CAProvider.namespace must not be empty with ClusterSecretStore",
            )),
            (Some(provider), false) if provider.namespace.is_some() => Err(Error::invalid_spec(
                "CAProvider.namespace must be empty with SecretStore",
            )),
            _ => Ok(()),
        }
    }

    /// Whether a credential can only be found for a caller: a selector of `auth` without a
    /// namespace, in a ClusterSecretStore.
    pub fn is_referent(&self, ctx: &Ctx) -> bool {
        let Some(auth) = self.auth else {
            return false;
        };
        let cert = auth.cert.iter().flat_map(|cert| {
            [
                cert.client_cert.namespace.as_deref(),
                cert.client_key.namespace.as_deref(),
            ]
        });
        let token = auth.token.iter();
        let account = auth.service_account.iter();
        cert.chain(token.map(|token| token.bearer_token.namespace.as_deref()))
            .chain(account.map(|account| account.namespace.as_deref()))
            .any(|namespace| ctx.is_referent(namespace))
    }
}

impl Auth {
    fn validate(&self, scope: &Scope) -> Result<()> {
        if let Some(cert) = &self.cert {
            require_name_and_key("ClientCert", &cert.client_cert)?;
            scope.check_strict(cert.client_cert.namespace.as_deref())?;
        }
        if let Some(token) = &self.token {
            require_name_and_key("BearerToken", &token.bearer_token)?;
            scope.check_strict(token.bearer_token.namespace.as_deref())?;
        }
        if let Some(account) = &self.service_account {
            scope.check_referent(account.namespace.as_deref())?;
        }
        Ok(())
    }
}

fn require_name_and_key(field: &str, selector: &SecretKeySelector) -> Result<()> {
    let is_empty = |part: &Option<String>| part.as_deref().is_none_or(str::is_empty);
    if is_empty(&selector.name) {
        return Err(Error::invalid_spec(format!("{field}.Name cannot be empty")));
    }
    if is_empty(&selector.key) {
        return Err(Error::invalid_spec(format!("{field}.Key cannot be empty")));
    }
    Ok(())
}
