//! RSA keys: generation, PKCS #1, signatures and OAEP.

use num_bigint::BigUint;
use rsa::traits::{PrivateKeyParts as _, PublicKeyParts as _};
use rsa::{BoxedUint, Oaep, Pkcs1v15Sign, RsaPrivateKey};
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha512};

use super::Rng;
use crate::der::{self, Reader};

/// A private key with two primes.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RsaKey {
    n: BigUint,
    e: BigUint,
    d: BigUint,
    p: BigUint,
    q: BigUint,
}

/// The hash of an OAEP decryption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OaepHash {
    Sha1,
    Sha256,
    Sha512,
}

impl RsaKey {
    pub(crate) fn generate(rng: &mut Rng, bits: usize) -> Option<Self> {
        let key = RsaPrivateKey::new(rng, bits).ok()?;
        let number = |n: &BoxedUint| BigUint::from_bytes_be(&n.to_be_bytes());
        let [p, q] = key.primes() else {
            return None;
        };
        Some(Self {
            n: BigUint::from_bytes_be(&key.n_bytes()),
            e: BigUint::from_bytes_be(&key.e_bytes()),
            d: number(key.d()),
            p: number(p),
            q: number(q),
        })
    }

    /// A key of the numbers given, if they belong together.
    pub(crate) fn new(n: &[u8], e: &[u8], d: &[u8], p: &[u8], q: &[u8]) -> Option<Self> {
        let number = BigUint::from_bytes_be;
        let key = Self {
            n: number(n),
            e: number(e),
            d: number(d),
            p: number(p),
            q: number(q),
        };
        let one = BigUint::from(1u8);
        if key.p <= one || key.q <= one || &key.p * &key.q != key.n {
            return None;
        }
        let product = &key.e * &key.d;
        let inverse = |prime: &BigUint| &product % (prime - 1u8) == one;
        (inverse(&key.p) && inverse(&key.q)).then_some(key)
    }

    pub(crate) fn parse_pkcs1(der: &[u8]) -> Option<Self> {
        let body = Reader::single(der, der::tag::SEQUENCE)?.body;
        let mut fields = Reader::new(body);
        if fields.number()? != 0 {
            return None;
        }
        let mut next = || fields.unsigned();
        let (n, e, d, p, q) = (next()?, next()?, next()?, next()?, next()?);
        // The remaining numbers follow from these.
        let (_, _, _) = (next()?, next()?, next()?);
        Self::new(n, e, d, p, q)
    }

    pub(crate) fn to_pkcs1(&self) -> Vec<u8> {
        let one = BigUint::from(1u8);
        let inverse = self.q.modinv(&self.p).unwrap_or_default();
        let numbers = [
            &self.n,
            &self.e,
            &self.d,
            &self.p,
            &self.q,
            &(&self.d % (&self.p - &one)),
            &(&self.d % (&self.q - &one)),
            &inverse,
        ];
        let mut body = der::number(0);
        for number in numbers {
            body.extend(der::unsigned(&number.to_bytes_be()));
        }
        der::element(der::tag::SEQUENCE, &body)
    }

    /// The public half as PKCS #1 has it.
    pub(crate) fn public_pkcs1(&self) -> Vec<u8> {
        public_pkcs1(&self.n.to_bytes_be(), &self.e.to_bytes_be())
    }

    fn key(&self) -> Option<RsaPrivateKey> {
        let number = |n: &BigUint| BoxedUint::from_be_slice_vartime(&n.to_bytes_be());
        let primes = vec![number(&self.p), number(&self.q)];
        RsaPrivateKey::from_components(number(&self.n), number(&self.e), number(&self.d), primes)
            .ok()
    }

    /// A PKCS #1 v1.5 signature over SHA-256.
    pub(crate) fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        /// The DER around a SHA-256 digest.
        const PREFIX: &[u8] = &[
            0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02,
            0x01, 0x05, 0x00, 0x04, 0x20,
        ];
        let padding = Pkcs1v15Sign {
            hash_len: Some(32),
            prefix: PREFIX.into(),
        };
        self.key()?.sign(padding, &Sha256::digest(message)).ok()
    }

    pub(crate) fn decrypt_oaep(&self, hash: OaepHash, ciphertext: &[u8]) -> Option<Vec<u8>> {
        let key = self.key()?;
        match hash {
            OaepHash::Sha1 => key.decrypt(Oaep::<Sha1>::new(), ciphertext),
            OaepHash::Sha256 => key.decrypt(Oaep::<Sha256>::new(), ciphertext),
            OaepHash::Sha512 => key.decrypt(Oaep::<Sha512>::new(), ciphertext),
        }
        .ok()
    }
}

pub(crate) fn public_pkcs1(n: &[u8], e: &[u8]) -> Vec<u8> {
    der::sequence(&[&der::unsigned(n), &der::unsigned(e)])
}
