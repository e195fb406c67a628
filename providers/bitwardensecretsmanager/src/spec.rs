//! `spec.provider.bitwardensecretsmanager`: its shape, its schema and the checks that need neither
//! cluster nor backend. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use schemars::JsonSchema;
use serde::Deserialize;

/// Secrets of a Bitwarden organization, through the sidecar.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BitwardenSpec {
    /// Address of Bitwarden's API; the sidecar's own default where it is empty.
    #[serde(rename = "apiURL", default)]
    pub api_url: Option<String>,
    /// How to sign in.
    pub auth: Auth,
    /// Address of the sidecar.
    #[serde(rename = "bitwardenServerSDKURL", default)]
    pub bitwarden_server_sdk_url: Option<String>,
    /// Certificate authorities of the sidecar, PEM or PEM in base64.
    #[serde(default)]
    pub ca_bundle: Option<String>,
    /// A Secret or ConfigMap with the certificate authorities of the sidecar.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
    /// Address of Bitwarden's identity service; the sidecar's own default where it is empty.
    #[serde(rename = "identityURL", default)]
    pub identity_url: Option<String>,
    /// Id of the organization.
    #[serde(rename = "organizationID")]
    pub organization_id: String,
    /// Id of the project that names are looked for in, and that new secrets belong to.
    #[serde(rename = "projectID")]
    pub project_id: String,
}

/// How to sign in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// Where the token is.
    pub secret_ref: SecretRef,
}

/// Where the token is.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// The access token of a machine account.
    pub credentials: SecretKeySelector,
}

impl BitwardenSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self) -> Result<Warnings> {
        if self.sidecar().is_none() {
            return Err(Error::invalid_spec("bitwardenServerSDKURL not configured"));
        }
        let mut warnings = Warnings::new();
        if self.ca_bundle().is_none() && self.ca_provider.is_none() {
            warnings.push(
                "neither caBundle nor caProvider is given: the store needs one of them to be ready"
                    .to_owned(),
            );
        }
        Ok(warnings)
    }

    /// The address of the sidecar, where it is given.
    pub(crate) fn sidecar(&self) -> Option<&str> {
        let url = self.bitwarden_server_sdk_url.as_deref();
        url.filter(|url| !url.is_empty())
    }

    pub(crate) fn ca_bundle(&self) -> Option<&str> {
        self.ca_bundle.as_deref().filter(|text| !text.is_empty())
    }
}
