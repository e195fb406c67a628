//! Proof of an identity of AWS: a `GetCallerIdentity` request, signed and not sent; Google
//! sends it and so learns who signed.

use jiff::Timestamp;
use lockstep_provider_api::http::{Method, encode_component};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::cloud::aws::{Unsigned, date};
use serde::Deserialize;
use serde_json::json;

use super::config::CredentialSource;
use crate::auth::exchange;

#[cfg(test)]
mod tests;

pub(super) use lockstep_provider_kit::cloud::aws::Keys;

const URL: &str = "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15";
const SESSION_LIFE: &str = "300";

/// The signed request as Google's token service takes it.
pub(super) fn request(
    url: &str,
    region: &str,
    keys: &Keys,
    audience: &str,
    now: Timestamp,
) -> Result<SecretValue> {
    let url = if url.is_empty() { URL } else { url };
    let url = url.replace("{region}", region);
    let (host, query) = split(&url)?;
    let mut headers = vec![("host", host.to_owned()), ("x-amz-date", date(now))];
    if !keys.session.is_empty() {
        let session = keys.session.expose_utf8()?.to_owned();
        headers.push(("x-amz-security-token", session));
    }
    headers.push(("x-goog-cloud-target-resource", audience.to_owned()));
    let unsigned = Unsigned {
        region,
        query,
        headers: &headers,
        body: "",
    };
    let authorization = unsigned.authorization(keys, now)?;
    headers.insert(0, ("Authorization", authorization));
    let headers: Vec<_> = headers
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": value }))
        .collect();
    let request = json!({ "url": url, "method": "POST", "headers": headers });
    Ok(SecretValue::from(encode_component(&request.to_string())))
}

/// Host and query of a URL without a path.
fn split(url: &str) -> Result<(&str, &str)> {
    let rest = url.strip_prefix("https://").unwrap_or_default();
    let (host, query) = rest.split_once('?').unwrap_or((rest, ""));
    let host = host.trim_end_matches('/');
    if host.is_empty() || host.contains('/') {
        return Err(Error::invalid_spec(
            "credential_source.regional_cred_verification_url must be like \
             https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15",
        ));
    }
    Ok((host, query))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RoleKeys {
    access_key_id: String,
    secret_access_key: String,
    #[serde(default)]
    token: String,
}

/// Region and keys from the metadata server of the instance the operator runs on.
pub(super) async fn surroundings(source: &CredentialSource, ctx: &Ctx) -> Result<(String, Keys)> {
    if ctx.ambient().is_none() {
        return Err(Error::invalid_spec(
            "the metadata server of AWS may not be asked here",
        ));
    }
    let session = if source.imdsv2_session_token_url.is_empty() {
        None
    } else {
        Some(ask(Method::PUT, &source.imdsv2_session_token_url, None, ctx).await?)
    };
    let session = session.as_ref();
    let zone = ask(Method::GET, &source.region_url, session, ctx).await?;
    // A zone is its region and a letter.
    let zone = zone.expose_utf8()?.trim();
    let region = zone.get(..zone.len().saturating_sub(1)).unwrap_or_default();
    let role = ask(Method::GET, &source.url, session, ctx).await?;
    let url = format!(
        "{}/{}",
        source.url,
        encode_component(role.expose_utf8()?.trim())
    );
    let keys = ask(Method::GET, &url, session, ctx).await?;
    let keys: RoleKeys = serde_json::from_slice(keys.expose())
        .map_err(|_| Error::invalid_data("the metadata server of AWS gave no keys"))?;
    let keys = Keys {
        id: keys.access_key_id.into(),
        secret: keys.secret_access_key.into(),
        session: keys.token.into(),
    };
    Ok((region.to_owned(), keys))
}

async fn ask(
    method: Method,
    url: &str,
    session: Option<&SecretValue>,
    ctx: &Ctx,
) -> Result<SecretValue> {
    let mut request = exchange::client(ctx)?.request(method.clone(), url);
    if method == Method::PUT {
        request = request.header("X-aws-ec2-metadata-token-ttl-seconds", SESSION_LIFE);
    }
    if let Some(session) = session {
        request = request.secret_header("X-aws-ec2-metadata-token", session);
    }
    let what = "the metadata server of AWS";
    let answer = exchange::within(exchange::PATIENCE, what, request.send(), ctx).await?;
    match exchange::refusal(&answer) {
        None => Ok(answer.into_secret()),
        Some(refusal) => {
            let text = format!("{what} answered {}", refusal.status);
            Err(refusal.error(text, &answer))
        }
    }
}
