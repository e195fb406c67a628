//! `spec.provider.volcengine`: its shape, its schema and the checks that need neither cluster nor backend.
//! Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

/// Secrets in KMS of Volcengine.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct VolcengineSpec {
    /// How to sign in. Without it the operator's own role (IRSA) is taken.
    #[serde(default)]
    pub auth: Option<Auth>,
    /// Region of the secrets.
    pub region: String,
}

/// How to sign in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// With an access key.
    #[serde(default)]
    pub secret_ref: Option<SecretRef>,
}

/// An access key.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// Id of the access key.
    #[serde(rename = "accessKeyID")]
    pub access_key_id: SecretKeySelector,
    /// The secret part of the access key.
    pub secret_access_key: SecretKeySelector,
    /// The session token, for temporary keys.
    #[serde(default)]
    pub token: Option<SecretKeySelector>,
}

impl VolcengineSpec {
    /// The access key, where the store has one.
    pub(crate) fn key(&self) -> Option<&SecretRef> {
        self.auth.as_ref()?.secret_ref.as_ref()
    }

    /// Checks what a connection cannot do without.
    pub(crate) fn validate(&self) -> Result<Warnings> {
        if self.region.is_empty() {
            return Err(Error::invalid_spec("region must be specified"));
        }
        Ok(Warnings::new())
    }

    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        if self.region.is_empty() {
            return Err(Error::invalid_spec("region is required"));
        }
        let Some(auth) = &self.auth else {
            return Ok(Warnings::new());
        };
        let Some(key) = &auth.secret_ref else {
            let text = "SecretRef is required when using static credentials";
            return Err(Error::invalid_spec(text));
        };
        let named = [
            ("AccessKeyID", Some(&key.access_key_id)),
            ("SecretAccessKey", Some(&key.secret_access_key)),
            ("Token", key.token.as_ref()),
        ];
        for (name, selector) in named {
            let namespace = selector.and_then(|selector| selector.namespace.as_deref());
            let checked = scope.check_referent(namespace);
            checked.map_err(|error| error.context(format!("invalid {name}")))?;
        }
        Ok(Warnings::new())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refusal(spec: Value) -> String {
        let spec: VolcengineSpec = serde_json::from_value(spec).unwrap();
        let scope = Scope::Namespaced {
            namespace: "team".to_owned(),
        };
        spec.admit(&scope).unwrap_err().to_string()
    }

    #[test]
    fn admission_says_what_is_missing_or_foreign() {
        assert_eq!(refusal(json!({"region": ""})), "region is required");
        assert_eq!(
            refusal(json!({"region": "r", "auth": {}})),
            "SecretRef is required when using static credentials"
        );
        let foreign = json!({
            "accessKeyID": {"name": "c"},
            "secretAccessKey": {"name": "c"},
            "token": {"name": "c", "namespace": "other"},
        });
        let text = refusal(json!({"region": "r", "auth": {"secretRef": foreign}}));
        assert!(
            text.starts_with("invalid Token: namespace should"),
            "{text}"
        );
    }
}
