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
    modulus: BigUint,
    public: BigUint,
    private: BigUint,
    primes: [BigUint; 2],
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
        let [first, second] = key.primes() else {
            return None;
        };
        Some(Self {
            modulus: BigUint::from_bytes_be(&key.n_bytes()),
            public: BigUint::from_bytes_be(&key.e_bytes()),
            private: number(key.d()),
            primes: [number(first), number(second)],
        })
    }

    /// A key of modulus, public and private exponent and both primes, if they belong together.
    pub(crate) fn new(numbers: [&[u8]; 5]) -> Option<Self> {
        let [modulus, public, private, first, second] = numbers.map(BigUint::from_bytes_be);
        let key = Self {
            modulus,
            public,
            private,
            primes: [first, second],
        };
        let one = BigUint::from(1u8);
        let [first, second] = &key.primes;
        if first <= &one || second <= &one || first * second != key.modulus {
            return None;
        }
        let product = &key.public * &key.private;
        let inverse = |prime: &BigUint| &product % (prime - 1u8) == one;
        (inverse(first) && inverse(second)).then_some(key)
    }

    pub(crate) fn parse_pkcs1(der: &[u8]) -> Option<Self> {
        let body = Reader::single(der, der::tag::SEQUENCE)?.body;
        let mut fields = Reader::new(body);
        if fields.number()? != 0 {
            return None;
        }
        let mut numbers = [&[][..]; 5];
        for number in &mut numbers {
            *number = fields.unsigned()?;
        }
        // Three more follow from these.
        for _ in 0..3 {
            fields.unsigned()?;
        }
        Self::new(numbers)
    }

    /// The numbers of PKCS #1 in their order: n, e, d, p, q, dp, dq, qi.
    pub(crate) fn numbers(&self) -> [Vec<u8>; 8] {
        let [first, second] = &self.primes;
        let numbers = [
            &self.modulus,
            &self.public,
            &self.private,
            first,
            second,
            &(&self.private % (first - 1u8)),
            &(&self.private % (second - 1u8)),
            &second.modinv(first).unwrap_or_default(),
        ];
        numbers.map(BigUint::to_bytes_be)
    }

    pub(crate) fn to_pkcs1(&self) -> Vec<u8> {
        let mut body = der::number(0);
        for number in self.numbers() {
            body.extend(der::unsigned(&number));
        }
        der::element(der::tag::SEQUENCE, &body)
    }

    /// The public half as PKCS #1 has it.
    pub(crate) fn public_pkcs1(&self) -> Vec<u8> {
        public_pkcs1(&self.modulus.to_bytes_be(), &self.public.to_bytes_be())
    }

    fn key(&self) -> Option<RsaPrivateKey> {
        let number = |n: &BigUint| BoxedUint::from_be_slice_vartime(&n.to_bytes_be());
        let primes = self.primes.iter().map(number).collect();
        let (modulus, public) = (number(&self.modulus), number(&self.public));
        RsaPrivateKey::from_components(modulus, public, number(&self.private), primes).ok()
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

pub(crate) fn public_pkcs1(modulus: &[u8], exponent: &[u8]) -> Vec<u8> {
    der::sequence(&[&der::unsigned(modulus), &der::unsigned(exponent)])
}
