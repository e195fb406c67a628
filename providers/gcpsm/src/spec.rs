//! `spec.provider.gcpsm`: its shape, its schema and the checks that need neither cluster nor
//! backend. Which identity is used is decided in `auth`; nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};
use schemars::JsonSchema;
use serde::Deserialize;

#[cfg(test)]
mod tests;

const NAME: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
const NAMESPACE: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

/// Google Secret Manager.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GcpsmSpec {
    /// How to log in; the environment of the operator when absent.
    #[serde(default)]
    pub auth: Option<Auth>,
    /// Location of regional secrets; global when absent.
    #[serde(default)]
    pub location: Option<String>,
    /// Project that holds the secrets.
    #[serde(default, rename = "projectID")]
    pub project_id: Option<String>,
    /// LatestOrFail reads the latest version, LatestOrFetch the newest enabled one.
    #[serde(default = "default_policy")]
    pub secret_version_selection_policy: String,
}

/// Ways to log in; the first that is given is used.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// Logs in with a service account key.
    #[serde(default)]
    pub secret_ref: Option<KeyRef>,
    /// Logs in with the workload identity of a ServiceAccount.
    #[serde(default)]
    pub workload_identity: Option<WorkloadIdentity>,
    /// Logs in with a token of another identity provider.
    #[serde(default)]
    pub workload_identity_federation: Option<Federation>,
}

/// A service account key kept in a Secret.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct KeyRef {
    /// Secret key that holds the service account key.
    #[serde(default, rename = "secretAccessKeySecretRef")]
    pub secret_access_key: SecretKeySelector,
}

/// A ServiceAccount of a GKE cluster.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadIdentity {
    /// Location of the GKE cluster; found out when absent.
    #[serde(default)]
    pub cluster_location: Option<String>,
    /// Name of the GKE cluster; found out when absent.
    #[serde(default)]
    pub cluster_name: Option<String>,
    /// Project of the GKE cluster; found out when absent.
    #[serde(default, rename = "clusterProjectID")]
    pub cluster_project_id: Option<String>,
    /// ServiceAccount whose token is used.
    pub service_account_ref: ServiceAccountSelector,
}

/// An identity from outside of Google.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Federation {
    /// Audience of the workload identity pool provider.
    #[serde(default)]
    pub audience: Option<String>,
    /// Logs in with credentials of AWS.
    #[serde(default)]
    pub aws_security_credentials: Option<AwsCredentials>,
    /// ConfigMap key that holds an external account configuration.
    #[serde(default)]
    pub cred_config: Option<ConfigMapKey>,
    /// Address that gives the token of the other identity provider.
    #[serde(default)]
    pub external_token_endpoint: Option<String>,
    /// Service account of Google to act as.
    #[serde(default)]
    #[schemars(
        length(min = 1),
        regex(pattern = r"^.*@.*\.iam\.gserviceaccount\.com$")
    )]
    pub gcp_service_account_email: Option<String>,
    /// ServiceAccount whose token is used.
    #[serde(default)]
    pub service_account_ref: Option<ServiceAccountSelector>,
}

/// Credentials of AWS kept in a Secret.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AwsCredentials {
    /// Secret that holds the credentials of AWS.
    pub aws_credentials_secret_ref: SecretName,
    /// Region of AWS.
    #[schemars(length(min = 1, max = 50), regex(pattern = r"^[a-z0-9-]+$"))]
    pub region: String,
}

/// A Secret with well-known keys.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct SecretName {
    /// Name of the object.
    #[schemars(length(min = 1, max = 253), regex(pattern = NAME))]
    pub name: String,
    /// Namespace of the object; only looked at in cluster-scoped stores and generators.
    #[serde(default)]
    #[schemars(length(min = 1, max = 63), regex(pattern = NAMESPACE))]
    pub namespace: Option<String>,
}

/// A key of a ConfigMap.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct ConfigMapKey {
    /// Key in the object.
    #[schemars(length(min = 1, max = 253), regex(pattern = r"^[-._a-zA-Z0-9]+$"))]
    pub key: String,
    /// Name of the object.
    #[schemars(length(min = 1, max = 253), regex(pattern = NAME))]
    pub name: String,
    /// Namespace of the object; only looked at in cluster-scoped stores and generators.
    #[serde(default)]
    #[schemars(length(min = 1, max = 63), regex(pattern = NAMESPACE))]
    pub namespace: Option<String>,
}

/// What is read where the latest version cannot be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SelectionPolicy {
    /// Nothing.
    #[default]
    LatestOrFail,
    /// The newest enabled version.
    LatestOrFetch,
}

fn default_policy() -> String {
    "LatestOrFail".to_owned()
}

impl GcpsmSpec {
    /// What upstream's admission webhook checks, and what cannot work with any identity.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        let auth = self.auth();
        if let Some(key) = &auth.secret_ref {
            let checked = scope.check_referent(key.secret_access_key.namespace.as_deref());
            checked.map_err(|error| error.context("invalid auth secret data"))?;
        }
        if let Some(identity) = &auth.workload_identity {
            let namespace = identity.service_account_ref.namespace.as_deref();
            let checked = scope.check_referent(namespace);
            checked.map_err(|error| {
                error.context("invalid workload identity service account reference")
            })?;
        }
        Ok(self.warnings(auth))
    }

    fn warnings(&self, auth: &Auth) -> Warnings {
        let mut warnings = Warnings::new();
        let policy = self.secret_version_selection_policy.as_str();
        if !["", "LatestOrFail", "LatestOrFetch"].contains(&policy) {
            warnings.push(format!(
                "secretVersionSelectionPolicy {policy:?} is unknown and means LatestOrFail"
            ));
        }
        let given = [
            auth.secret_ref.is_some(),
            auth.workload_identity.is_some(),
            auth.workload_identity_federation.is_some(),
        ];
        if given.into_iter().filter(|given| *given).count() > 1 {
            warnings.push(
                "auth names more than one identity; the first of secretRef, workloadIdentity and \
                 workloadIdentityFederation is used"
                    .to_owned(),
            );
        }
        warnings
    }

    pub(crate) fn auth(&self) -> &Auth {
        const NONE: &Auth = &Auth {
            secret_ref: None,
            workload_identity: None,
            workload_identity_federation: None,
        };
        self.auth.as_ref().unwrap_or(NONE)
    }

    pub(crate) fn policy(&self) -> SelectionPolicy {
        match self.secret_version_selection_policy.as_str() {
            "LatestOrFetch" => SelectionPolicy::LatestOrFetch,
            _ => SelectionPolicy::LatestOrFail,
        }
    }

    pub(crate) fn location(&self) -> Option<&str> {
        given(self.location.as_deref())
    }

    /// Whether a credential can only be found for a caller. Federation never waits for one, as
    /// upstream has it.
    pub(crate) fn is_referent(&self, ctx: &Ctx) -> bool {
        let auth = self.auth();
        let key = auth.secret_ref.as_ref().map(|key| &key.secret_access_key);
        let account = auth.workload_identity.as_ref();
        let account = account.map(|identity| &identity.service_account_ref);
        key.is_some_and(|key| ctx.is_referent(key.namespace.as_deref()))
            || account.is_some_and(|account| ctx.is_referent(account.namespace.as_deref()))
    }
}

/// A text that says something.
pub(crate) fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}
