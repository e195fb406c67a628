//! `spec.provider.beyondtrustworkloadcredentials`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

/// Secrets of an Beyondtrustworkloadcredentials server.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BeyondtrustworkloadcredentialsSpec {
    /// Address of the server, for example `https://beyondtrustworkloadcredentials.example.com`.
    pub url: String,
    /// How to sign in.
    pub auth: Auth,
}

/// How to sign in.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// Key of a Secret that holds the token.
    pub token_secret_ref: SecretKeySelector,
}

impl BeyondtrustworkloadcredentialsSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        if !self.url.starts_with("https://") {
            let message =
                "spec.provider.beyondtrustworkloadcredentials.url must begin with https://";
            return Err(Error::invalid_spec(message));
        }
        scope.check_referent(self.auth.token_secret_ref.namespace.as_deref())?;
        Ok(Warnings::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_tls_is_refused() {
        let spec = BeyondtrustworkloadcredentialsSpec {
            url: "http://beyondtrustworkloadcredentials.example.com".to_owned(),
            auth: Auth {
                token_secret_ref: SecretKeySelector::default(),
            },
        };
        let scope = Scope::Cluster { caller: None };

        let error = spec.validate(&scope).unwrap_err();

        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    }
}
