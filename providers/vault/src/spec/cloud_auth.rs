//! `spec.provider.vault.auth.gcp` and `.iam`: identities of clouds that the server believes.

use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};
use schemars::JsonSchema;
use serde::Deserialize;

/// An identity of Google.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Gcp {
    /// Location of the cluster.
    #[serde(default)]
    pub location: Option<String>,
    /// Mount of the auth method.
    #[serde(default = "gcp_mount")]
    pub path: String,
    /// Project of the identity.
    #[serde(default, rename = "projectID")]
    pub project_id: Option<String>,
    /// Role to log in as.
    pub role: String,
    /// Logs in with a service account key.
    #[serde(default)]
    pub secret_ref: Option<GcpKey>,
    /// ServiceAccount of the login.
    #[serde(default)]
    pub service_account_ref: Option<ServiceAccountSelector>,
    /// Logs in with the workload identity of a ServiceAccount.
    #[serde(default)]
    pub workload_identity: Option<GcpWorkloadIdentity>,
}

/// A service account key of Google kept in a Secret.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct GcpKey {
    /// Secret key that holds the service account key.
    #[serde(default, rename = "secretAccessKeySecretRef")]
    pub secret_access_key: SecretKeySelector,
}

/// A ServiceAccount of a GKE cluster.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GcpWorkloadIdentity {
    /// Location of the GKE cluster.
    #[serde(default)]
    pub cluster_location: Option<String>,
    /// Name of the GKE cluster.
    #[serde(default)]
    pub cluster_name: Option<String>,
    /// Project of the GKE cluster.
    #[serde(default, rename = "clusterProjectID")]
    pub cluster_project_id: Option<String>,
    /// ServiceAccount whose token is used.
    pub service_account_ref: ServiceAccountSelector,
}

/// An identity of AWS.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Iam {
    /// External id for the role of AWS.
    #[serde(default, rename = "externalID")]
    pub external_id: Option<String>,
    /// Logs in with a token of a ServiceAccount.
    #[serde(default)]
    pub jwt: Option<IamJwt>,
    /// Mount of the auth method.
    #[serde(default)]
    pub path: Option<String>,
    /// Region of AWS.
    #[serde(default)]
    pub region: Option<String>,
    /// Role of AWS to assume.
    #[serde(default)]
    pub role: Option<String>,
    /// Keys of AWS kept in Secrets.
    #[serde(default)]
    pub secret_ref: Option<IamKeys>,
    /// Value of the header X-Vault-AWS-IAM-Server-ID.
    #[serde(default, rename = "vaultAwsIamServerID")]
    pub server_id: Option<String>,
    /// Role to log in as.
    pub vault_role: String,
}

/// A ServiceAccount with a role of AWS.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IamJwt {
    /// ServiceAccount whose token is used.
    #[serde(default)]
    pub service_account_ref: Option<ServiceAccountSelector>,
}

/// Keys of AWS.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct IamKeys {
    /// Secret key that holds the access key id.
    #[serde(default, rename = "accessKeyIDSecretRef")]
    pub id: Option<SecretKeySelector>,
    /// Secret key that holds the secret access key.
    #[serde(default, rename = "secretAccessKeySecretRef")]
    pub secret: Option<SecretKeySelector>,
    /// Secret key that holds the session token.
    #[serde(default, rename = "sessionTokenSecretRef")]
    pub session: Option<SecretKeySelector>,
}

fn gcp_mount() -> String {
    "gcp".to_owned()
}

impl IamKeys {
    /// The selectors of the keys.
    pub(crate) fn all(&self) -> [Option<&SecretKeySelector>; 3] {
        [
            self.id.as_ref(),
            self.secret.as_ref(),
            self.session.as_ref(),
        ]
    }
}
