//! Private keys of any kind, in the encodings of Go's `crypto/x509`.

use ed25519_dalek::{Signer as _, SigningKey};

use super::ec::{Curve, EcKey};
use super::rsa::RsaKey;
use crate::der::{self, Reader, oid, tag};
use crate::pem;

/// A private key.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum PrivateKey {
    Rsa(RsaKey),
    Ec(EcKey),
    /// The seed.
    Ed25519([u8; 32]),
    /// Read only to be written again: the whole of its own encoding.
    Dsa(Vec<u8>),
}

impl PrivateKey {
    /// Reads PKCS #8, whatever comes after it.
    pub(crate) fn parse_pkcs8(der: &[u8]) -> Option<Self> {
        let mut fields = Reader::new(der).sequence()?;
        fields.number()?;
        let mut algorithm = fields.sequence()?;
        let id = algorithm.oid()?;
        let key = fields.octets()?;
        match id {
            oid::RSA_ENCRYPTION => RsaKey::parse_pkcs1(key).map(Self::Rsa),
            oid::EC_PUBLIC_KEY => {
                let curve = Curve::from_oid(algorithm.oid()?)?;
                EcKey::parse(key, Some(curve)).map(Self::Ec)
            }
            oid::ED25519 => {
                let seed = Reader::new(key).octets()?;
                seed.try_into().ok().map(Self::Ed25519)
            }
            _ => None,
        }
    }

    /// Reads PKCS #1, PKCS #8 or SEC 1, tried in that order.
    pub(crate) fn parse(der: &[u8]) -> Option<Self> {
        RsaKey::parse_pkcs1(der)
            .map(Self::Rsa)
            .or_else(|| Self::parse_pkcs8(der))
            .or_else(|| EcKey::parse(der, None).map(Self::Ec))
    }

    /// Writes PKCS #8; nothing for kinds Go does not write.
    pub(crate) fn to_pkcs8(&self) -> Option<Vec<u8>> {
        let null = der::element(tag::NULL, &[]);
        let (algorithm, key) = match self {
            Self::Rsa(key) => (
                der::sequence(&[&der::object(oid::RSA_ENCRYPTION), &null]),
                key.to_pkcs1(),
            ),
            Self::Ec(key) => {
                let curve = der::object(key.curve.oid());
                (
                    der::sequence(&[&der::object(oid::EC_PUBLIC_KEY), &curve]),
                    key.to_sec1(false),
                )
            }
            Self::Ed25519(seed) => (
                der::sequence(&[&der::object(oid::ED25519)]),
                der::octets(seed),
            ),
            Self::Dsa(_) => return None,
        };
        Some(der::sequence(&[
            &der::number(0),
            &algorithm,
            &der::octets(&key),
        ]))
    }

    /// The public half with its algorithm, as certificates hold it.
    pub(crate) fn to_public(&self) -> Option<Vec<u8>> {
        Some(match self {
            Self::Rsa(key) => rsa_public(&key.public_pkcs1()),
            Self::Ec(key) => ec_public(key.curve, key.public_point()),
            Self::Ed25519(seed) => {
                ed25519_public(&SigningKey::from_bytes(seed).verifying_key().to_bytes())
            }
            Self::Dsa(_) => return None,
        })
    }

    /// The PEM block sprig writes for the key.
    pub(crate) fn to_pem(&self) -> Vec<u8> {
        match self {
            Self::Rsa(key) => pem::encode("RSA PRIVATE KEY", &key.to_pkcs1()),
            Self::Ec(key) => pem::encode("EC PRIVATE KEY", &key.to_sec1(true)),
            Self::Dsa(der) => pem::encode("DSA PRIVATE KEY", der),
            Self::Ed25519(_) => pem::encode("PRIVATE KEY", &self.to_pkcs8().unwrap_or_default()),
        }
    }

    /// The signature algorithm of this key in DER, and its signature over `message`.
    pub(crate) fn signature_algorithm(&self) -> Option<Vec<u8>> {
        Some(match self {
            Self::Rsa(_) => {
                let null = der::element(tag::NULL, &[]);
                der::sequence(&[&der::object(oid::SHA256_WITH_RSA), &null])
            }
            Self::Ec(key) => der::sequence(&[&der::object(key.curve.signature_oid())]),
            Self::Ed25519(_) => der::sequence(&[&der::object(oid::ED25519)]),
            Self::Dsa(_) => return None,
        })
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Rsa(key) => key.sign(message),
            Self::Ec(key) => key.sign(message),
            Self::Ed25519(seed) => Some(
                SigningKey::from_bytes(seed)
                    .sign(message)
                    .to_bytes()
                    .to_vec(),
            ),
            Self::Dsa(_) => None,
        }
    }
}

pub(crate) fn rsa_public(pkcs1: &[u8]) -> Vec<u8> {
    let null = der::element(tag::NULL, &[]);
    let algorithm = der::sequence(&[&der::object(oid::RSA_ENCRYPTION), &null]);
    der::sequence(&[&algorithm, &der::bits(pkcs1)])
}

pub(crate) fn ec_public(curve: Curve, point: &[u8]) -> Vec<u8> {
    let algorithm = der::sequence(&[&der::object(oid::EC_PUBLIC_KEY), &der::object(curve.oid())]);
    der::sequence(&[&algorithm, &der::bits(point)])
}

pub(crate) fn ed25519_public(key: &[u8]) -> Vec<u8> {
    der::sequence(&[
        &der::sequence(&[&der::object(oid::ED25519)]),
        &der::bits(key),
    ])
}
