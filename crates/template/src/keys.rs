//! Keys and certificates for providers that import or use them: PEM blocks, PKCS #12 files and the
//! numbers of a private key, read by the same code as the template functions. Nothing is
//! verified, and no error holds a byte of a key.

use std::fmt;

use crate::budget::Budget;
use crate::crypto::keys::PrivateKey;
use crate::crypto::pkcs12;
use crate::failure::Failure;
use crate::limits::Limits;
use crate::x509::Certificate;

/// A private key.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyPair(PrivateKey);

/// The numbers of a private key, big-endian without leading zeros for RSA, as long as the curve's
/// coordinates for elliptic curves.
pub enum Numbers {
    /// Modulus, exponents, primes and what follows from them.
    Rsa {
        /// The modulus.
        n: Vec<u8>,
        /// The public exponent.
        e: Vec<u8>,
        /// The private exponent.
        d: Vec<u8>,
        /// The first prime.
        p: Vec<u8>,
        /// The second prime.
        q: Vec<u8>,
        /// `d` modulo `p - 1`.
        dp: Vec<u8>,
        /// `d` modulo `q - 1`.
        dq: Vec<u8>,
        /// The inverse of `q` modulo `p`.
        qi: Vec<u8>,
    },
    /// A point of a curve and its scalar.
    Ec {
        /// Name of the curve as JWK has it: `P-256`.
        curve: &'static str,
        /// First coordinate.
        x: Vec<u8>,
        /// Second coordinate.
        y: Vec<u8>,
        /// The scalar.
        d: Vec<u8>,
    },
}

impl KeyPair {
    /// Reads PKCS #1, PKCS #8 or SEC 1.
    pub fn from_der(der: &[u8]) -> Option<Self> {
        PrivateKey::parse(der).map(Self)
    }

    /// The numbers of an RSA or elliptic curve key; other kinds have none here.
    #[expect(clippy::many_single_char_names, reason = "the names that JWK has")]
    pub fn numbers(&self) -> Option<Numbers> {
        match &self.0 {
            PrivateKey::Rsa(key) => {
                let [n, e, d, p, q, dp, dq, qi] = key.numbers();
                Some(Numbers::Rsa {
                    n,
                    e,
                    d,
                    p,
                    q,
                    dp,
                    dq,
                    qi,
                })
            }
            PrivateKey::Ec(key) => {
                let (point, size) = (key.public_point(), key.curve.size());
                Some(Numbers::Ec {
                    curve: key.curve.name(),
                    x: point.get(1..=size)?.to_vec(),
                    y: point.get(1 + size..)?.to_vec(),
                    d: key.scalar().to_vec(),
                })
            }
            PrivateKey::Ed25519(_) | PrivateKey::Dsa(_) => None,
        }
    }

    /// The key as PEM: PKCS #1, SEC 1 or PKCS #8 by its kind.
    pub fn to_pem(&self) -> Vec<u8> {
        self.0.to_pem()
    }

    /// Whether it is an RSA key.
    pub fn is_rsa(&self) -> bool {
        matches!(self.0, PrivateKey::Rsa(_))
    }

    /// Whether a certificate in DER is for this key.
    pub fn belongs_to(&self, certificate: &[u8]) -> bool {
        let parsed = Certificate::parse(certificate);
        parsed.is_ok_and(|found| self.0.to_public() == Some(found.public_key))
    }
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyPair(***)")
    }
}

/// One block of a PEM text.
pub struct Block {
    /// The word behind BEGIN.
    pub kind: String,
    /// The bytes inside.
    pub der: Vec<u8>,
}

/// All blocks of a PEM text, in order.
pub fn pem_blocks(text: &[u8]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((block, after)) = crate::pem::decode(rest) {
        rest = after;
        blocks.push(Block {
            kind: String::from_utf8_lossy(&block.kind).into_owned(),
            der: block.bytes,
        });
    }
    blocks
}

/// Whether bytes are a certificate in DER; if not, why.
pub fn check_certificate(der: &[u8]) -> Result<(), &'static str> {
    Certificate::parse(der).map(drop)
}

/// What a PKCS #12 file holds.
#[derive(Debug)]
pub struct KeyStore {
    /// The key.
    pub key: KeyPair,
    /// Its certificate, then the others, in DER.
    pub certificates: Vec<Vec<u8>>,
}

/// Opens a PKCS #12 file; the work that the file asks for is bounded.
pub fn open_pkcs12(file: &[u8], password: &[u8]) -> Result<KeyStore, String> {
    let mut meter = Budget::new(Limits::default()).meter();
    let contents = pkcs12::decode(&mut meter, file, password).map_err(|why| match why {
        Failure::Limit(_) => "pkcs12: the file asks for too much work".to_owned(),
        message @ Failure::Message(_) => message.sentence(false),
    })?;
    let others = contents.others.into_iter().map(|other| other.raw);
    Ok(KeyStore {
        key: KeyPair(contents.key),
        certificates: std::iter::once(contents.certificate.raw)
            .chain(others)
            .collect(),
    })
}

#[cfg(test)]
mod tests;
