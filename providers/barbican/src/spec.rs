//! `spec.provider.barbican`: its shape, its schema and the checks that need neither cluster nor backend.
//! Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_kit::SecretOrValue;
use schemars::JsonSchema;
use serde::Deserialize;

/// Secrets of OpenStack's key manager.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BarbicanSpec {
    /// How to sign in to Keystone.
    pub auth: Auth,
    /// Address of Keystone, with or without its version.
    #[serde(rename = "authURL", default)]
    pub auth_url: Option<String>,
    /// Domain of the user and of the project, by name.
    #[serde(default)]
    pub domain_name: Option<String>,
    /// Region of the key manager; the first in the catalog where it is empty.
    #[serde(default)]
    pub region: Option<String>,
    /// Project, by name.
    #[serde(default)]
    pub tenant_name: Option<String>,
}

/// How to sign in to Keystone.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Auth {
    /// The password.
    pub password: Password,
    /// The user name: a value or a reference.
    #[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
    pub username: SecretOrValue,
}

/// The password.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Password {
    /// Key of a Secret that holds the password.
    pub secret_ref: SecretKeySelector,
}

impl BarbicanSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        self.address()?;
        if !self.auth.has_user() {
            return Err(lacking("auth.username requires either value or secretRef"));
        }
        for selector in self.auth.selectors() {
            let checked = scope.check_strict(selector.namespace.as_deref());
            checked.map_err(|error| error.context("barbican provider error"))?;
        }
        Ok(Warnings::new())
    }

    /// The address of Keystone.
    pub(crate) fn address(&self) -> Result<&str> {
        let url = self.auth_url.as_deref().filter(|url| !url.is_empty());
        url.ok_or_else(|| lacking("authURL is required"))
    }
}

impl Auth {
    fn has_user(&self) -> bool {
        let inline = self.username.value.as_deref().unwrap_or_default();
        !inline.is_empty() || self.username.secret_ref.is_some()
    }

    /// All references to Secrets.
    pub(crate) fn selectors(&self) -> impl Iterator<Item = &SecretKeySelector> {
        let user = self.username.secret_ref.iter();
        user.chain([&self.password.secret_ref])
    }
}

fn lacking(what: &str) -> Error {
    Error::invalid_spec(format!("barbican provider missing required field: {what}"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refusal(spec: Value, scope: &Scope) -> Option<String> {
        let spec: BarbicanSpec = serde_json::from_value(spec).unwrap();
        spec.admit(scope).err().map(|error| error.to_string())
    }

    #[test]
    fn admission_names_what_is_missing() {
        let scope = Scope::Namespaced {
            namespace: "team".to_owned(),
        };
        let password = json!({"secretRef": {"name": "c", "key": "p"}});
        let spec = |url: &str, user: &str| {
            let auth = json!({"username": {"value": user}, "password": password});
            json!({"authURL": url, "auth": auth})
        };

        assert_eq!(refusal(spec("https://k/v3", "u"), &scope), None);
        assert_eq!(
            refusal(spec("", "u"), &scope).unwrap(),
            "barbican provider missing required field: authURL is required"
        );
        assert_eq!(
            refusal(spec("https://k/v3", ""), &scope).unwrap(),
            "barbican provider missing required field: auth.username requires either value or secretRef"
        );
        let cluster = Scope::Cluster { caller: None };
        assert_eq!(
            refusal(spec("https://k/v3", "u"), &cluster).unwrap(),
            "barbican provider error: cluster scope requires namespace"
        );
    }
}
