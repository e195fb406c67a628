//! `spec.provider.dvls`: its shape, its schema and the checks that need neither cluster nor backend.
//! Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

/// Credential entries of a Devolutions Server.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DvlsSpec {
    /// How to sign in.
    pub auth: Auth,
    /// Whether an address without TLS is taken.
    #[serde(default)]
    pub insecure: Option<bool>,
    /// Address of the server.
    pub server_url: String,
    /// Name or id of the vault; without it keys are `VAULT-ID/ENTRY-ID`.
    #[serde(default)]
    pub vault: Option<String>,
}

/// How to sign in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// An application of the server.
    pub secret_ref: Application,
}

/// An application of the server.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Application {
    /// Its id.
    pub app_id: SecretKeySelector,
    /// Its secret.
    pub app_secret: SecretKeySelector,
}

impl DvlsSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        if self.server_url.is_empty() {
            return refused("serverUrl is required");
        }
        let vault = self.vault();
        if vault.trim() != vault {
            return refused("vault must not contain leading or trailing whitespace");
        }
        let Some((scheme, rest)) = self.server_url.split_once("://") else {
            return refused("serverUrl must be a valid URL with scheme and host");
        };
        let host = rest.split('/').next().unwrap_or_default();
        if scheme.is_empty() || host.is_empty() {
            return refused("serverUrl must be a valid URL with scheme and host");
        }
        match scheme {
            "https" => {}
            "http" if self.insecure.unwrap_or_default() => {}
            "http" => return refused("http URLs require 'insecure: true' to be set explicitly"),
            other => {
                return refused(&format!(
                    "serverUrl scheme must be http or https, got {other:?}"
                ));
            }
        }
        let application = &self.auth.secret_ref;
        check(&application.app_id, "appId", scope)?;
        check(&application.app_secret, "appSecret", scope)?;
        Ok(Warnings::new())
    }

    /// Name or id of the vault, or nothing.
    pub(crate) fn vault(&self) -> &str {
        self.vault.as_deref().unwrap_or_default()
    }
}

fn check(selector: &SecretKeySelector, field: &str, scope: &Scope) -> Result<()> {
    let is_empty = |text: &Option<String>| text.as_deref().unwrap_or_default().is_empty();
    if is_empty(&selector.name) {
        return refused(&format!("{field} secret name is required"));
    }
    if is_empty(&selector.key) {
        return refused(&format!("{field} secret key is required"));
    }
    let checked = scope.check_strict(selector.namespace.as_deref());
    checked.map_err(|error| error.context(format!("invalid {field}")))
}

fn refused<T>(text: &str) -> Result<T> {
    Err(Error::invalid_spec(text))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refusal(change: impl FnOnce(&mut Value), scope: &Scope) -> String {
        let key = json!({"name": "c", "key": "k"});
        let mut spec = json!({
            "serverUrl": "https://dvls.test",
            "auth": {"secretRef": {"appId": key, "appSecret": key}},
        });
        change(&mut spec);
        let spec: DvlsSpec = serde_json::from_value(spec).unwrap();
        let refused = spec.validate(scope).err();
        refused.map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn what_is_wrong_is_named() {
        let scope = Scope::Namespaced {
            namespace: "team".to_owned(),
        };
        let of = |name: &'static str, value: Value| refusal(|spec| spec[name] = value, &scope);

        assert_eq!(of("vault", json!("ops")), "");
        assert_eq!(of("serverUrl", json!("")), "serverUrl is required");
        let host = "serverUrl must be a valid URL with scheme and host";
        assert_eq!(of("serverUrl", json!("dvls.test")), host);
        let plain = "http URLs require 'insecure: true' to be set explicitly";
        assert_eq!(of("serverUrl", json!("http://dvls.test")), plain);
        let space = "vault must not contain leading or trailing whitespace";
        assert_eq!(of("vault", json!(" ops")), space);
        let name = refusal(
            |spec| spec["auth"]["secretRef"]["appId"] = json!({}),
            &scope,
        );
        assert_eq!(name, "appId secret name is required");
    }

    #[test]
    fn a_cluster_store_names_the_namespaces_of_its_secrets() {
        let scope = Scope::Cluster { caller: None };

        let text = refusal(|_| {}, &scope);

        assert_eq!(text, "invalid appId: cluster scope requires namespace");
    }
}
