//! `spec.provider.kubernetes`: its shape and its schema. How the API server is reached is the part
//! it shares with other providers; nothing here reads a credential.

use lockstep_api_server::{Auth, Connection, Server};
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

/// The Secrets of one namespace of a cluster.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesSpec {
    /// API server to connect to.
    #[serde(default)]
    pub server: Option<Server>,
    /// How to sign in; exactly one way.
    #[serde(default)]
    pub auth: Option<Auth>,
    /// Key of a Secret that holds a kubeconfig, in place of server and auth.
    #[serde(default)]
    pub auth_ref: Option<SecretKeySelector>,
    /// Namespace whose Secrets are read and written.
    #[serde(default = "default_namespace")]
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub remote_namespace: String,
}

fn default_namespace() -> String {
    "default".to_owned()
}

impl KubernetesSpec {
    /// The part of the spec that says how the API server is reached.
    pub(crate) fn connection(&self) -> Connection<'_> {
        Connection {
            server: self.server.as_ref(),
            auth: self.auth.as_ref(),
            auth_ref: self.auth_ref.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests;
