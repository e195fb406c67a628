//! `spec.provider.ovh`: its shape, its schema and the checks that need neither cluster nor backend.
//! Nothing here reads a credential.

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use lockstep_provider_kit::ids::is_uuid;
use schemars::JsonSchema;
use serde::Deserialize;

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
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        let refused = |text: &str| Err(Error::invalid_spec(text));
        if self.server.is_empty() {
            return refused("server is required");
        }
        if !is_uuid(&self.okmsid) {
            return refused("okmsid must be a UUID");
        }
        let selectors = match (&self.auth.mtls, &self.auth.token) {
            (Some(mtls), None) => vec![&mtls.cert_secret_ref, &mtls.key_secret_ref],
            (None, Some(token)) => vec![&token.token_secret_ref],
            (Some(_), Some(_)) => return refused("give one of auth.mtls and auth.token"),
            (None, None) => return refused("missing authentication: give auth.mtls or auth.token"),
        };
        for selector in selectors {
            scope.check_referent(selector.namespace.as_deref())?;
        }
        Ok(Warnings::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_needs_a_domain_and_one_way_to_sign_in() {
        let scope = Scope::Cluster { caller: None };
        let valid = |okmsid: &str, auth: serde_json::Value| {
            let spec = serde_json::json!({"server": "https://h", "okmsid": okmsid, "auth": auth});
            let spec: OvhSpec = serde_json::from_value(spec).unwrap();
            spec.validate(&scope).is_ok()
        };
        let id = "44444444-dddd-4ddd-8ddd-000000000001";
        let token = serde_json::json!({"token": {"tokenSecretRef": {"name": "c"}}});

        assert!(valid(id, token.clone()));
        assert!(!valid("shop", token));
        assert!(!valid(id, serde_json::json!({})));
    }
}
