//! A token of the managed identity of the machine the operator runs on, and the clouds of Azure.

use lockstep_provider_api::http::encode_component;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

pub mod federated;

const URL: &str =
    "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=";

#[derive(Deserialize)]
struct Token {
    access_token: String,
}

/// A cloud of Azure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cloud {
    /// Host of Entra ID.
    pub authority: &'static str,
    /// The resource manager, with a final slash.
    pub management: &'static str,
}

impl Cloud {
    /// The public cloud.
    pub const PUBLIC: Self = Self {
        authority: "https://login.microsoftonline.com",
        management: "https://management.azure.com/",
    };
    const US_GOVERNMENT: Self = Self {
        authority: "https://login.microsoftonline.us",
        management: "https://management.usgovcloudapi.net/",
    };
    const CHINA: Self = Self {
        authority: "https://login.chinacloudapi.cn",
        management: "https://management.chinacloudapi.cn/",
    };

    /// The cloud that `AZURE_ENVIRONMENT` or `AZURE_CLOUD` names, else the public one.
    pub fn ambient(ctx: &Ctx) -> Self {
        let variables = ["AZURE_ENVIRONMENT", "AZURE_CLOUD"];
        let named = variables.into_iter().filter_map(|name| ctx.variable(name));
        let mut known = named.filter_map(|name| Self::named(&name));
        known.next().unwrap_or(Self::PUBLIC)
    }

    fn named(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "azurecloud" | "azurepubliccloud" => Some(Self::PUBLIC),
            "azureusgovernment" | "azureusgovernmentcloud" => Some(Self::US_GOVERNMENT),
            "azurechinacloud" | "azurechinacloud21vianet" => Some(Self::CHINA),
            _ => None,
        }
    }
}

/// A token for a resource, such as `https://management.azure.com/`.
pub async fn token(ctx: &Ctx, resource: &str) -> Result<SecretValue> {
    token_of(ctx, resource, None).await
}

/// As [`token`], of the identity with this object id where the machine has several.
pub async fn token_of(ctx: &Ctx, resource: &str, object: Option<&str>) -> Result<SecretValue> {
    let what = "the metadata server of Azure";
    super::check_ambient(ctx, what)?;
    let request = super::get(ctx, &format!("{URL}{}", encode_component(resource)))?;
    let request = request.query_some("object_id", object);
    let request = request.header("Metadata", "true").accept_json();
    let token: Token = super::ask(ctx, what, request).await?.json()?;
    Ok(SecretValue::from(token.access_token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clouds_are_named_in_any_case_and_unknown_ones_are_none() {
        assert_eq!(Cloud::named(" AzureCloud "), Some(Cloud::PUBLIC));
        let china = Cloud::named("AZURECHINACLOUD").unwrap();
        assert_eq!(china.authority, "https://login.chinacloudapi.cn");
        assert_eq!(Cloud::named("moon"), None);
    }
}
