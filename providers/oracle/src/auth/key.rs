//! The key of a session: a new RSA key of 2048 bits, its private half as PEM for whoever signs, its
//! public half for whoever makes out a token for it. Making one takes a fraction of a second.

use std::convert::Infallible;
use std::fmt::Write as _;

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::base64::{Encoding, encode};
use rsa::rand_core::{TryCryptoRng, TryRng};
use rsa::traits::{PrivateKeyParts as _, PublicKeyParts as _};
use rsa::{BoxedUint, RsaPrivateKey};
use zeroize::Zeroizing;

const BITS: usize = 2048;
/// The algorithm `rsaEncryption` with its empty parameters.
const RSA: [u8; 15] = [
    0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
];
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const SEQUENCE: u8 = 0x30;
/// Characters of a PEM line.
const LINE: usize = 64;

/// A new key.
pub(super) struct SessionKey {
    /// PKCS#1 as PEM.
    pub(super) private: SecretValue,
    /// `SubjectPublicKeyInfo` in base64.
    pub(super) public: String,
}

impl SessionKey {
    pub(super) fn generate() -> Result<Self> {
        let failed = || Error::new(ErrorKind::Internal, "no key for the session could be made");
        let mut key = RsaPrivateKey::new(&mut SystemRandom, BITS).map_err(|_| failed())?;
        key.precompute().map_err(|_| failed())?;
        let [p, q] = key.primes() else {
            return Err(failed());
        };
        let inverse = key.crt_coefficient().ok_or_else(failed)?;
        let dp = key.dp().ok_or_else(failed)?;
        let dq = key.dq().ok_or_else(failed)?;
        let number = |n: &BoxedUint| Zeroizing::new(integer(&n.to_be_bytes()));
        let (n, e) = (integer(&key.n_bytes()), integer(&key.e_bytes()));
        let mut body = Zeroizing::new([integer(&[0]), n.clone(), e.clone()].concat());
        for part in [key.d(), p, q, dp, dq, &inverse] {
            body.extend_from_slice(&number(part));
        }
        let private = Zeroizing::new(element(SEQUENCE, &body));
        let numbers = element(SEQUENCE, &[n, e].concat());
        // No bit of the last byte is unused.
        let bits = element(BIT_STRING, &[&[0], numbers.as_slice()].concat());
        let public = element(SEQUENCE, &[&RSA, bits.as_slice()].concat());
        Ok(Self {
            private: SecretValue::from(pem("RSA PRIVATE KEY", &private)),
            public: encode(Encoding::Standard, public),
        })
    }

    /// The public half as PEM.
    pub(super) fn public_pem(&self) -> String {
        wrapped("PUBLIC KEY", &self.public)
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = Zeroizing::new(encode(Encoding::Standard, der));
    wrapped(label, &text)
}

fn wrapped(label: &str, base64: &str) -> String {
    let mut out = format!("-----BEGIN {label}-----\n");
    let mut rest = base64;
    while !rest.is_empty() {
        let (line, left) = rest.split_at(rest.len().min(LINE));
        out.push_str(line);
        out.push('\n');
        rest = left;
    }
    let _ = writeln!(out, "-----END {label}-----");
    out
}

/// An unsigned number: without zeros in front, but with one where it would read as negative.
fn integer(bytes: &[u8]) -> Vec<u8> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let digits = bytes.get(zeros..).unwrap_or_default();
    let mut body = Vec::with_capacity(digits.len() + 1);
    if digits.first().is_none_or(|first| first & 0x80 != 0) {
        body.push(0);
    }
    body.extend_from_slice(digits);
    element(INTEGER, &body)
}

fn element(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = body.len().to_be_bytes();
    let zeros = length.iter().take_while(|byte| **byte == 0).count();
    let length = length.get(zeros..).unwrap_or_default();
    let mut out = vec![tag];
    match length {
        [] => out.push(0),
        [short] if *short < 0x80 => out.push(*short),
        long => {
            out.push(0x80 | u8::try_from(long.len()).unwrap_or_default());
            out.extend_from_slice(long);
        }
    }
    out.extend_from_slice(body);
    out
}

/// Random bytes of the operating system, in the form that the crate for keys takes.
struct SystemRandom;

impl TryRng for SystemRandom {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        // The source is there on every system this runs on; without it no key may be made.
        while getrandom::fill(bytes).is_err() {}
        Ok(())
    }
}

impl TryCryptoRng for SystemRandom {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lengths_have_their_shortest_form() {
        assert_eq!(integer(&[0, 0, 5]), [2, 1, 5]);
        assert_eq!(integer(&[0x80]), [2, 2, 0, 0x80]);
        assert_eq!(integer(&[]), [2, 1, 0]);
        assert_eq!(element(SEQUENCE, &[7; 200])[..3], [0x30, 0x81, 200]);
        assert_eq!(element(SEQUENCE, &[7; 300])[..4], [0x30, 0x82, 1, 44]);
    }
}
