//! Signature Version 4 for requests to the security token service. The secret key never leaves this
//! file.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use lockstep_provider_api::prelude::*;
use sha2::{Digest, Sha256};

const FORM: &str = "application/x-www-form-urlencoded; charset=utf-8";

/// Keys of AWS.
#[derive(Clone)]
pub(super) struct Keys {
    id: SecretValue,
    secret: SecretValue,
    /// Empty for keys without an end.
    session: SecretValue,
}

impl Keys {
    /// Keys without the line breaks that Secrets tend to end in.
    pub(super) fn new(id: &SecretValue, secret: &SecretValue, session: &SecretValue) -> Self {
        let [id, secret, session] =
            [id, secret, session].map(|part| SecretValue::from(part.expose().trim_ascii()));
        Self {
            id,
            secret,
            session,
        }
    }

    pub(super) fn identify(&self, add: &mut impl FnMut(&[u8])) {
        for part in [&self.id, &self.secret, &self.session] {
            add(part.expose());
        }
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys(***)")
    }
}

/// A form that is sent to a service of a region.
pub(super) struct Form<'a> {
    pub(super) url: &'a str,
    pub(super) region: &'a str,
    pub(super) body: &'a str,
    /// A further header that is signed too.
    pub(super) extra: Option<(&'static str, &'a str)>,
}

/// Returns the headers of a signed POST of a form, `Authorization` among them.
pub(super) fn request(
    form: &Form<'_>,
    keys: &Keys,
    now: Timestamp,
) -> Result<Vec<(&'static str, String)>> {
    let Form {
        url,
        region,
        body,
        extra,
    } = *form;
    let time = now.strftime("%Y%m%dT%H%M%SZ").to_string();
    let mut headers = vec![
        ("Content-Length", body.len().to_string()),
        ("Content-Type", FORM.to_owned()),
        ("Host", host(url)?.to_owned()),
        ("X-Amz-Date", time.clone()),
    ];
    if !keys.session.is_empty() {
        let session = keys.session.expose_utf8()?.to_owned();
        headers.push(("X-Amz-Security-Token", session));
    }
    headers.extend(extra.map(|(name, value)| (name, value.to_owned())));
    let mut signed: Vec<(String, &str)> = headers
        .iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()))
        .collect();
    signed.sort();
    let names: Vec<_> = signed.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(";");
    let lines = signed
        .iter()
        .map(|(name, value)| format!("{name}:{value}\n"));
    let lines: String = lines.collect();
    let canonical = format!(
        "POST\n/\n\n{lines}\n{names}\n{}",
        hex(&Sha256::digest(body))
    );
    let scope = format!("{}/{region}/sts/aws4_request", &time[..8]);
    let digest = hex(&Sha256::digest(canonical));
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{digest}");
    let signature = signature(&keys.secret, &time[..8], region, &text)?;
    headers.push((
        "Authorization",
        format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
            keys.id.expose_utf8()?
        ),
    ));
    Ok(headers)
}

fn host(url: &str) -> Result<&str> {
    let rest = url.split_once("://").map(|(_, rest)| rest);
    let host = rest.and_then(|rest| rest.split('/').next());
    host.filter(|host| !host.is_empty())
        .ok_or_else(|| Error::invalid_spec("the address of the security token service is no URL"))
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
