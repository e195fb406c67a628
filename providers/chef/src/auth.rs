//! The signature on every request, protocol 1.0: method, path, body, time and user, hashed with SHA-1 where
//! they may be long, signed with the user's key and sent in headers of 60 characters.

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use http::{HeaderMap, HeaderName, HeaderValue};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Authenticator;
use lockstep_provider_kit::auth::Request;
use lockstep_provider_kit::base64::{Encoding, encode};
use sha1::{Digest as _, Sha1};

use crate::key::Key;

/// Characters of a signature in one header.
const LINE: usize = 60;
/// The version of Chef's client that upstream says it is.
const CLIENT: &str = "14.0.0";

/// Signs as a user.
pub(crate) struct Signer {
    ctx: Ctx,
    user: String,
    key: Key,
}

impl Signer {
    pub(crate) fn new(ctx: Ctx, user: &str, key: Key) -> Self {
        Self {
            ctx,
            user: user.to_owned(),
            key,
        }
    }

    fn sign(&self, request: &mut Request) -> Result<()> {
        let time = self.ctx.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let content = hash(request.body());
        let path = hash(cleaned(request.uri().path()).as_bytes());
        let method = request.method();
        let user = &self.user;
        let text = format!(
            "Method:{method}\nHashed Path:{path}\nX-Ops-Content-Hash:{content}\nX-Ops-Timestamp:{time}\nX-Ops-UserId:{user}"
        );
        let signature = encode(Encoding::Standard, self.key.sign(&text)?);
        let headers = request.headers_mut();
        set(headers, "accept", "application/json")?;
        set(headers, "x-chef-version", CLIENT)?;
        set(headers, "x-ops-server-api-version", "1")?;
        set(headers, "x-ops-sign", "algorithm=sha1;version=1.0")?;
        set(headers, "x-ops-userid", user)?;
        set(headers, "x-ops-timestamp", &time)?;
        set(headers, "x-ops-content-hash", &content)?;
        let mut rest = signature.as_str();
        for number in 1.. {
            let (line, left) = rest.split_at(rest.len().min(LINE));
            set(headers, &format!("x-ops-authorization-{number}"), line)?;
            if left.is_empty() {
                break;
            }
            rest = left;
        }
        Ok(())
    }
}

impl Authenticator for Signer {
    fn authorize<'a>(
        &'a self,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<Option<SecretValue>>> {
        ready(self.sign(request).map(|()| None)).boxed()
    }
}

fn hash(bytes: &[u8]) -> String {
    encode(Encoding::Standard, Sha1::digest(bytes))
}

fn set(headers: &mut HeaderMap, name: &str, value: &str) -> Result<()> {
    let name = HeaderName::try_from(name);
    let value = HeaderValue::from_str(value);
    let (Ok(name), Ok(value)) = (name, value) else {
        return Err(Error::invalid_spec(
            "the user name has characters that a header cannot have",
        ));
    };
    headers.insert(name, value);
    Ok(())
}

/// The path as the server hashes it: decoded, without empty segments and without a slash at its end.
fn cleaned(path: &str) -> String {
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    let segments: Vec<String> = segments.map(decoded).collect();
    format!("/{}", segments.join("/"))
}

fn decoded(segment: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), segment.as_bytes());
    while let Some((&first, left)) = rest.split_first() {
        let digits = left.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        if let Some(byte) = byte.filter(|_| first == b'%') {
            bytes.push(byte);
            rest = left.get(2..).unwrap_or_default();
        } else {
            bytes.push(first);
            rest = left;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use lockstep_provider_api::conformance::services;
    use lockstep_provider_kit::base64::decode;

    use super::*;
    use crate::key::tests::{key, opened};

    fn signer() -> Signer {
        Signer::new(services().ctx("store"), "reader", key())
    }

    #[test]
    fn the_public_half_of_the_key_opens_the_signature_over_the_request() {
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = "https://chef.test/organizations/shop/data/b%20g//db"
            .parse()
            .unwrap();

        signer().sign(&mut request).unwrap();

        let header = |name: &str| request.headers()[name].to_str().unwrap();
        let lines = (1..=6).map(|number| header(&format!("x-ops-authorization-{number}")));
        let lines: Vec<&str> = lines.collect();
        assert!(lines[..5].iter().all(|line| line.len() == LINE));
        let signature = decode(Encoding::Standard, lines.concat().as_bytes()).unwrap();
        let want = format!(
            "Method:GET\nHashed Path:{}\nX-Ops-Content-Hash:2jmj7l5rSw0yVb/vlWAYkK/YBwk=\nX-Ops-Timestamp:{}\nX-Ops-UserId:reader",
            hash(b"/organizations/shop/data/b g/db"),
            header("x-ops-timestamp"),
        );
        assert_eq!(String::from_utf8(opened(&key(), &signature)).unwrap(), want);
        assert_eq!(header("x-ops-userid"), "reader");
    }
}
