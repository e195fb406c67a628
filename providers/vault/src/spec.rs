//! `spec.provider.vault`: its shape and its schema. What cannot work with any server is refused in
//! `checks`; the ways to log in are in `auth`. Nothing here reads a credential.

use std::collections::BTreeMap;

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use schemars::JsonSchema;
use serde::Deserialize;

mod auth;
mod checks;
mod cloud_auth;
#[cfg(test)]
mod tests;

pub use auth::{AppRole, Auth, Cert, Jwt, Kubernetes, Ldap, ServiceAccountToken, UserPass};
pub use cloud_auth::{Gcp, GcpKey, GcpWorkloadIdentity, Iam, IamJwt, IamKeys};

/// HashiCorp Vault.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultSpec {
    /// How to log in.
    #[serde(default)]
    pub auth: Option<Auth>,
    /// Certificate authorities of the server.
    #[serde(default)]
    pub ca_bundle: Option<CaBundle>,
    /// Where the certificate authorities of the server are kept.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
    /// Whether writes name the version they replace.
    #[serde(default)]
    pub check_and_set: Option<CheckAndSet>,
    /// Sends reads that a standby cannot answer yet to the active node.
    #[serde(default)]
    pub forward_inconsistent: Option<bool>,
    /// Headers of every request.
    #[serde(default)]
    pub headers: Option<BTreeMap<String, String>>,
    /// Namespace of the secrets.
    #[serde(default)]
    pub namespace: Option<String>,
    /// Mount of the KV engine; without it the first part of a key names the mount.
    #[serde(default)]
    pub path: Option<String>,
    /// Reads see the writes before them.
    #[serde(default)]
    pub read_your_writes: Option<bool>,
    /// Address of the server.
    pub server: String,
    /// Client certificate of the connection.
    #[serde(default)]
    pub tls: Option<ClientTls>,
    /// Version of the KV engine.
    #[serde(default)]
    pub version: Version,
}

/// Version of a KV engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Version {
    /// Without versions.
    V1,
    /// With versions.
    #[default]
    V2,
}

/// Check-and-set of writes.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
pub struct CheckAndSet {
    /// Every write names the version it replaces.
    #[serde(default)]
    pub required: Option<bool>,
}

/// A client certificate kept in Secrets.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientTls {
    /// Secret key that holds the certificate.
    #[serde(default)]
    pub cert_secret_ref: Option<SecretKeySelector>,
    /// Secret key that holds the private key.
    #[serde(default)]
    pub key_secret_ref: Option<SecretKeySelector>,
}

impl VaultSpec {
    /// Whether a credential can only be found for a caller.
    pub(crate) fn is_referent(&self, ctx: &Ctx) -> bool {
        let Some(auth) = &self.auth else {
            return false;
        };
        let mut namespaces = auth.credential_namespaces();
        namespaces.any(|namespace| ctx.is_referent(namespace))
    }

    pub(crate) fn mount(&self) -> Option<&str> {
        given(self.path.as_deref())
    }

    pub(crate) fn needs_check_and_set(&self) -> bool {
        let required = self.check_and_set.and_then(|check| check.required);
        required.unwrap_or_default()
    }
}

/// A text that says something.
pub(crate) fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}
