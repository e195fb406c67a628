//! `spec.provider.cloudrusm`: its shape, its schema and the checks that need neither cluster nor backend.
//! Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::uuid;

/// Secrets of a project in Cloud.ru Secret Manager.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CloudrusmSpec {
    /// How to sign in.
    pub auth: Auth,
    /// Id of the project that holds the secrets, a UUID.
    #[serde(default, rename = "projectID")]
    #[schemars(with = "Option<String>")]
    pub project_id: String,
}

/// How to sign in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// An access key.
    #[serde(default)]
    pub secret_ref: Option<SecretRef>,
}

/// An access key.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// Its id.
    #[serde(rename = "accessKeyIDSecretRef")]
    pub access_key_id_secret_ref: SecretKeySelector,
    /// Its secret.
    pub access_key_secret_secret_ref: SecretKeySelector,
}

impl CloudrusmSpec {
    /// Checks everything that can be checked without looking anywhere, and gives the access key.
    pub(crate) fn check(&self, scope: &Scope) -> Result<&SecretRef> {
        let given = self.secret_ref()?;
        let selectors = [
            ("accessKeyID", &given.access_key_id_secret_ref),
            ("accessKeySecret", &given.access_key_secret_secret_ref),
        ];
        for (name, selector) in selectors {
            let allowed = scope.check_referent(selector.namespace.as_deref());
            allowed
                .map_err(|error| error.context(format!("invalid spec: auth.secretRef.{name}")))?;
        }
        Ok(given)
    }

    /// The access key of a store that is complete.
    fn secret_ref(&self) -> Result<&SecretRef> {
        let refused = |text: String| Err(Error::invalid_spec(format!("invalid spec: {text}")));
        let Some(given) = &self.auth.secret_ref else {
            return refused("auth.secretRef is required".to_owned());
        };
        if self.project_id.is_empty() {
            return refused("projectID is required".to_owned());
        }
        match uuid::fault(&self.project_id) {
            None => Ok(given),
            Some(why) => refused(format!("projectID is invalid UUID: {why}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refused(spec: Value) -> String {
        let spec: CloudrusmSpec = serde_json::from_value(spec).unwrap();
        let scope = Scope::Namespaced {
            namespace: "team".to_owned(),
        };
        let checked = spec.check(&scope);
        checked
            .err()
            .map_or_else(String::new, |error| error.to_string())
    }

    fn auth(namespace: Option<&str>) -> Value {
        let selector = json!({"name": "n", "key": "k", "namespace": namespace});
        json!({"secretRef": {
            "accessKeyIDSecretRef": {"name": "n", "key": "i"},
            "accessKeySecretSecretRef": selector,
        }})
    }

    #[test]
    fn a_store_needs_an_access_key_and_a_project() {
        let project = "1111aaaa-22bb-33cc-44dd-555566667777";

        assert_eq!(
            refused(json!({"auth": auth(None), "projectID": project})),
            ""
        );
        assert_eq!(
            refused(json!({"auth": {}, "projectID": project})),
            "invalid spec: auth.secretRef is required"
        );
        assert_eq!(
            refused(json!({"auth": auth(None)})),
            "invalid spec: projectID is required"
        );
        assert_eq!(
            refused(json!({"auth": auth(None), "projectID": "shop"})),
            "invalid spec: projectID is invalid UUID: invalid UUID length: 4"
        );
        assert!(
            refused(json!({"auth": auth(Some("other")), "projectID": project}))
                .starts_with("invalid spec: auth.secretRef.accessKeySecret: ")
        );
    }
}
