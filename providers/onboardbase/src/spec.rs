//! `spec.provider.onboardbase`: its shape, its schema and the checks that need neither cluster nor backend.
//! Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

/// Secrets of an environment of an Onboardbase project.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("required" = ["apiHost", "auth", "environment", "project"]))]
pub struct OnboardbaseSpec {
    /// Address of the API.
    #[serde(default = "default_host")]
    pub api_host: String,
    /// How to sign in.
    pub auth: Auth,
    /// The environment.
    #[serde(default = "default_name")]
    pub environment: String,
    /// The project.
    #[serde(default = "default_name")]
    pub project: String,
}

/// An API key with the passcode that values are encrypted with.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// The API key.
    pub api_key_ref: SecretKeySelector,
    /// The passcode.
    pub passcode_ref: SecretKeySelector,
}

fn default_host() -> String {
    "https://public.onboardbase.com/api/v1/".to_owned()
}

fn default_name() -> String {
    "development".to_owned()
}

impl Auth {
    /// Where the passcode is: beside the API key, unless its own reference says otherwise. Upstream always
    /// looks there.
    pub(crate) fn passcode_selector(&self) -> SecretKeySelector {
        let (key, passcode) = (&self.api_key_ref, &self.passcode_ref);
        let given = |own: &Option<String>| own.clone().filter(|text| !text.is_empty());
        SecretKeySelector {
            name: given(&passcode.name).or_else(|| key.name.clone()),
            namespace: given(&passcode.namespace).or_else(|| key.namespace.clone()),
            key: passcode.key.clone(),
        }
    }
}

impl OnboardbaseSpec {
    /// Checks what upstream checks when it connects.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        let key = &self.auth.api_key_ref;
        let refused = |text: &str| Err(Error::invalid_spec(text));
        if key.name.as_deref().is_none_or(str::is_empty) {
            return refused("missing auth.secretRef.onboardbaseAPIKey.name");
        }
        if scope.is_cluster() && key.namespace.is_none() {
            return refused("missing auth.secretRef.onboardbaseAPIKey.namespace");
        }
        Ok(Warnings::new())
    }

    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        let named = [
            ("onboardbaseAPIKey", &self.auth.api_key_ref),
            ("onboardbasePasscode", &self.auth.passcode_ref),
        ];
        for (name, selector) in named {
            let checked = scope.check_strict(selector.namespace.as_deref());
            checked.map_err(|error| error.context("invalid store"))?;
            if selector.name.as_deref().is_none_or(str::is_empty) {
                return Err(Error::invalid_spec(format!(
                    "invalid store: {name}.name cannot be empty"
                )));
            }
        }
        Ok(Warnings::new())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn spec(auth: Value) -> OnboardbaseSpec {
        serde_json::from_value(json!({ "auth": auth })).unwrap()
    }

    #[test]
    fn admission_names_the_reference_that_is_wrong() {
        let scope = Scope::Namespaced {
            namespace: "team".to_owned(),
        };
        let refusal = |auth| spec(auth).admit(&scope).unwrap_err().to_string();

        assert_eq!(
            refusal(json!({"apiKeyRef": {}, "passcodeRef": {}})),
            "invalid store: onboardbaseAPIKey.name cannot be empty"
        );
        assert_eq!(
            refusal(json!({"apiKeyRef": {"name": "c"}, "passcodeRef": {}})),
            "invalid store: onboardbasePasscode.name cannot be empty"
        );
    }

    #[test]
    fn the_passcode_is_beside_the_key_unless_it_says_otherwise() {
        let of = |passcode: Value| {
            let key = json!({"name": "c", "namespace": "n", "key": "k"});
            let spec = spec(json!({"apiKeyRef": key, "passcodeRef": passcode}));
            let found = spec.auth.passcode_selector();
            [found.namespace, found.name, found.key].map(Option::unwrap_or_default)
        };

        assert_eq!(of(json!({"key": "p"})), ["n", "c", "p"]);
        assert_eq!(of(json!({"key": "p", "name": "d"})), ["n", "d", "p"]);
        let own = json!({"key": "p", "name": "d", "namespace": "m"});
        assert_eq!(of(own), ["m", "d", "p"]);
    }

    #[test]
    fn project_and_environment_are_development_unless_given() {
        let spec = spec(json!({"apiKeyRef": {"name": "c"}, "passcodeRef": {"name": "c"}}));
        let cluster = Scope::Cluster { caller: None };

        assert_eq!(spec.project, "development");
        assert_eq!(spec.environment, "development");
        let error = spec.validate(&cluster).unwrap_err();
        assert_eq!(
            error.to_string(),
            "missing auth.secretRef.onboardbaseAPIKey.namespace"
        );
    }
}
