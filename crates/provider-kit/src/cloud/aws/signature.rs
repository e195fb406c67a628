//! Signature Version 4 of a POST to the security token service of AWS. The one place that derives a key
//! from a secret access key; what the request is for is decided by its caller.

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use lockstep_provider_api::prelude::*;
use sha2::{Digest, Sha256};

use super::Keys;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// A request to sign. Its path is `/`.
#[derive(Debug)]
pub struct Unsigned<'a> {
    /// Region of the service.
    pub region: &'a str,
    /// Query, sorted and encoded; empty for none.
    pub query: &'a str,
    /// Headers to sign, with `Host` and `X-Amz-Date`, in any spelling and order.
    pub headers: &'a [(&'static str, String)],
    /// Body.
    pub body: &'a str,
}

/// Value of `X-Amz-Date`.
pub fn date(now: Timestamp) -> String {
    now.strftime("%Y%m%dT%H%M%SZ").to_string()
}

impl Unsigned<'_> {
    /// Value of `Authorization`. `now` is the moment that `X-Amz-Date` names.
    pub fn authorization(&self, keys: &Keys, now: Timestamp) -> Result<String> {
        let mut headers: Vec<(String, &str)> = self
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()))
            .collect();
        headers.sort();
        let names: Vec<_> = headers.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(";");
        let lines = headers
            .iter()
            .map(|(name, value)| format!("{name}:{value}\n"));
        let lines: String = lines.collect();
        let canonical = format!(
            "POST\n/\n{}\n{lines}\n{names}\n{}",
            self.query,
            hex(&Sha256::digest(self.body))
        );
        let time = date(now);
        let scope = [&time[..8], self.region, "sts", "aws4_request"];
        let key = signing_key(&keys.secret, &scope)?;
        let scope = scope.join("/");
        let digest = hex(&Sha256::digest(canonical));
        let text = format!("{ALGORITHM}\n{time}\n{scope}\n{digest}");
        let signature = hex(&keyed(&key, &text)?);
        let id = keys.id.expose_utf8()?;
        Ok(format!(
            "{ALGORITHM} Credential={id}/{scope}, SignedHeaders={names}, Signature={signature}"
        ))
    }
}

pub(super) fn signing_key(secret: &SecretValue, scope: &[&str]) -> Result<Vec<u8>> {
    let first = [b"AWS4", secret.expose()].concat();
    scope.iter().try_fold(first, |key, part| keyed(&key, part))
}

fn keyed(key: &[u8], text: &str) -> Result<Vec<u8>> {
    let mac = Hmac::<Sha256>::new_from_slice(key);
    let mut mac = mac.map_err(|error| Error::invalid_spec(error.to_string()))?;
    mac.update(text.as_bytes());
    Ok(mac.finalize().into_bytes().to_vec())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
