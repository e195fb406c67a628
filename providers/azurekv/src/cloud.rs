//! Hosts and audiences of the clouds of Azure. Where the operator's settings name another host to
//! sign in at, it replaces that of the public cloud; manifests of other clouds are left alone.

use lockstep_provider_api::prelude::*;

use crate::spec::{AzureSpec, Environment};

/// Set by the operator or by the webhook of AKS.
const AUTHORITY_VARIABLE: &str = "AZURE_AUTHORITY_HOST";

/// Where to sign in, and for which audience.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cloud {
    /// Host to sign in at, without a final slash.
    pub(crate) authority: String,
    pub(crate) audience: Audience,
}

/// Whom a token is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    Fixed(&'static str),
    /// The vault tells it when it is asked without a token.
    OfChallenge,
}

impl Cloud {
    /// The cloud that a manifest names.
    pub(crate) fn of(spec: &AzureSpec) -> Result<Self> {
        let (authority, audience) = match spec.environment_type {
            Environment::PublicCloud => (
                "https://login.microsoftonline.com",
                "https://vault.azure.net",
            ),
            Environment::USGovernmentCloud => (
                "https://login.microsoftonline.us",
                "https://vault.usgovcloudapi.net",
            ),
            Environment::ChinaCloud => ("https://login.chinacloudapi.cn", "https://vault.azure.cn"),
            Environment::GermanCloud if spec.use_azure_sdk => {
                return Err(Error::invalid_spec(
                    "Azure Germany (Microsoft Cloud Deutschland) was discontinued on October 29, \
                     2021. Please use AzureStackCloud with custom configuration or migrate to \
                     public cloud regions",
                ));
            }
            Environment::GermanCloud => (
                "https://login.microsoftonline.de",
                "https://vault.microsoftazure.de",
            ),
            Environment::AzureStackCloud => return Self::custom(spec),
        };
        Ok(Self {
            authority: authority.to_owned(),
            audience: Audience::Fixed(audience),
        })
    }

    fn custom(spec: &AzureSpec) -> Result<Self> {
        let Some(config) = &spec.custom_cloud_config else {
            return Err(Error::invalid_spec(
                "CustomCloudConfig is required when EnvironmentType is AzureStackCloud",
            ));
        };
        let authority = config.active_directory_endpoint.trim_end_matches('/');
        if authority.is_empty() {
            return Err(Error::invalid_spec(
                "activeDirectoryEndpoint is required in CustomCloudConfig",
            ));
        }
        if !authority.starts_with("https://") {
            return Err(Error::invalid_spec(format!(
                "customCloudConfig.activeDirectoryEndpoint {authority:?} must begin with https://"
            )));
        }
        Ok(Self {
            authority: authority.to_owned(),
            audience: Audience::OfChallenge,
        })
    }

    /// The cloud of a manifest under the operator's settings.
    pub(crate) fn with_settings(spec: &AzureSpec, ctx: &Ctx) -> Result<Self> {
        let mut cloud =
            Self::of(spec).map_err(|error| error.context("failed to get cloud configuration"))?;
        if spec.environment_type == Environment::PublicCloud
            && let Some(host) = ctx.variable(AUTHORITY_VARIABLE)
        {
            let host = host.trim_end_matches('/');
            if !host.starts_with("https://") {
                return Err(Error::invalid_spec(format!(
                    "{AUTHORITY_VARIABLE} of the operator is {host:?} and must begin with https://"
                )));
            }
            host.clone_into(&mut cloud.authority);
        }
        Ok(cloud)
    }
}
