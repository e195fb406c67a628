//! Proof of an identity of AWS: a `GetCallerIdentity` request, signed (Signature Version 4) and not
//! sent; Google sends it and so learns who signed. The secret key never leaves this file.

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use lockstep_provider_api::http::{Method, encode_component};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::config::CredentialSource;
use crate::auth::exchange;

#[cfg(test)]
mod tests;

const URL: &str = "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15";
const SESSION_LIFE: &str = "300";

/// Keys of AWS.
pub(super) struct Keys {
    pub(super) id: SecretValue,
    pub(super) secret: SecretValue,
    /// Empty for keys without an end.
    pub(super) session: SecretValue,
}

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
    let time = now.strftime("%Y%m%dT%H%M%SZ").to_string();
    let mut headers = vec![("host", host.to_owned()), ("x-amz-date", time.clone())];
    if !keys.session.is_empty() {
        let session = keys.session.expose_utf8()?.to_owned();
        headers.push(("x-amz-security-token", session));
    }
    headers.push(("x-goog-cloud-target-resource", audience.to_owned()));
    let names: Vec<_> = headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let lines = headers
        .iter()
        .map(|(name, value)| format!("{name}:{value}\n"));
    let lines: String = lines.collect();
    let canonical = format!(
        "POST\n/\n{query}\n{lines}\n{names}\n{}",
        hex(&Sha256::digest(""))
    );
    let scope = format!("{}/{region}/sts/aws4_request", &time[..8]);
    let digest = hex(&Sha256::digest(canonical));
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{digest}");
    let signature = signature(&keys.secret, &time[..8], region, &text)?;
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
        keys.id.expose_utf8()?
    );
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

fn signature(secret: &SecretValue, date: &str, region: &str, text: &str) -> Result<String> {
    let mut key = [b"AWS4", secret.expose()].concat();
    for part in [date, region, "sts", "aws4_request"] {
        key = keyed(&key, part)?;
    }
    Ok(hex(&keyed(&key, text)?))
}

fn keyed(key: &[u8], text: &str) -> Result<Vec<u8>> {
    let mac = Hmac::<Sha256>::new_from_slice(key);
    let mut mac = mac.map_err(|error| Error::invalid_spec(error.to_string()))?;
    mac.update(text.as_bytes());
    Ok(mac.finalize().into_bytes().to_vec())
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
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
