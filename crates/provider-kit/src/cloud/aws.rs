//! A `GetCallerIdentity` request of AWS, signed (Signature Version 4) and not sent: who gets it sends
//! it and so learns who signed. Keys come from the environment, a web identity, the container or the
//! instance, in the order of AWS's own SDKs.

use std::collections::BTreeMap;

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use lockstep_golang::base64::{Encoding, encode};
use lockstep_provider_api::prelude::*;
use sha2::{Digest, Sha256};

mod keys;
#[cfg(test)]
mod tests;

pub use keys::{Keys, ambient};

/// Body of the request.
pub const BODY: &str = "Action=GetCallerIdentity&Version=2011-06-15";
const CONTENT_TYPE: &str = "application/x-www-form-urlencoded; charset=utf-8";

/// The signed request.
pub struct CallerIdentity {
    /// Where it goes.
    pub url: String,
    /// Its headers with the signature, in the spelling of HTTP/1.1.
    pub headers: BTreeMap<&'static str, String>,
}

/// Signs the request for a region.
pub fn caller_identity(region: &str, keys: &Keys, now: Timestamp) -> Result<CallerIdentity> {
    let host = format!("sts.{region}.amazonaws.com");
    let time = now.strftime("%Y%m%dT%H%M%SZ").to_string();
    let mut headers = BTreeMap::from([
        ("Content-Length", BODY.len().to_string()),
        ("Content-Type", CONTENT_TYPE.to_owned()),
        ("Host", host.clone()),
        ("X-Amz-Date", time.clone()),
    ]);
    if !keys.session.is_empty() {
        let session = keys.session.expose_utf8()?.to_owned();
        headers.insert("X-Amz-Security-Token", session);
    }
    let signed: BTreeMap<String, &String> = headers
        .iter()
        .map(|(name, value)| (name.to_lowercase(), value))
        .collect();
    let names: Vec<&str> = signed.keys().map(String::as_str).collect();
    let names = names.join(";");
    let lines: Vec<String> = signed
        .iter()
        .map(|(name, value)| format!("{name}:{value}\n"))
        .collect();
    let canonical = format!(
        "POST\n/\n\n{}\n{names}\n{}",
        lines.concat(),
        hex(&Sha256::digest(BODY))
    );
    let scope = format!("{}/{region}/sts/aws4_request", &time[..8]);
    let digest = hex(&Sha256::digest(canonical));
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{digest}");
    let mut key = [b"AWS4", keys.secret.expose()].concat();
    for part in [&time[..8], region, "sts", "aws4_request"] {
        key = keyed(&key, part)?;
    }
    let signature = hex(&keyed(&key, &text)?);
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
        keys.id.expose_utf8()?
    );
    headers.insert("Authorization", authorization);
    Ok(CallerIdentity {
        url: format!("https://{host}/"),
        headers,
    })
}

/// A part of the request in base64, as who gets it wants it.
pub fn encoded(part: &str) -> String {
    encode(Encoding::Standard, part)
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
