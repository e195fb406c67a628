//! The signed statement by which the owner of a certificate signs in: a JWT over the token endpoint,
//! valid for ten minutes, with the certificate's thumbprint in its header.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use lockstep_provider_api::prelude::*;
use serde_json::json;
use sha1::{Digest as _, Sha1};

use super::certificate::ClientCertificate;

/// Seconds that a statement is valid.
const LIFE: i64 = 600;

/// The statement of an application for one token endpoint.
pub(super) fn sign(
    certificate: &ClientCertificate,
    client: &str,
    endpoint: &str,
    now: Timestamp,
) -> Result<SecretValue> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|error| {
        let text = format!("no random bytes for the sign-in: {error}");
        Error::new(ErrorKind::Internal, text)
    })?;
    let thumbprint = Sha1::digest(&certificate.der);
    let header = json!({
        "alg": "RS256",
        "typ": "JWT",
        "x5t": URL_SAFE_NO_PAD.encode(thumbprint),
    });
    let now = now.as_second();
    let claims = json!({
        "aud": endpoint,
        "iss": client,
        "sub": client,
        "jti": URL_SAFE_NO_PAD.encode(id),
        "nbf": now,
        "iat": now,
        "exp": now + LIFE,
    });
    certificate.key.sign(&header, &claims)
}
