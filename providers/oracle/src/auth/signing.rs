//! Signatures over requests: which headers are part of them, and the headers that they need. Who signs
//! with which key is decided by the identities.

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, DATE, HeaderName, HeaderValue};
use jiff::Timestamp;
use lockstep_provider_api::http::Method;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::auth::{Authenticator, Request};
use lockstep_provider_kit::base64::{Encoding, encode};
use lockstep_provider_kit::oci::{Signer, http_date};
use sha2::{Digest as _, Sha256};

const CONTENT_HASH: HeaderName = HeaderName::from_static("x-content-sha256");

/// Whether the host is part of a signature: it is not where a certificate is exchanged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    Signed,
    Unsigned,
}

/// Dates a request and signs it. Requests that may have a body are signed with its hash.
pub(super) fn sign(
    request: &mut Request,
    signer: &Signer,
    host: Host,
    at: Timestamp,
) -> Result<()> {
    set(request, DATE, &http_date(at))?;
    let has_body = matches!(
        *request.method(),
        Method::POST | Method::PUT | Method::PATCH
    );
    if has_body {
        let length = request.body().len().to_string();
        let hash = encode(Encoding::Standard, Sha256::digest(request.body()));
        set(request, CONTENT_LENGTH, &length)?;
        set(request, CONTENT_TYPE, "application/json")?;
        set(request, CONTENT_HASH, &hash)?;
    }
    let mut lines = vec![
        ("date", text(request, &DATE)),
        ("(request-target)", target(request)),
    ];
    if host == Host::Signed {
        let authority = request.uri().authority().map(ToString::to_string);
        lines.push(("host", authority.unwrap_or_default()));
    }
    if has_body {
        for name in [CONTENT_LENGTH, CONTENT_TYPE, CONTENT_HASH] {
            let value = text(request, &name);
            lines.push((shown(&name), value));
        }
    }
    let lines: Vec<(&str, &str)> = lines.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let authorization = signer.authorization(&lines)?;
    set(request, AUTHORIZATION, &authorization)
}

/// The name of a header as a signature lists it.
fn shown(name: &HeaderName) -> &'static str {
    match *name {
        CONTENT_LENGTH => "content-length",
        CONTENT_TYPE => "content-type",
        _ => "x-content-sha256",
    }
}

fn target(request: &Request) -> String {
    let path = request.uri().path_and_query();
    let path = path.map_or("/", |path| path.as_str());
    format!("{} {path}", request.method().as_str().to_lowercase())
}

fn text(request: &Request, name: &HeaderName) -> String {
    let value = request.headers().get(name);
    let text = value.and_then(|value| value.to_str().ok());
    text.unwrap_or_default().to_owned()
}

fn set(request: &mut Request, name: HeaderName, value: &str) -> Result<()> {
    let mut header = HeaderValue::from_str(value).map_err(|_| {
        Error::invalid_spec(
            "tenancy, user and fingerprint must not have characters that a header cannot have",
        )
    })?;
    header.set_sensitive(name == AUTHORIZATION);
    request.headers_mut().insert(name, header);
    Ok(())
}

/// A user with an API key.
pub(super) struct User {
    ctx: Ctx,
    signer: Signer,
}

impl User {
    pub(super) fn new(ctx: &Ctx, signer: Signer) -> Self {
        Self {
            ctx: ctx.clone(),
            signer,
        }
    }
}

impl Authenticator for User {
    fn authorize<'a>(
        &'a self,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<Option<SecretValue>>> {
        let signed = sign(request, &self.signer, Host::Signed, self.ctx.now());
        ready(signed.map(|()| None)).boxed()
    }
}
