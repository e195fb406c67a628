//! Single values of an ExternalSecret, and the references shared with `dataFrom`.
//! What a key, property or version means is up to the provider.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StoreRef;
use crate::choice::choice;

/// One value and the key it is stored under.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataEntry {
    /// Key in the target.
    #[schemars(schema_with = "crate::schema::data_key")]
    pub secret_key: String,
    /// What to fetch.
    pub remote_ref: RemoteRef,
    /// Store for this entry alone, in place of secretStoreRef.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_ref: Option<Box<SourceRef>>,
}

/// A remote secret, and how its value is treated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoteRef {
    /// Name, path or id of the remote secret.
    pub key: String,
    /// Part of the remote value to take, for example a path in its JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// Version of the remote secret; the latest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Fetch reads tags or labels of the remote secret in place of its value. Default is None.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata_policy: Option<MetadataPolicy>,
    /// How characters that a key may not hold are replaced: Default by _, Unicode by _Uxxxx_.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversion_strategy: Option<ConversionStrategy>,
    /// How the value is decoded: Auto, Base64, Base64URL or None (used when absent).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoding_strategy: Option<DecodingStrategy>,
    /// Whether values with null bytes are accepted (Ignore, used when absent) or an error (Fail).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_byte_policy: Option<NullBytePolicy>,
}

choice! {
    /// Whether the value or its metadata are read.
    pub enum MetadataPolicy {
        /// The value.
        None = "None",
        /// Tags or labels of the remote secret.
        Fetch = "Fetch",
    }
}

choice! {
    /// How characters that a key may not hold are replaced.
    pub enum ConversionStrategy {
        /// By an underscore.
        Default = "Default",
        /// By the code point between `_U` and `_`.
        Unicode = "Unicode",
    }
}

choice! {
    /// How a value is decoded.
    pub enum DecodingStrategy {
        /// Standard base64, else URL base64, else unchanged.
        Auto = "Auto",
        /// Standard base64.
        Base64 = "Base64",
        /// URL base64.
        Base64Url = "Base64URL",
        /// Unchanged.
        None = "None",
    }
}

choice! {
    /// What happens to values with null bytes.
    pub enum NullBytePolicy {
        /// They are accepted.
        Ignore = "Ignore",
        /// They are an error.
        Fail = "Fail",
    }
}

/// Another source than the default store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct SourceRef {
    /// A store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_ref: Option<StoreRef>,
    /// A generator; only in dataFrom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator_ref: Option<GeneratorRef>,
}

/// Reference to a generator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GeneratorRef {
    /// API version of the generator; generators.external-secrets.io/v1alpha1 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "generators.external-secrets.io/v1alpha1"))]
    pub api_version: Option<String>,
    /// Kind of the generator.
    pub kind: GeneratorKind,
    /// Name of the generator.
    #[schemars(schema_with = "crate::schema::object_name")]
    pub name: String,
}

impl GeneratorRef {
    /// The API version in force when none is given.
    pub const API_VERSION: &'static str = "generators.external-secrets.io/v1alpha1";

    /// The API version in force.
    pub fn api_version(&self) -> &str {
        self.api_version.as_deref().unwrap_or(Self::API_VERSION)
    }
}

choice! {
    /// Kind of a generator.
    pub enum GeneratorKind {
        /// Access token of Azure Container Registry.
        AcrAccessToken = "ACRAccessToken",
        /// Dynamic secret of BeyondTrust Workload Credentials.
        BeyondtrustWorkloadCredentialsDynamicSecret = "BeyondtrustWorkloadCredentialsDynamicSecret",
        /// A generator for all namespaces.
        ClusterGenerator = "ClusterGenerator",
        /// Access token of Cloudsmith.
        CloudsmithAccessToken = "CloudsmithAccessToken",
        /// Authorization token of AWS ECR.
        EcrAuthorizationToken = "ECRAuthorizationToken",
        /// Fixed values, for tests.
        Fake = "Fake",
        /// Access token of Google Artifact Registry.
        GcrAccessToken = "GCRAccessToken",
        /// Installation token of a GitHub app.
        GithubAccessToken = "GithubAccessToken",
        /// Deploy token of GitLab.
        GitlabDeployToken = "GitlabDeployToken",
        /// Access token of Quay.
        QuayAccessToken = "QuayAccessToken",
        /// Random password.
        Password = "Password",
        /// SSH key pair.
        SshKey = "SSHKey",
        /// Session token of AWS STS.
        StsSessionToken = "STSSessionToken",
        /// Random UUID.
        Uuid = "UUID",
        /// Dynamic secret of Vault.
        VaultDynamicSecret = "VaultDynamicSecret",
        /// Values from an HTTP call.
        Webhook = "Webhook",
        /// Service account token of Grafana.
        Grafana = "Grafana",
        /// One-time password.
        Mfa = "MFA",
    }
}
