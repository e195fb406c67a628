//! `spec.provider.doppler`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};
use schemars::JsonSchema;
use serde::Deserialize;

/// Secrets of a Doppler config.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DopplerSpec {
    /// How to sign in.
    pub auth: Auth,
    /// The config; not needed with a service token.
    #[serde(default)]
    pub config: Option<String>,
    /// Format of a download of all secrets as one file.
    #[serde(default)]
    pub format: Option<Format>,
    /// How names are changed in a download of all secrets.
    #[serde(default)]
    pub name_transformer: Option<NameTransformer>,
    /// The project; not needed with a service token.
    #[serde(default)]
    pub project: Option<String>,
}

macro_rules! words {
    ($(#[$doc:meta] $name:ident { $($variant:ident = $word:literal,)+ })+) => {$(
        #[$doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
        #[allow(missing_docs)]
        pub enum $name { $(#[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// The word that Doppler takes.
            pub(crate) fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    )+};
}

words! {
    /// Format of a download.
    Format {
        Json = "json",
        DotnetJson = "dotnet-json",
        Env = "env",
        Yaml = "yaml",
        Docker = "docker",
    }
    /// How names are changed.
    NameTransformer {
        UpperCamel = "upper-camel",
        Camel = "camel",
        LowerSnake = "lower-snake",
        TfVar = "tf-var",
        DotnetEnv = "dotnet-env",
        LowerKebab = "lower-kebab",
    }
}

/// How to sign in: exactly one of these.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-kubernetes-validations" = [{
    "message": "Exactly one of 'secretRef' or 'oidcConfig' must be specified",
    "rule": "(has(self.secretRef) && !has(self.oidcConfig)) || (!has(self.secretRef) && has(self.oidcConfig))",
}]))]
pub struct Auth {
    /// A ServiceAccount whose token Doppler exchanges.
    pub oidc_config: Option<OidcConfig>,
    /// A token of Doppler.
    pub secret_ref: Option<SecretRef>,
}

/// A token of Doppler.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// The token; its key is `dopplerToken` unless named.
    pub doppler_token: SecretKeySelector,
}

/// A ServiceAccount whose token Doppler exchanges.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OidcConfig {
    /// Life of the ServiceAccount's token.
    #[serde(default = "expiration")]
    pub expiration_seconds: Option<i64>,
    /// Doppler's service account identity.
    pub identity: String,
    /// The ServiceAccount.
    pub service_account_ref: ServiceAccountSelector,
}

#[allow(clippy::unnecessary_wraps)] // The type of the field is optional.
fn expiration() -> Option<i64> {
    Some(600)
}

impl DopplerSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        let invalid = |text: &str| Err(Error::invalid_spec(format!("invalid store: {text}")));
        match (&self.auth.secret_ref, &self.auth.oidc_config) {
            (Some(given), _) => {
                let token = &given.doppler_token;
                let checked = scope.check_strict(token.namespace.as_deref());
                checked.map_err(|error| error.context("invalid store"))?;
                if token.name.as_deref().unwrap_or_default().is_empty() {
                    return invalid("dopplerToken.name cannot be empty");
                }
            }
            (None, Some(given)) => {
                if given.identity.is_empty() {
                    return invalid("oidcConfig.identity cannot be empty");
                }
                if given.service_account_ref.name.is_empty() {
                    return invalid("oidcConfig.serviceAccountRef.name cannot be empty");
                }
                let namespace = given.service_account_ref.namespace.as_deref();
                let checked = scope.check_strict(namespace);
                checked.map_err(|error| error.context("invalid store"))?;
            }
            (None, None) => {
                return invalid("either auth.secretRef or auth.oidcConfig must be specified");
            }
        }
        Ok(Warnings::new())
    }
}
