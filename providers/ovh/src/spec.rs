//! `spec.provider.ovh`: its shape, its schema and the checks that need neither cluster nor backend.
//! Nothing here reads a credential.

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use lockstep_provider_kit::ids::is_uuid;
use schemars::JsonSchema;
use serde::Deserialize;

/// What stands before every error of a connection.
pub(crate) const NO_CLIENT: &str = "failed to create new ovh provider client";

/// Secrets of an OKMS domain of OVHcloud.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OvhSpec {
    /// How to sign in; exactly one.
    pub auth: Auth,
    /// Whether a push names the version it replaces.
    #[serde(default)]
    pub cas_required: Option<bool>,
    /// Seconds a request may take. The operator's own limits hold.
    #[serde(default = "default_timeout")]
    #[schemars(range(min = 1))]
    pub okms_timeout: Option<i32>,
    /// Id of the OKMS domain, a UUID.
    pub okmsid: String,
    /// Address of the region's server.
    pub server: String,
}

/// How to sign in; exactly one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Auth {
    /// With a client certificate.
    #[serde(default)]
    pub mtls: Option<Mtls>,
    /// With a token.
    #[serde(default)]
    pub token: Option<Token>,
}

/// A client certificate, and whom to trust.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mtls {
    /// Certificate authorities to trust, PEM in base64.
    #[serde(default)]
    pub ca_bundle: Option<CaBundle>,
    /// A Secret or ConfigMap with the certificate authorities to trust.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
    /// The certificate, PEM.
    pub cert_secret_ref: SecretKeySelector,
    /// The key, PEM.
    pub key_secret_ref: SecretKeySelector,
}

/// A token.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// The token.
    pub token_secret_ref: SecretKeySelector,
}

#[expect(clippy::unnecessary_wraps, reason = "serde wants the field's type")]
fn default_timeout() -> Option<i32> {
    Some(30)
}

impl OvhSpec {
    /// Checks what upstream checks in its webhook and for every connection. Namespaces of selectors are
    /// not looked at.
    pub(crate) fn admit(&self) -> Result<Warnings> {
        if self.okms_timeout.is_some_and(|seconds| seconds <= 0) {
            return refused("ovh store okmsTimeout must be greater than 0");
        }
        if self.server.is_empty() {
            return refused("ovh store server is required");
        }
        if self.okmsid.is_empty() {
            return refused("ovh store okmsID is required");
        }
        match (&self.auth.mtls, &self.auth.token) {
            (None, None) => refused("missing authentication method"),
            (Some(_), Some(_)) => refused("only one authentication method allowed (mtls | token)"),
            (None, Some(token)) if is_empty(&token.token_secret_ref) => {
                refused("missing token secret for token authentication")
            }
            (Some(mtls), None)
                if is_empty(&mtls.cert_secret_ref) || is_empty(&mtls.key_secret_ref) =>
            {
                refused("missing tls certificate or key for mtls authentication")
            }
            _ => Ok(Warnings::new()),
        }
    }

    /// Checks for a connection.
    pub(crate) fn validate(&self) -> Result<Warnings> {
        let admitted = self.admit();
        let admitted = admitted.map_err(|error| error.context("store validation failed"));
        let warnings = admitted.map_err(|error| error.context(NO_CLIENT))?;
        self.domain()?;
        Ok(warnings)
    }

    /// The id of the domain as requests name it.
    pub(crate) fn domain(&self) -> Result<String> {
        let id = self.okmsid.to_lowercase();
        if is_uuid(&id) {
            return Ok(id);
        }
        refused(&format!(
            "{NO_CLIENT}: could not parse okmsID: invalid UUID"
        ))
    }
}

fn is_empty(selector: &SecretKeySelector) -> bool {
    let parts = [&selector.name, &selector.key, &selector.namespace];
    let mut parts = parts.into_iter();
    parts.all(|part| part.as_deref().unwrap_or_default().is_empty())
}

fn refused<T>(text: &str) -> Result<T> {
    Err(Error::invalid_spec(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_needs_a_domain_and_one_way_to_sign_in() {
        let valid = |okmsid: &str, auth: serde_json::Value| {
            let spec = serde_json::json!({"server": "https://h", "okmsid": okmsid, "auth": auth});
            let spec: OvhSpec = serde_json::from_value(spec).unwrap();
            spec.validate().is_ok()
        };
        let id = "44444444-dddd-4ddd-8ddd-000000000001";
        let token = serde_json::json!({"token": {"tokenSecretRef": {"name": "c"}}});

        assert!(valid(id, token.clone()));
        assert!(!valid("shop", token));
        assert!(!valid(id, serde_json::json!({})));
        assert!(!valid(
            id,
            serde_json::json!({"token": {"tokenSecretRef": {}}})
        ));
    }

    #[test]
    fn the_domain_is_written_in_small_letters() {
        let spec = OvhSpec {
            okmsid: "44444444-DDDD-4ddd-8ddd-000000000001".to_owned(),
            ..OvhSpec::default()
        };

        let domain = spec.domain().unwrap();

        assert_eq!(domain, "44444444-dddd-4ddd-8ddd-000000000001");
    }
}
