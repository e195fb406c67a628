//! `spec.provider.ngrok`: its shape, its schema and the checks that need neither cluster nor backend.
//! Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_kit::Address;
use schemars::JsonSchema;
use serde::Deserialize;

/// A vault of ngrok, which secrets can be pushed to.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NgrokSpec {
    /// Address of the API.
    #[serde(default = "default_url")]
    pub api_url: Option<String>,
    /// How to sign in.
    pub auth: Auth,
    /// The vault.
    pub vault: Vault,
}

/// How to sign in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Auth {
    /// With an API key.
    #[serde(default)]
    pub api_key: Option<ApiKey>,
}

/// An API key.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKey {
    /// The key.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
}

/// A vault.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Vault {
    /// Its name.
    pub name: String,
}

const URL: &str = "https://api.ngrok.com";

#[expect(clippy::unnecessary_wraps, reason = "serde wants the field's type")]
fn default_url() -> Option<String> {
    Some(URL.to_owned())
}

impl NgrokSpec {
    /// The address of the API.
    pub(crate) fn url(&self) -> Result<Address> {
        let given = self.api_url.as_deref().filter(|url| !url.is_empty());
        let url = given.unwrap_or(URL);
        Address::new("apiUrl", url)
            .map_err(|_| Error::invalid_spec(format!("{url:?}: invalid API URL")))
    }

    /// The reference to the API key.
    pub(crate) fn key(&self) -> Result<&SecretKeySelector> {
        let key = self.auth.api_key.as_ref();
        let selector = key.and_then(|key| key.secret_ref.as_ref());
        selector.ok_or_else(|| Error::invalid_spec("ngrok provider auth APIKey is required"))
    }

    /// Checks what a connection cannot do without.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        self.admit()?;
        if scope.is_cluster() && self.key()?.namespace.is_none() {
            return Err(Error::invalid_spec("cluster store requires namespace"));
        }
        Ok(Warnings::new())
    }

    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self) -> Result<Warnings> {
        self.url()?;
        self.key()?;
        if self.vault.name.is_empty() {
            return Err(Error::invalid_spec("ngrok provider vault name is required"));
        }
        Ok(Warnings::new())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn spec(change: impl FnOnce(&mut Value)) -> NgrokSpec {
        let mut spec = json!({
            "auth": {"apiKey": {"secretRef": {"name": "c", "key": "k"}}},
            "vault": {"name": "v"},
        });
        change(&mut spec);
        serde_json::from_value(spec).unwrap()
    }

    #[test]
    fn admission_says_what_is_missing() {
        let refusal = |change: fn(&mut Value)| spec(change).admit().unwrap_err().to_string();

        assert_eq!(
            refusal(|s| s["apiUrl"] = json!("ftp://x")),
            "\"ftp://x\": invalid API URL"
        );
        assert_eq!(
            refusal(|s| s["auth"] = json!({})),
            "ngrok provider auth APIKey is required"
        );
        assert_eq!(
            refusal(|s| s["vault"]["name"] = json!("")),
            "ngrok provider vault name is required"
        );
    }

    #[test]
    fn a_cluster_store_says_where_its_key_is() {
        let scope = Scope::Cluster { caller: None };

        let error = spec(|_| {}).validate(&scope).unwrap_err();

        assert_eq!(error.to_string(), "cluster store requires namespace");
        assert!(spec(|_| {}).admit().is_ok());
    }

    #[test]
    fn the_address_has_a_default() {
        assert_eq!(
            spec(|_| {}).url().unwrap().as_str(),
            "https://api.ngrok.com"
        );
    }
}
