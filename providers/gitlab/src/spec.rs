//! `spec.provider.gitlab`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use schemars::JsonSchema;
use serde::Deserialize;

/// CI/CD variables of a GitLab project and its groups.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitlabSpec {
    /// How to sign in.
    pub auth: Auth,
    /// Certificate authorities to trust, PEM in base64.
    #[serde(default)]
    pub ca_bundle: Option<CaBundle>,
    /// A Secret or ConfigMap with the certificate authorities to trust.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
    /// Environment scope of the variables; those of all environments where it is empty.
    #[serde(default)]
    pub environment: Option<String>,
    /// Groups to read from when the project lacks a variable, the last one first.
    #[serde(rename = "groupIDs", default)]
    pub group_ids: Option<Vec<String>>,
    /// Whether to read from all groups that the project is in.
    #[serde(default)]
    pub inherit_from_groups: Option<bool>,
    /// Id or path of the project.
    #[serde(rename = "projectID", default)]
    pub project_id: Option<String>,
    /// Address of the server; gitlab.com where it is empty.
    #[serde(default)]
    pub url: Option<String>,
}

/// How to sign in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Auth {
    /// Where the token is.
    #[serde(rename = "SecretRef")]
    pub secret_ref: SecretRef,
}

/// Where the token is.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// A personal, group or project access token.
    #[serde(default)]
    pub access_token: SecretKeySelector,
}

impl GitlabSpec {
    /// Checks what a connection needs: a store without project and groups is ready upstream.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        let token = &self.auth.secret_ref.access_token;
        scope.check_strict(token.namespace.as_deref())?;
        Ok(Warnings::new())
    }

    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        let warnings = self.validate(scope)?;
        let token = &self.auth.secret_ref.access_token;
        let refused = |text: &str| Err(Error::invalid_spec(text));
        if self.project().is_empty() && self.groups().is_empty() {
            return refused("projectID and groupIDs must not both be empty");
        }
        if self.inherits() && !self.groups().is_empty() {
            return refused("defining groupIDs and inheritFromGroups = true is not allowed");
        }
        if token.key.as_deref().unwrap_or_default().is_empty() {
            return refused("accessToken.key cannot be empty");
        }
        if token.name.as_deref().unwrap_or_default().is_empty() {
            return refused("accessToken.name cannot be empty");
        }
        Ok(warnings)
    }

    pub(crate) fn project(&self) -> &str {
        self.project_id.as_deref().unwrap_or_default()
    }

    pub(crate) fn groups(&self) -> &[String] {
        self.group_ids.as_deref().unwrap_or_default()
    }

    pub(crate) fn inherits(&self) -> bool {
        self.inherit_from_groups.unwrap_or_default()
    }

    /// The environment; empty means that none is asked for.
    pub(crate) fn environment(&self) -> &str {
        self.environment.as_deref().unwrap_or_default()
    }
}

/// Whether an environment scope means every environment.
pub(crate) fn is_any(environment: &str) -> bool {
    environment.is_empty() || environment == "*"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(change: impl FnOnce(&mut GitlabSpec)) -> Option<String> {
        let mut spec = GitlabSpec {
            project_id: Some("42".to_owned()),
            ..GitlabSpec::default()
        };
        spec.auth.secret_ref.access_token = SecretKeySelector {
            name: Some("creds".to_owned()),
            key: Some("token".to_owned()),
            namespace: None,
        };
        change(&mut spec);
        let scope = Scope::Namespaced {
            namespace: "n".to_owned(),
        };
        spec.admit(&scope).err().map(|error| error.to_string())
    }

    #[test]
    fn a_store_needs_a_project_or_groups_and_a_whole_token_reference() {
        assert_eq!(refusal(|_| {}), None);
        let neither = refusal(|spec| spec.project_id = None).unwrap();
        assert_eq!(neither, "projectID and groupIDs must not both be empty");
        let both = refusal(|spec| {
            spec.group_ids = Some(vec!["1".to_owned()]);
            spec.inherit_from_groups = Some(true);
        });
        assert!(both.unwrap().starts_with("defining groupIDs"));
        let keyless = refusal(|spec| spec.auth.secret_ref.access_token.key = None);
        assert_eq!(keyless.unwrap(), "accessToken.key cannot be empty");
    }
}
