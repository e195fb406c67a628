//! `spec.provider.azurekv`: its shape and its schema. Which identity is used is decided in `auth`,
//! which hosts are asked in `cloud`; nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};
use schemars::JsonSchema;
use serde::Deserialize;

mod checks;
pub(crate) use checks::vault as vault_address;

/// Azure Key Vault.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AzureSpec {
    /// How to sign in to Azure.
    #[serde(default)]
    #[schemars(extend("default" = "ServicePrincipal"))]
    pub auth_type: AuthType,
    /// Address of the vault, for example `https://my-vault.vault.azure.net`.
    pub vault_url: String,
    /// Tenant to sign in at. A service principal needs it; WorkloadIdentity may take it from the
    /// ServiceAccount.
    #[serde(default)]
    pub tenant_id: Option<String>,
    /// Cloud of Azure: host to sign in at and audience of the tokens.
    #[serde(default)]
    #[schemars(extend("default" = "PublicCloud"))]
    pub environment_type: Environment,
    /// Credentials of a service principal; for WorkloadIdentity, client id and tenant.
    #[serde(default)]
    pub auth_secret_ref: Option<Credentials>,
    /// ServiceAccount whose token is exchanged by WorkloadIdentity.
    #[serde(default)]
    pub service_account_ref: Option<ServiceAccountSelector>,
    /// Client id of the managed identity; the identity of the machine when absent.
    #[serde(default)]
    pub identity_id: Option<String>,
    /// Follows the rules of the newer of the two clients that the original operator has.
    #[serde(default, rename = "useAzureSDK")]
    #[schemars(extend("x-default" = false))]
    pub use_azure_sdk: bool,
    /// Hosts of a cloud that is none of the known ones; needs useAzureSDK.
    #[serde(default)]
    pub custom_cloud_config: Option<CustomCloud>,
}

/// How to sign in to Azure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum AuthType {
    /// With the secret or certificate of an application.
    #[default]
    ServicePrincipal,
    /// As the machine or pod, by its metadata service.
    ManagedIdentity,
    /// With the token of a ServiceAccount.
    WorkloadIdentity,
}

/// A cloud of Azure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Environment {
    /// The worldwide one.
    #[default]
    PublicCloud,
    /// That of the US government.
    USGovernmentCloud,
    /// That of 21Vianet in China.
    ChinaCloud,
    /// That of Germany, closed in 2021.
    GermanCloud,
    /// One of your own, by customCloudConfig.
    AzureStackCloud,
}

/// Credentials of an application.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Credentials {
    /// Secret key that holds the client id.
    #[serde(default)]
    pub client_id: Option<SecretKeySelector>,
    /// Secret key that holds the tenant id; only WorkloadIdentity looks at it.
    #[serde(default)]
    pub tenant_id: Option<SecretKeySelector>,
    /// Secret key that holds the client secret.
    #[serde(default)]
    pub client_secret: Option<SecretKeySelector>,
    /// Secret key that holds certificate and private key, as PEM or as PKCS#12 without a password.
    #[serde(default)]
    pub client_certificate: Option<SecretKeySelector>,
}

/// Hosts of a cloud.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomCloud {
    /// Host to sign in at.
    pub active_directory_endpoint: String,
    /// Audience of the vaults; the vault itself tells it, so this is not used.
    #[serde(default)]
    pub key_vault_endpoint: Option<String>,
    /// Suffix of the vaults' names; not used.
    #[serde(default, rename = "keyVaultDNSSuffix")]
    pub key_vault_dns_suffix: Option<String>,
    /// Resource manager; not used.
    #[serde(default)]
    pub resource_manager_endpoint: Option<String>,
}

impl AzureSpec {
    /// The tenant, where one is given and not empty.
    pub(crate) fn tenant(&self) -> Option<&str> {
        filled(self.tenant_id.as_ref())
    }

    /// The managed identity, where one is given and not empty.
    pub(crate) fn identity(&self) -> Option<&str> {
        filled(self.identity_id.as_ref())
    }

    /// Whether a credential can only be found for a caller. As upstream, a certificate or tenant
    /// alone does not make a store such.
    pub(crate) fn is_referent(&self, ctx: &Ctx) -> bool {
        let credentials = self.auth_secret_ref.as_ref();
        let keys = credentials.map(|keys| [keys.client_id.as_ref(), keys.client_secret.as_ref()]);
        let mut namespaces = keys
            .into_iter()
            .flatten()
            .flatten()
            .map(|selector| selector.namespace.as_deref());
        let account = self.service_account_ref.as_ref();
        namespaces.any(|namespace| ctx.is_referent(namespace))
            || account.is_some_and(|account| ctx.is_referent(account.namespace.as_deref()))
    }
}

fn filled(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.is_empty())
}
