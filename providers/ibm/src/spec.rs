//! `spec.provider.ibm`: its shape, its schema and the checks that need neither cluster nor backend.
//! Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

const DEFAULT_TOKEN: &str = "/var/run/secrets/tokens/vault-token";

/// Secrets of an instance of IBM Cloud Secrets Manager.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IbmSpec {
    /// How to sign in; exactly one.
    pub auth: Auth,
    /// Address of the instance.
    #[serde(default)]
    pub service_url: Option<String>,
}

/// How to sign in; exactly one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Auth {
    /// With the token of the operator's pod and a trusted profile.
    #[serde(default)]
    pub container_auth: Option<ContainerAuth>,
    /// With an API key.
    #[serde(default)]
    pub secret_ref: Option<SecretRef>,
}

/// A trusted profile that the operator's pod may use.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContainerAuth {
    /// Address of IAM, `https://iam.cloud.ibm.com` by default.
    #[serde(default)]
    pub iam_endpoint: Option<String>,
    /// Name of the trusted profile.
    pub profile: String,
    /// File that holds the pod's token, `/var/run/secrets/tokens/vault-token` by default.
    #[serde(default)]
    pub token_location: Option<String>,
}

/// An API key.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// Address of IAM, `https://iam.cloud.ibm.com` by default.
    #[serde(default)]
    pub iam_endpoint: Option<String>,
    /// The API key.
    #[serde(default)]
    pub secret_api_key_secret_ref: SecretKeySelector,
}

/// The way to sign in that a store takes.
pub(crate) enum Method<'a> {
    Container(&'a ContainerAuth),
    ApiKey(&'a SecretRef),
}

impl ContainerAuth {
    /// The file of the pod's token.
    pub(crate) fn file(&self) -> &str {
        let given = self.token_location.as_deref();
        given
            .filter(|path| !path.is_empty())
            .unwrap_or(DEFAULT_TOKEN)
    }
}

impl IbmSpec {
    /// The address of the instance.
    pub(crate) fn url(&self) -> Result<&str> {
        let url = self.service_url.as_deref();
        url.ok_or_else(|| Error::invalid_spec("serviceURL is required"))
    }

    /// A profile goes before an API key.
    pub(crate) fn method(&self) -> Result<Method<'_>> {
        match (&self.auth.container_auth, &self.auth.secret_ref) {
            (Some(container), _) if !container.profile.is_empty() => {
                Ok(Method::Container(container))
            }
            (_, Some(key)) => Ok(Method::ApiKey(key)),
            (Some(_), None) => {
                let text = "container auth profile cannot be empty";
                Err(Error::invalid_spec(text))
            }
            (None, None) => Err(Error::invalid_spec("missing auth method")),
        }
    }

    /// Checks what a connection cannot do without.
    pub(crate) fn validate(&self) -> Result<Warnings> {
        self.url()?;
        self.method()?;
        Ok(Warnings::new())
    }

    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        self.url()?;
        if self.auth.container_auth.is_some() && self.auth.secret_ref.is_some() {
            return Err(Error::invalid_spec("too many auth methods defined"));
        }
        if let Method::ApiKey(key) = self.method()? {
            let selector = &key.secret_api_key_secret_ref;
            scope.check_strict(selector.namespace.as_deref())?;
            if selector.name.as_deref().is_none_or(str::is_empty) {
                return Err(Error::invalid_spec("secretAPIKey.name cannot be empty"));
            }
            if selector.key.as_deref().is_none_or(str::is_empty) {
                return Err(Error::invalid_spec("secretAPIKey.key cannot be empty"));
            }
        }
        Ok(Warnings::new())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refusal(spec: Value) -> String {
        let spec: IbmSpec = serde_json::from_value(spec).unwrap();
        let scope = Scope::Namespaced {
            namespace: "team".to_owned(),
        };
        spec.admit(&scope).unwrap_err().to_string()
    }

    #[test]
    fn admission_says_what_is_missing() {
        let url = "https://h";
        let key = json!({"secretApiKeySecretRef": {"name": "c", "key": "k"}});

        assert_eq!(refusal(json!({"auth": {}})), "serviceURL is required");
        assert_eq!(
            refusal(json!({"serviceUrl": url, "auth": {}})),
            "missing auth method"
        );
        let both = json!({"secretRef": key, "containerAuth": {"profile": "p"}});
        assert_eq!(
            refusal(json!({"serviceUrl": url, "auth": both})),
            "too many auth methods defined"
        );
        let empty = json!({"containerAuth": {"profile": ""}});
        assert_eq!(
            refusal(json!({"serviceUrl": url, "auth": empty})),
            "container auth profile cannot be empty"
        );
        let nameless = json!({"secretRef": {"secretApiKeySecretRef": {}}});
        assert_eq!(
            refusal(json!({"serviceUrl": url, "auth": nameless})),
            "secretAPIKey.name cannot be empty"
        );
    }
}
