//! Elliptic curve keys: ECDSA on the NIST curves.

use p256::ecdsa::signature::hazmat::PrehashSigner as _;
use p256::elliptic_curve::sec1::ToSec1Point as _;
use sha2::{Digest as _, Sha256, Sha384, Sha512};

use super::Rng;
use crate::der::{self, Reader, oid, tag};

/// A curve that Go's `crypto/x509` signs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Curve {
    P256,
    P384,
    P521,
}

impl Curve {
    pub(crate) fn from_oid(id: &[u8]) -> Option<Self> {
        [Self::P256, Self::P384, Self::P521]
            .into_iter()
            .find(|curve| curve.oid() == id)
    }

    pub(crate) fn oid(self) -> &'static [u8] {
        match self {
            Self::P256 => oid::P256,
            Self::P384 => oid::P384,
            Self::P521 => oid::P521,
        }
    }

    /// Bytes of a coordinate or scalar.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::P256 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    /// Its name in JWK.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::P256 => "P-256",
            Self::P384 => "P-384",
            Self::P521 => "P-521",
        }
    }

    /// The signature algorithm that goes with the curve.
    pub(crate) fn signature_oid(self) -> &'static [u8] {
        match self {
            Self::P256 => oid::ECDSA_SHA256,
            Self::P384 => oid::ECDSA_SHA384,
            Self::P521 => oid::ECDSA_SHA512,
        }
    }

    /// The uncompressed point of these coordinates, if it lies on the curve.
    pub(crate) fn point(self, x: &[u8], y: &[u8]) -> Option<Vec<u8>> {
        let point = [&[4][..], &padded(x, self.size())?, &padded(y, self.size())?].concat();
        let valid = match self {
            Self::P256 => p256::PublicKey::from_sec1_bytes(&point).is_ok(),
            Self::P384 => p384::PublicKey::from_sec1_bytes(&point).is_ok(),
            Self::P521 => p521::PublicKey::from_sec1_bytes(&point).is_ok(),
        };
        valid.then_some(point)
    }
}

/// A private key: the scalar, as long as the curve's coordinates, and the public point.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct EcKey {
    pub(crate) curve: Curve,
    scalar: Vec<u8>,
    point: Vec<u8>,
}

fn padded(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    let digits = &bytes[bytes.iter().take_while(|b| **b == 0).count()..];
    let zeros = size.checked_sub(digits.len())?;
    Some([&vec![0; zeros], digits].concat())
}

impl EcKey {
    /// The key with that scalar; nothing if it is zero or too large for the curve.
    pub(crate) fn new(curve: Curve, scalar: &[u8]) -> Option<Self> {
        let scalar = padded(scalar, curve.size())?;
        macro_rules! public_point {
            ($secret:ty) => {{
                let public = <$secret>::from_slice(&scalar).ok()?.public_key();
                public.to_sec1_point(false).as_bytes().to_vec()
            }};
        }
        let point = match curve {
            Curve::P256 => public_point!(p256::SecretKey),
            Curve::P384 => public_point!(p384::SecretKey),
            Curve::P521 => public_point!(p521::SecretKey),
        };
        Some(Self {
            curve,
            scalar,
            point,
        })
    }

    /// The same scalar with a public point that somebody else says belongs to it.
    pub(crate) fn with_point(self, point: Vec<u8>) -> Self {
        Self { point, ..self }
    }

    pub(crate) fn generate(rng: &mut Rng, curve: Curve) -> Option<Self> {
        use chacha20::rand_core::Rng as _;
        // Almost every number of that length is a scalar; try until one is.
        for _ in 0..64 {
            let mut scalar = vec![0; curve.size()];
            rng.fill_bytes(&mut scalar);
            if curve == Curve::P521 {
                scalar[0] &= 1;
            }
            if let Some(key) = Self::new(curve, &scalar) {
                return Some(key);
            }
        }
        None
    }

    pub(crate) fn public_point(&self) -> &[u8] {
        &self.point
    }

    pub(crate) fn scalar(&self) -> &[u8] {
        &self.scalar
    }

    /// Reads SEC 1, whatever comes after it; `curve` is what the surrounding PKCS #8 says.
    pub(crate) fn parse(der: &[u8], curve: Option<Curve>) -> Option<Self> {
        let mut fields = Reader::new(der).sequence()?;
        if fields.number()? != 1 {
            return None;
        }
        let scalar = fields.octets()?;
        let named = match fields.optional(tag::CONTEXT_0) {
            Some(named) => Some(Curve::from_oid(Reader::new(named.body).oid()?)?),
            None => None,
        };
        Self::new(curve.or(named)?, scalar)
    }

    /// Writes SEC 1, with or without the name of the curve.
    pub(crate) fn to_sec1(&self, named: bool) -> Vec<u8> {
        let curve = der::element(tag::CONTEXT_0, &der::object(self.curve.oid()));
        let point = der::element(tag::CONTEXT_1, &der::bits(&self.point));
        let curve = if named { &curve[..] } else { &[] };
        der::sequence(&[&der::number(1), &der::octets(&self.scalar), curve, &point])
    }

    /// The signature in DER, over the hash that goes with the curve.
    pub(crate) fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        macro_rules! signature {
            ($curve:ident, $hash:ty) => {{
                let key = $curve::ecdsa::SigningKey::from_slice(&self.scalar).ok()?;
                let signature: $curve::ecdsa::Signature =
                    key.sign_prehash(&<$hash>::digest(message)).ok()?;
                signature.to_bytes().to_vec()
            }};
        }
        let bytes = match self.curve {
            Curve::P256 => signature!(p256, Sha256),
            Curve::P384 => signature!(p384, Sha384),
            Curve::P521 => signature!(p521, Sha512),
        };
        let (r, s) = bytes.split_at(bytes.len() / 2);
        Some(der::sequence(&[&der::unsigned(r), &der::unsigned(s)]))
    }
}
