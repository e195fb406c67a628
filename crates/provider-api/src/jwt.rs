//! Signs JSON web tokens with RSA and SHA-256 (`RS256` and `PS256`), as token endpoints take them from
//! service accounts and from client certificates. Header and claims are the caller's; a key is never shown.

use std::fmt;

use lockstep_golang::base64::{Encoding, encode};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaEncoding, RsaKeyPair};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject as _;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::value::SecretValue;

/// An RSA key that signs.
pub struct RsaKey(RsaKeyPair);

impl RsaKey {
    /// The first private key of a PEM text, in PKCS#8 or PKCS#1 form. Other blocks, such as
    /// certificates, are passed over.
    pub fn from_pem(pem: &SecretValue) -> Result<Self> {
        let key = PrivateKeyDer::from_pem_slice(pem.expose()).map_err(|_| {
            Error::invalid_spec(
                "there is no private key in the PEM text; it needs a block \
                 \"PRIVATE KEY\" or \"RSA PRIVATE KEY\" without a password",
            )
        })?;
        let pair = match &key {
            PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
            _ => return Err(Error::invalid_spec("the private key is not an RSA key")),
        };
        pair.map(Self).map_err(|error| {
            Error::invalid_spec(format!(
                "the private key is not a usable RSA key of 2048 to 4096 bits: {error}"
            ))
        })
    }

    /// The signed token in its compact form (`RS256`).
    pub fn sign(&self, header: &impl Serialize, claims: &impl Serialize) -> Result<SecretValue> {
        self.compact(&RSA_PKCS1_SHA256, header, claims)
    }

    /// The same with a random salt as long as the hash (`PS256`).
    pub fn sign_pss(
        &self,
        header: &impl Serialize,
        claims: &impl Serialize,
    ) -> Result<SecretValue> {
        self.compact(&RSA_PSS_SHA256, header, claims)
    }

    /// The signature over any bytes, for backends that sign whole requests.
    pub fn signature(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        self.signature_in(&RSA_PKCS1_SHA256, bytes)
    }

    fn compact(
        &self,
        encoding: &'static dyn RsaEncoding,
        header: &impl Serialize,
        claims: &impl Serialize,
    ) -> Result<SecretValue> {
        let text = format!("{}.{}", part(header)?, part(claims)?);
        let signature = self.signature_in(encoding, text.as_bytes())?;
        let signature = encode(Encoding::RawUrl, signature);
        Ok(SecretValue::from(format!("{text}.{signature}")))
    }

    fn signature_in(&self, encoding: &'static dyn RsaEncoding, bytes: &[u8]) -> Result<Vec<u8>> {
        let mut signature = vec![0; self.0.public().modulus_len()];
        let random = SystemRandom::new();
        self.0
            .sign(encoding, &random, bytes, &mut signature)
            .map_err(|_| Error::invalid_spec("the private key cannot sign"))?;
        Ok(signature)
    }
}

impl fmt::Debug for RsaKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RsaKey(***)")
    }
}

fn part(json: &impl Serialize) -> Result<String> {
    let bytes = serde_json::to_vec(json)
        .map_err(|_| Error::invalid_data("a part of the token has no JSON form"))?;
    Ok(encode(Encoding::RawUrl, bytes))
}

#[cfg(test)]
mod tests;
