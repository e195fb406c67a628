//! `spec.provider.previder`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

/// Secrets of a Previder Vault environment.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviderSpec {
    /// How to sign in.
    pub auth: Auth,
    /// Address of the vault; `https://vault.previder.io` unless given.
    #[serde(default)]
    pub base_uri: Option<String>,
}

/// How to sign in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Auth {
    /// A token of the environment.
    pub secret_ref: Option<SecretRef>,
}

/// A token of the environment.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// Key of a Secret that holds the token.
    pub access_token: SecretKeySelector,
}

impl PreviderSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn validate(&self) -> Result<Warnings> {
        let token = self.token()?;
        let missing = |part: &Option<String>| part.as_deref().is_none_or(str::is_empty);
        if missing(&token.name) {
            return Err(Error::invalid_spec("missing Previder accessToken name"));
        }
        if missing(&token.key) {
            return Err(Error::invalid_spec("missing Previder accessToken key"));
        }
        Ok(Warnings::new())
    }

    /// Where the token is.
    pub(crate) fn token(&self) -> Result<&SecretKeySelector> {
        match &self.auth.secret_ref {
            Some(given) => Ok(&given.access_token),
            None => Err(Error::invalid_spec("missing Previder Auth SecretRef")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(selector: Option<(&str, &str)>) -> Option<String> {
        let spec = PreviderSpec {
            auth: Auth {
                secret_ref: selector.map(|(name, key)| SecretRef {
                    access_token: SecretKeySelector {
                        name: Some(name.to_owned()),
                        key: Some(key.to_owned()),
                        ..SecretKeySelector::default()
                    },
                }),
            },
            base_uri: None,
        };
        spec.validate().err().map(|error| error.to_string())
    }

    #[test]
    fn each_missing_part_of_the_token_is_named() {
        assert_eq!(refusal(None).unwrap(), "missing Previder Auth SecretRef");
        assert_eq!(
            refusal(Some(("", "k"))).unwrap(),
            "missing Previder accessToken name"
        );
        assert_eq!(
            refusal(Some(("n", ""))).unwrap(),
            "missing Previder accessToken key"
        );
        assert_eq!(refusal(Some(("n", "k"))), None);
    }
}
