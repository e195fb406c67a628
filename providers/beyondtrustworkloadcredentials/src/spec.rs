//! `spec.provider.beyondtrustworkloadcredentials`: its shape, its schema and the checks that need neither cluster
//! nor backend. Nothing here reads a credential.

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use lockstep_provider_kit::Address;
use lockstep_provider_kit::workload_credentials::site_address;
use schemars::JsonSchema;
use serde::Deserialize;

/// Secrets of a site of BeyondTrust Workload Credentials.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BeyondtrustworkloadcredentialsSpec {
    /// How to sign in.
    pub auth: Auth,
    /// Certificate authorities to trust, PEM in base64.
    #[serde(default)]
    pub ca_bundle: Option<CaBundle>,
    /// A Secret or ConfigMap with the certificate authorities to trust.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
    /// Folder of the secrets; the topmost where it is empty.
    #[serde(default)]
    pub folder_path: Option<String>,
    /// The server and the site on it.
    pub server: Server,
}

/// How to sign in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Auth {
    /// With an API key.
    pub apikey: ApiKey,
}

/// An API key.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct ApiKey {
    /// Key of a Secret that holds the API key.
    pub token: SecretKeySelector,
}

/// The server and the site on it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Server {
    /// Address of the API, `https` alone.
    pub api_url: String,
    /// Id of the site, a UUID.
    pub site_id: String,
}

impl BeyondtrustworkloadcredentialsSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        scope.check_strict(self.auth.apikey.token.namespace.as_deref())?;
        if is_empty(self.auth.apikey.token.name.as_deref()) {
            return Err(lacking("API Token name"));
        }
        self.address()?;
        Ok(Warnings::new())
    }

    /// The selector of the API key.
    pub(crate) fn token(&self) -> Result<&SecretKeySelector> {
        let token = &self.auth.apikey.token;
        if is_empty(token.name.as_deref()) {
            return Err(lacking("API Token name"));
        }
        if is_empty(token.key.as_deref()) {
            return Err(lacking("API Token key"));
        }
        Ok(token)
    }

    /// The address of the site.
    pub(crate) fn address(&self) -> Result<Address> {
        let server = &self.server;
        if server.api_url.is_empty() {
            return Err(lacking("Server API URL"));
        }
        if server.site_id.is_empty() {
            return Err(lacking("Server site ID"));
        }
        site_address(&server.api_url, &server.site_id)
    }

    /// The folder of the secrets.
    pub(crate) fn folder(&self) -> &str {
        self.folder_path.as_deref().unwrap_or_default()
    }
}

fn is_empty(text: Option<&str>) -> bool {
    text.is_none_or(str::is_empty)
}

fn lacking(what: &str) -> Error {
    Error::invalid_spec(format!(
        "missing or invalid BeyondtrustWorkloadCredentials {what} in BeyondtrustWorkloadCredentials SecretStore"
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(url: &str, site: &str, name: &str, scope: &Scope) -> Option<String> {
        let spec = json!({
            "auth": {"apikey": {"token": {"name": name, "key": "token"}}},
            "server": {"apiUrl": url, "siteId": site},
        });
        let spec: BeyondtrustworkloadcredentialsSpec = serde_json::from_value(spec).unwrap();
        spec.admit(scope).err().map(|error| error.to_string())
    }

    #[test]
    fn admission_names_what_is_missing() {
        let scope = Scope::Namespaced {
            namespace: "team".to_owned(),
        };
        let site = "12345678-1234-4234-8234-123456789012";
        let of = |url, site, name| refusal(url, site, name, &scope);

        assert_eq!(of("https://bt.test", site, "c"), None);
        assert!(of("", site, "c").unwrap().contains(" Server API URL in "));
        assert!(
            of("https://bt.test", "", "c")
                .unwrap()
                .contains(" Server site ID in ")
        );
        assert!(
            of("https://bt.test", site, "")
                .unwrap()
                .contains(" API Token name in ")
        );
        assert!(
            of("http://bt.test", site, "c")
                .unwrap()
                .starts_with("invalid apiUrl: ")
        );
        assert!(
            of("https://bt.test", "s", "c")
                .unwrap()
                .starts_with("invalid siteId: ")
        );
        let cluster = Scope::Cluster { caller: None };
        assert!(refusal("https://bt.test", site, "c", &cluster).is_some());
    }
}
