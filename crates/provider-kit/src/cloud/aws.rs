//! A `GetCallerIdentity` request of AWS, signed and not sent: who gets it sends it and so learns who
//! signed. Keys come from the environment, a web identity, the container or the
//! instance, in the order of AWS's own SDKs.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lockstep_golang::base64::{Encoding, encode};
use lockstep_provider_api::prelude::*;

mod keys;
mod signature;
#[cfg(test)]
mod tests;

pub use keys::{Keys, ambient};
pub use signature::{Unsigned, date};

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
    let url = format!("https://sts.{region}.amazonaws.com/");
    let form = Form {
        url: &url,
        region,
        body: BODY,
        extra: None,
    };
    let headers = form.signed(keys, now)?.into_iter().collect();
    Ok(CallerIdentity { url, headers })
}

/// A form for the service of a region.
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    /// Address, with the path `/`.
    pub url: &'a str,
    /// Region of the service.
    pub region: &'a str,
    /// The form.
    pub body: &'a str,
    /// A further header that is signed too.
    pub extra: Option<(&'static str, &'a str)>,
}

impl Form<'_> {
    /// The headers of a signed POST, `Authorization` among them.
    pub fn signed(&self, keys: &Keys, now: Timestamp) -> Result<Vec<(&'static str, String)>> {
        let mut headers = vec![
            ("Content-Length", self.body.len().to_string()),
            ("Content-Type", CONTENT_TYPE.to_owned()),
            ("Host", host(self.url)?.to_owned()),
            ("X-Amz-Date", date(now)),
        ];
        if !keys.session.is_empty() {
            let session = keys.session.expose_utf8()?.to_owned();
            headers.push(("X-Amz-Security-Token", session));
        }
        headers.extend(self.extra.map(|(name, value)| (name, value.to_owned())));
        let unsigned = Unsigned {
            region: self.region,
            query: "",
            headers: &headers,
            body: self.body,
        };
        let authorization = unsigned.authorization(keys, now)?;
        headers.push(("Authorization", authorization));
        Ok(headers)
    }
}

fn host(url: &str) -> Result<&str> {
    let rest = url.split_once("://").map(|(_, rest)| rest);
    let host = rest.and_then(|rest| rest.split('/').next());
    host.filter(|host| !host.is_empty())
        .ok_or_else(|| Error::invalid_spec("the address of the security token service is no URL"))
}

/// A part of the request in base64, as who gets it wants it.
pub fn encoded(part: &str) -> String {
    encode(Encoding::Standard, part)
}
