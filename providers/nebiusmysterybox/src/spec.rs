//! `spec.provider.nebiusmysterybox`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain;

/// Secrets of Nebius MysteryBox.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NebiusmysteryboxSpec {
    /// Domain of the API, such as `api.eu.nebius.cloud:443`.
    pub api_domain: String,
    /// How to sign in; exactly one.
    pub auth: Auth,
    /// Whom to trust in place of the public authorities.
    #[serde(default)]
    pub ca_provider: Option<CaSecret>,
}

/// How to sign in; exactly one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "message": "either serviceAccountCredsSecretRef or tokenSecretRef must be set",
    "rule": "has(self.serviceAccountCredsSecretRef) || has(self.tokenSecretRef)",
}]))]
pub struct Auth {
    /// Credentials of a service account, JSON.
    #[serde(default)]
    pub service_account_creds_secret_ref: Option<SecretKeySelector>,
    /// An access token.
    #[serde(default)]
    pub token_secret_ref: Option<SecretKeySelector>,
}

/// Certificate authorities in a Secret.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaSecret {
    /// The authorities, PEM.
    #[serde(default)]
    pub cert_secret_ref: Option<SecretKeySelector>,
}

/// Which credentials a store has.
pub(crate) enum Given<'a> {
    Token(&'a SecretKeySelector),
    Account(&'a SecretKeySelector),
}

/// A selector that names a Secret.
fn named(selector: Option<&SecretKeySelector>) -> Option<&SecretKeySelector> {
    selector.filter(|selector| !is_empty(selector.name.as_deref()))
}

fn is_empty(text: Option<&str>) -> bool {
    text.is_none_or(str::is_empty)
}

impl Auth {
    /// The credentials that are taken; a token first, where both are named.
    pub(crate) fn given(&self) -> Result<Given<'_>> {
        let token = named(self.token_secret_ref.as_ref()).map(Given::Token);
        let account = named(self.service_account_creds_secret_ref.as_ref()).map(Given::Account);
        token
            .or(account)
            .ok_or_else(|| Error::invalid_spec("invalid auth configuration: none provided"))
    }

    fn validate(&self) -> Result<&SecretKeySelector> {
        let both = named(self.token_secret_ref.as_ref())
            .and(named(self.service_account_creds_secret_ref.as_ref()));
        if both.is_some() {
            let text = "invalid auth configuration: exactly one must be specified";
            return Err(Error::invalid_spec(text));
        }
        let (kind, selector) = match self.given()? {
            Given::Token(selector) => ("token", selector),
            Given::Account(selector) => ("ServiceAccount creds", selector),
        };
        if is_empty(selector.key.as_deref()) {
            return Err(Error::invalid_spec(format!(
                "invalid {kind} auth configuration: no secret key specified"
            )));
        }
        Ok(selector)
    }
}

impl CaSecret {
    pub(crate) fn selector(&self) -> SecretKeySelector {
        self.cert_secret_ref.clone().unwrap_or_default()
    }

    fn validate(&self) -> Result<SecretKeySelector> {
        let selector = self.selector();
        for (part, value) in [("name", &selector.name), ("key", &selector.key)] {
            if is_empty(value.as_deref()) {
                return Err(Error::invalid_spec(format!(
                    "invalid certificate configuration: no {part} specified"
                )));
            }
        }
        Ok(selector)
    }
}

impl NebiusmysteryboxSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        domain::validate(&self.api_domain)?;
        let mut selectors = vec![self.auth.validate()?.clone()];
        if let Some(provider) = &self.ca_provider {
            selectors.push(provider.validate()?);
        }
        for selector in selectors {
            scope.check_strict(selector.namespace.as_deref())?;
        }
        Ok(Warnings::new())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refused(auth: Value, ca: Value) -> String {
        let spec = json!({"apiDomain": "api.test.cloud", "auth": auth, "caProvider": ca});
        let spec: NebiusmysteryboxSpec = serde_json::from_value(spec).unwrap();
        let validated = spec.validate(&Scope::Cluster { caller: None });
        validated
            .err()
            .map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn exactly_one_complete_identity_with_a_namespace_is_taken() {
        let whole = json!({"name": "n", "key": "k", "namespace": "s"});
        let token = |selector: &Value| json!({ "tokenSecretRef": selector });
        let both = json!({"tokenSecretRef": whole, "serviceAccountCredsSecretRef": whole});

        assert_eq!(refused(token(&whole), Value::Null), "");
        assert_eq!(
            refused(json!({}), Value::Null),
            "invalid auth configuration: none provided"
        );
        assert_eq!(
            refused(both, Value::Null),
            "invalid auth configuration: exactly one must be specified"
        );
        assert_eq!(
            refused(token(&json!({"name": "n"})), Value::Null),
            "invalid token auth configuration: no secret key specified"
        );
        assert_eq!(
            refused(token(&json!({"name": "n", "key": "k"})), Value::Null),
            "cluster scope requires namespace"
        );
    }

    #[test]
    fn an_authority_needs_name_and_key() {
        let auth = json!({"tokenSecretRef": {"name": "n", "key": "k", "namespace": "s"}});
        let ca = |selector: Value| json!({ "certSecretRef": selector });

        assert_eq!(
            refused(auth.clone(), ca(json!({"key": "k"}))),
            "invalid certificate configuration: no name specified"
        );
        assert_eq!(
            refused(auth, ca(json!({"name": "n"}))),
            "invalid certificate configuration: no key specified"
        );
    }
}
