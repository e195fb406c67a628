//! Proofs of Google identities: an ID token of the metadata server, and a JSON web token that Google
//! signs for a service account whose key file the operator has.

use lockstep_provider_api::http::{Tls, encode_component};
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

pub mod endpoint;
pub mod exchange;
pub mod impersonation;
pub mod metadata;
mod own_id_token;
pub mod workload_identity;

pub use own_id_token::own_id_token;

/// Name of Google in `externalsecret_provider_api_calls_count`.
pub const METRIC: &str = "GCP/SecretManager";
const METADATA: &str = "http://metadata.google.internal/computeMetadata/v1";
const SIGN: &str = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts";
const TOKEN: &str = "https://oauth2.googleapis.com/token";
/// What tokens are asked for.
pub const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

/// An ID token of the operator's own service account.
pub async fn id_token(ctx: &Ctx, audience: &str) -> Result<SecretValue> {
    let what = "the metadata server of Google";
    super::check_ambient(ctx, what)?;
    let audience = encode_component(audience);
    let path = "instance/service-accounts/default/identity";
    let url = format!("{METADATA}/{path}?audience={audience}&format=full");
    let request = super::get(ctx, &url)?.header("Metadata-Flavor", "Google");
    Ok(super::ask(ctx, what, request).await?.into_secret())
}

#[derive(Deserialize)]
struct KeyFile {
    client_email: String,
    private_key: String,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Signed {
    signed_jwt: String,
}

/// A token for `audience` that Google signs for the service account of a key file.
pub async fn signed_jwt(ctx: &Ctx, key_file: &SecretValue, audience: &str) -> Result<SecretValue> {
    let key: KeyFile = serde_json::from_slice(key_file.expose())
        .map_err(|_| Error::invalid_spec("the file is no key file of a Google service account"))?;
    let access = granted(ctx, &key).await?;
    let payload = json!({ "sub": key.client_email, "aud": audience });
    sign_jwt(ctx, (&key.client_email, &access), &payload).await
}

/// Claims that Google signs for a service account, with an access token of who may sign for it.
pub async fn sign_jwt(
    ctx: &Ctx,
    (email, access): (&str, &SecretValue),
    claims: &Value,
) -> Result<SecretValue> {
    let account = encode_component(email).replace("%40", "@");
    let url = endpoint::Endpoint::IamCredentials.url(&format!("{SIGN}/{account}:signJwt"), ctx)?;
    let request = ctx.http(&Tls::default())?.post(url);
    let body = json!({ "payload": claims.to_string() });
    let request = request.bearer(access).json(&body);
    let answer = super::ask(ctx, "Google's IAM", request).await?;
    let signed: Signed = answer.json()?;
    Ok(SecretValue::from(signed.signed_jwt))
}

async fn granted(ctx: &Ctx, key: &KeyFile) -> Result<SecretValue> {
    let now = ctx.now().as_second();
    let claims = json!({
        "iss": key.client_email,
        "scope": SCOPE,
        "aud": TOKEN,
        "iat": now,
        "exp": now + 3600,
    });
    let signer = RsaKey::from_pem(&key.private_key.as_str().into())?;
    let assertion = signer.sign(&json!({ "alg": "RS256", "typ": "JWT" }), &claims)?;
    let request = ctx.http(&Tls::default())?.post(TOKEN).form(&[
        ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
        ("assertion", assertion.expose_utf8()?),
    ]);
    let granted: Granted = super::ask(ctx, "Google's token service", request)
        .await?
        .json()?;
    Ok(SecretValue::from(granted.access_token))
}
