//! Volcengine's signature: HMAC-SHA256 over the request, with a key made of the day, the region and the
//! service. Sets every header that it signs.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use jiff::Timestamp;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::auth::Request;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

const ALGORITHM: &str = "HMAC-SHA256";
const SERVICE: &str = "kms";
const END: &str = "request";
const DATE: HeaderName = HeaderName::from_static("x-date");
const HASH: HeaderName = HeaderName::from_static("x-content-sha256");
const TOKEN: HeaderName = HeaderName::from_static("x-security-token");

/// An access key, temporary where it has a token.
pub(super) struct Keys {
    id: String,
    secret: SecretValue,
    token: Option<String>,
}

/// Keys as one value for the token cache.
#[derive(Serialize, Deserialize)]
struct Packed {
    id: String,
    secret: String,
    token: Option<String>,
}

impl Keys {
    /// Keys as Secrets hold them; a final line break does not belong to them.
    pub(super) fn new(
        id: &SecretValue,
        secret: &SecretValue,
        token: Option<&SecretValue>,
    ) -> Result<Self> {
        let text = |value: &SecretValue| {
            let value = SecretValue::from(value.without_final_newline());
            value.expose_utf8().map(str::to_owned)
        };
        let token = token.map(text).transpose()?;
        Ok(Self {
            id: text(id)?,
            secret: SecretValue::from(secret.without_final_newline()),
            token: token.filter(|token| !token.is_empty()),
        })
    }

    /// Keys as one value.
    pub(super) fn packed(id: String, secret: String, token: String) -> Result<SecretValue> {
        let packed = Packed {
            id,
            secret,
            token: Some(token).filter(|token| !token.is_empty()),
        };
        let text = serde_json::to_vec(&packed)
            .map_err(|_| Error::invalid_data("the keys of the role have no JSON form"))?;
        Ok(SecretValue::new(text))
    }

    /// The opposite of [`Self::packed`].
    pub(super) fn unpack(held: &SecretValue) -> Result<Self> {
        let packed: Packed = serde_json::from_slice(held.expose())
            .map_err(|_| Error::invalid_data("the keys of the role cannot be read"))?;
        Ok(Self {
            id: packed.id,
            secret: SecretValue::from(packed.secret),
            token: packed.token,
        })
    }

    /// Signs a request to KMS in a region.
    pub(super) fn sign(&self, request: &mut Request, region: &str, at: Timestamp) -> Result<()> {
        let moment = at.strftime("%Y%m%dT%H%M%SZ").to_string();
        let day = at.strftime("%Y%m%d").to_string();
        let hash = hex(&Sha256::digest(request.body()));
        let host = request.uri().authority().map(ToString::to_string);
        set(request, HOST, &host.unwrap_or_default())?;
        set(request, DATE, &moment)?;
        set(request, HASH, &hash)?;
        let mut names = vec![CONTENT_TYPE, HOST, HASH, DATE];
        if let Some(token) = &self.token {
            set(request, TOKEN, token)?;
            names.push(TOKEN);
        }
        let listed = names.iter().map(HeaderName::as_str).collect::<Vec<_>>();
        let listed = listed.join(";");
        let canonical = canonical(request, &names, &listed, &hash);
        let scope = format!("{day}/{region}/{SERVICE}/{END}");
        let hashed = hex(&Sha256::digest(canonical));
        let text = format!("{ALGORITHM}\n{moment}\n{scope}\n{hashed}");
        let mut key = self.secret.expose().to_vec();
        for part in [day.as_str(), region, SERVICE, END] {
            key = mac(&key, part);
        }
        let signature = hex(&mac(&key, &text));
        let id = &self.id;
        let value = format!(
            "{ALGORITHM} Credential={id}/{scope}, SignedHeaders={listed}, Signature={signature}"
        );
        set(request, AUTHORIZATION, &value)
    }
}

fn canonical(request: &Request, names: &[HeaderName], listed: &str, hash: &str) -> String {
    let mut pairs: Vec<&str> = request
        .uri()
        .query()
        .unwrap_or_default()
        .split('&')
        .collect();
    pairs.sort_unstable();
    let lines = names.iter().map(|name| {
        let value = request.headers().get(name);
        let value = value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        format!("{name}:{}\n", value.trim())
    });
    format!(
        "{}\n{}\n{}\n{}\n{listed}\n{hash}",
        request.method(),
        request.uri().path(),
        pairs.join("&"),
        lines.collect::<String>(),
    )
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    // A key of any length is taken.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return Vec::new();
    };
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

fn set(request: &mut Request, name: HeaderName, value: &str) -> Result<()> {
    let mut header = HeaderValue::from_str(value).map_err(|_| {
        Error::invalid_spec("the access key has characters that a header cannot have")
    })?;
    header.set_sensitive(name == AUTHORIZATION || name == TOKEN);
    request.headers_mut().insert(name, header);
    Ok(())
}
