//! Tokens: those the test Entra hands out (signed with a key that every test server knows, so that
//! two processes understand each other), and those that clients prove themselves with, whose
//! signatures are really verified.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::{hmac, signature};
use serde_json::{Value, json};

/// Key of the access tokens of all test servers.
const KEY: &[u8] = b"lockstep test cloud";

/// Seconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or_default()
}

/// A token for an application.
pub(super) fn issue(tenant: &str, client: &str, audience: &str, life: i64) -> String {
    let claims = json!({
        "aud": audience,
        "iss": format!("https://sts.windows.net/{tenant}/"),
        "tid": tenant,
        "appid": client,
        "iat": now(),
        "exp": now() + life,
        // No two tokens are equal.
        "uti": format!("{:?}", std::time::Instant::now()),
    });
    let text = format!(
        "{}.{}",
        BASE64.encode(r#"{"alg":"HS256","typ":"JWT"}"#),
        BASE64.encode(claims.to_string())
    );
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, KEY), text.as_bytes());
    format!("{text}.{}", BASE64.encode(tag))
}

/// The claims of a token of ours that has not ended.
pub(super) fn claims_of(token: &str) -> Option<Value> {
    let (text, tag) = token.rsplit_once('.')?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, KEY);
    hmac::verify(&key, text.as_bytes(), &BASE64.decode(tag).ok()?).ok()?;
    let claims: Value = part(text.split('.').nth(1)?).ok()?;
    (claims["exp"].as_i64()? > now()).then_some(claims)
}

/// A client's own token, before its signature is looked at.
pub(super) struct Assertion<'a> {
    pub(super) header: Value,
    pub(super) claims: Value,
    signed: &'a str,
    signature: Vec<u8>,
}

impl<'a> Assertion<'a> {
    pub(super) fn parse(token: &'a str) -> Result<Self> {
        let (signed, signature) = token.rsplit_once('.').context("no signature")?;
        let (header, claims) = signed.split_once('.').context("no claims")?;
        Ok(Self {
            header: part(header)?,
            claims: part(claims)?,
            signed,
            signature: BASE64.decode(signature)?,
        })
    }

    pub(super) fn text(&self, claim: &str) -> &str {
        self.claims[claim].as_str().unwrap_or_default()
    }

    /// Whether it names an audience.
    pub(super) fn is_for(&self, audience: &str) -> bool {
        match &self.claims["aud"] {
            Value::Array(all) => all.iter().any(|one| one == audience),
            one => one == audience,
        }
    }

    pub(super) fn is_current(&self) -> bool {
        // Some libraries write fractions of seconds.
        #[expect(
            clippy::cast_precision_loss,
            reason = "seconds of this century are exact"
        )]
        let now = now() as f64;
        let (from, until) = (self.claims["nbf"].as_f64(), self.claims["exp"].as_f64());
        from.is_none_or(|from| from <= now + 60.0) && until.is_some_and(|until| until > now)
    }

    /// Verifies the signature with the public key of a certificate in PEM.
    pub(super) fn verify_certificate(&self, pem: &[u8]) -> Result<()> {
        use rustls::pki_types::CertificateDer;
        use rustls::pki_types::pem::PemObject as _;
        let der = CertificateDer::from_pem_slice(pem)?;
        // Old libraries name the certificate by SHA-1 and sign with RS256, new ones by SHA-256 and
        // sign with PS256; Entra takes both.
        let is_new = self.header["alg"] == "PS256";
        let (name, hash) = if is_new {
            ("x5t#S256", &ring::digest::SHA256)
        } else {
            ("x5t", &ring::digest::SHA1_FOR_LEGACY_USE_ONLY)
        };
        let shown = self.header[name].as_str().unwrap_or_default();
        if shown.trim_end_matches('=') != BASE64.encode(ring::digest::digest(hash, &der)) {
            bail!("the thumbprint is that of another certificate");
        }
        let (_, parsed) = x509_parser::parse_x509_certificate(&der)?;
        let key = &parsed.public_key().subject_public_key.data;
        if is_new {
            return self.verify(&signature::RSA_PSS_2048_8192_SHA256, key);
        }
        self.verify(&signature::RSA_PKCS1_2048_8192_SHA256, key)
    }

    /// Verifies the signature with one of the keys of a JWKS document.
    pub(super) fn verify_keys(&self, document: &Value) -> Result<()> {
        let keys = document["keys"].as_array().context("no keys")?;
        for key in keys {
            let number = |name: &str| BASE64.decode(key[name].as_str().unwrap_or_default());
            let verified = match (key["kty"].as_str(), self.header["alg"].as_str()) {
                (Some("RSA"), Some("RS256")) => {
                    let (n, e) = (number("n")?, number("e")?);
                    let key = signature::RsaPublicKeyComponents { n, e };
                    let kind = &signature::RSA_PKCS1_2048_8192_SHA256;
                    key.verify(kind, self.signed.as_bytes(), &self.signature)
                        .is_ok()
                }
                (Some("EC"), Some("ES256")) => {
                    let point = [vec![4], number("x")?, number("y")?].concat();
                    self.verify(&signature::ECDSA_P256_SHA256_FIXED, &point)
                        .is_ok()
                }
                _ => false,
            };
            if verified {
                return Ok(());
            }
        }
        bail!("no key of the issuer made the signature")
    }

    fn verify(
        &self,
        kind: &'static dyn signature::VerificationAlgorithm,
        key: &[u8],
    ) -> Result<()> {
        let key = signature::UnparsedPublicKey::new(kind, key);
        let verified = key.verify(self.signed.as_bytes(), &self.signature);
        verified.ok().context("the signature is not of that key")
    }
}

fn part(text: &str) -> Result<Value> {
    Ok(serde_json::from_slice(&BASE64.decode(text)?)?)
}
