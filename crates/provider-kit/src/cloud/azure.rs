//! A token of the managed identity of the machine the operator runs on.

use lockstep_provider_api::http::encode_component;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

const URL: &str =
    "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=";

#[derive(Deserialize)]
struct Token {
    access_token: String,
}

/// A token for a resource, such as `https://management.azure.com/`.
pub async fn token(ctx: &Ctx, resource: &str) -> Result<SecretValue> {
    let what = "the metadata server of Azure";
    super::check_ambient(ctx, what)?;
    let request = super::get(ctx, &format!("{URL}{}", encode_component(resource)))?;
    let request = request.header("Metadata", "true").accept_json();
    let token: Token = super::ask(ctx, what, request).await?.json()?;
    Ok(SecretValue::from(token.access_token))
}
