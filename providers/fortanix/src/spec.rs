//! `spec.provider.fortanix`: its shape, its schema and the checks that need neither cluster nor backend. Upstream
//! makes them for every connection, too. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

/// Security objects of Fortanix Data Security Manager.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FortanixSpec {
    /// The API key of an app.
    #[serde(default)]
    pub api_key: Option<ApiKey>,
    /// Address of the API; `https://sdkms.fortanix.com` where it is empty.
    #[serde(default)]
    pub api_url: Option<String>,
}

/// The API key of an app.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKey {
    /// Key of a Secret that holds the API key.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
}

impl FortanixSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        scope.check_referent(self.key()?.namespace.as_deref())?;
        Ok(Warnings::new())
    }

    /// The selector of the API key.
    pub(crate) fn key(&self) -> Result<&SecretKeySelector> {
        let missing = |what: &str| Err(Error::invalid_spec(format!("{what} is required")));
        let is_given = |text: &Option<String>| text.as_deref().is_some_and(|it| !it.is_empty());
        let Some(key) = &self.api_key else {
            return missing("apiKey");
        };
        match &key.secret_ref {
            None => missing("apiKey.secretRef"),
            Some(selector) if !is_given(&selector.name) => missing("apiKey.secretRef.name"),
            Some(selector) if !is_given(&selector.key) => missing("apiKey.secretRef.key"),
            Some(selector) => Ok(selector),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refusal(spec: Value) -> Option<String> {
        let spec: FortanixSpec = serde_json::from_value(spec).unwrap();
        let checked = spec.validate(&Scope::Cluster { caller: None });
        checked.err().map(|error| error.to_string())
    }

    #[test]
    fn what_is_missing_of_the_key_is_named() {
        let of = |key: Value| refusal(json!({ "apiKey": key }));

        assert_eq!(refusal(json!({})).unwrap(), "apiKey is required");
        assert_eq!(of(json!({})).unwrap(), "apiKey.secretRef is required");
        let name = of(json!({"secretRef": {"key": "k"}}));
        assert_eq!(name.unwrap(), "apiKey.secretRef.name is required");
        let key = of(json!({"secretRef": {"name": "n"}}));
        assert_eq!(key.unwrap(), "apiKey.secretRef.key is required");
        assert_eq!(of(json!({"secretRef": {"name": "n", "key": "k"}})), None);
    }
}
