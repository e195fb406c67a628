//! The certificate of a service principal with its private key, out of PEM or out of a PKCS#12 file
//! without a password. Texts are upstream's where it has one.

use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;
use lockstep_template::keys::{KeyPair, open_pkcs12, pem_blocks};

/// A certificate and the RSA key that belongs to it.
#[derive(Debug)]
pub(super) struct ClientCertificate {
    /// The certificate in DER.
    pub(super) der: Vec<u8>,
    pub(super) key: RsaKey,
}

impl ClientCertificate {
    /// Reads the value of `clientCertificate`.
    pub(super) fn parse(value: &SecretValue) -> Result<Self> {
        let text = value.expose();
        let blocks = pem_blocks(text);
        if blocks.is_empty()
            && let Ok(store) = open_pkcs12(text, b"")
        {
            let der = store.certificates.into_iter().next().unwrap_or_default();
            return Self::of(der, store.key);
        }
        let certificates = blocks.iter().filter(|block| block.kind == "CERTIFICATE");
        let certificates: Vec<_> = certificates.collect();
        let Some(first) = certificates.first() else {
            return Err(Error::invalid_spec("no certificate found in PEM file"));
        };
        let key = blocks
            .iter()
            .find(|block| block.kind.ends_with("PRIVATE KEY"));
        let key = key.ok_or_else(|| Error::invalid_spec("no private key found in PEM file"))?;
        let key = KeyPair::from_der(&key.der).ok_or_else(|| {
            Error::invalid_spec("found unknown private key type in PKCS#8 wrapping")
        })?;
        // A chain may come in any order; the one that the key is for signs.
        let own = certificates.iter().find(|block| key.belongs_to(&block.der));
        Self::of(own.unwrap_or(first).der.clone(), key)
    }

    fn of(der: Vec<u8>, key: KeyPair) -> Result<Self> {
        if !key.is_rsa() {
            return Err(Error::invalid_spec(
                "found unknown private key type in PKCS#8 wrapping: Entra ID takes RSA keys only",
            ));
        }
        let key = RsaKey::from_pem(&SecretValue::new(key.to_pem()))?;
        Ok(Self { der, key })
    }
}
