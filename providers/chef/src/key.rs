//! The user's RSA key and the operation that signs: OpenSSL's "private encrypt", PKCS#1 v1.5 padding around
//! the text itself, without a digest and without its name. Reads PKCS#1 and PKCS#8; never shows a key.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::base64::{Encoding, decode};
use rsa::{BoxedUint, Pkcs1v15Sign, RsaPrivateKey};

const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
const SEQUENCE: u8 = 0x30;

/// A key that signs.
pub(crate) struct Key(RsaPrivateKey);

impl Key {
    /// The first block of a PEM text.
    pub(crate) fn from_pem(pem: &SecretValue) -> Result<Self> {
        let der =
            block(pem).ok_or_else(|| Error::invalid_spec("private key block size invalid"))?;
        let key = pkcs1(der.expose()).or_else(|| pkcs1(wrapped(der.expose())?));
        let key = key.ok_or_else(|| {
            Error::invalid_spec(
                "tls: failed to parse private key: it must be an RSA key, PKCS#1 or PKCS#8, without a password",
            )
        })?;
        Ok(Self(key))
    }

    /// The signature over a text, which must be shorter than the key by 11 bytes.
    pub(crate) fn sign(&self, text: &str) -> Result<Vec<u8>> {
        let padding = Pkcs1v15Sign {
            hash_len: None,
            prefix: Box::default(),
        };
        self.0.sign(padding, text.as_bytes()).map_err(|_| {
            Error::invalid_spec(
                "the request cannot be signed: the key needs 2048 bits or more, or the user name is too long",
            )
        })
    }
}

/// The bytes between the first lines that begin and end a block.
fn block(pem: &SecretValue) -> Option<SecretValue> {
    let text = pem.expose_utf8().ok()?;
    let (_, rest) = text.split_once("-----BEGIN ")?;
    let (_, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once("-----END ")?;
    let body: String = body.split_whitespace().collect();
    let body = SecretValue::from(body);
    decode(Encoding::Standard, body.expose())
        .ok()
        .map(SecretValue::new)
}

/// The key inside of PKCS#8: version, algorithm, and the key as bytes.
fn wrapped(der: &[u8]) -> Option<&[u8]> {
    let mut fields = take(&mut &*der, SEQUENCE)?;
    take(&mut fields, INTEGER)?;
    take(&mut fields, SEQUENCE)?;
    take(&mut fields, OCTETS)
}

/// Version, modulus, both exponents and both primes.
fn pkcs1(der: &[u8]) -> Option<RsaPrivateKey> {
    let mut fields = take(&mut &*der, SEQUENCE)?;
    take(&mut fields, INTEGER)?;
    let mut next = || take(&mut fields, INTEGER).map(BoxedUint::from_be_slice_vartime);
    let (modulus, public, private) = (next()?, next()?, next()?);
    let primes = vec![next()?, next()?];
    RsaPrivateKey::from_components(modulus, public, private, primes).ok()
}

/// Takes one DER element of a tag off the front and gives its content.
fn take<'a>(input: &mut &'a [u8], tag: u8) -> Option<&'a [u8]> {
    let (&first, rest) = input.split_first()?;
    let (&short, mut rest) = rest.split_first()?;
    if first != tag {
        return None;
    }
    let mut length = usize::from(short);
    if short & 0x80 != 0 {
        let (digits, tail) = rest.split_at_checked(usize::from(short & 0x7f))?;
        rest = tail;
        length = digits.iter().try_fold(0usize, |sum, digit| {
            sum.checked_mul(256)?.checked_add(usize::from(*digit))
        })?;
    }
    let (content, tail) = rest.split_at_checked(length)?;
    *input = tail;
    Some(content)
}

#[cfg(test)]
pub(crate) mod tests {
    use rsa::traits::PublicKeyParts as _;

    use super::*;

    /// Made for tests, of no use elsewhere.
    const PKCS1: &str = include_str!("../tests/pkcs1.pem");
    const PKCS8: &str = include_str!("../tests/pkcs8.pem");

    /// What a signature says, opened with the public half of the key.
    pub(crate) fn opened(key: &Key, signature: &[u8]) -> Vec<u8> {
        let number = |bytes: &[u8]| num_bigint::BigUint::from_bytes_be(bytes);
        let (e, n) = (number(&key.0.e_bytes()), number(&key.0.n_bytes()));
        let padded = number(signature).modpow(&e, &n).to_bytes_be();
        // The leading zero of `00 01 ff … ff 00 TEXT` is no digit.
        assert_eq!(padded.len() + 1, key.0.n_bytes().len());
        let text = padded.strip_prefix(&[1]).unwrap();
        let start = text.iter().take_while(|byte| **byte == 0xff).count();
        assert!(start >= 8);
        assert_eq!(text[start], 0);
        text[start + 1..].to_vec()
    }

    pub(crate) fn key() -> Key {
        Key::from_pem(&PKCS1.into()).unwrap()
    }

    #[test]
    fn both_forms_of_a_key_sign_alike_and_the_public_half_opens_it() {
        let other = Key::from_pem(&PKCS8.into()).unwrap();

        let signature = key().sign("Method:GET").unwrap();

        assert_eq!(signature, other.sign("Method:GET").unwrap());
        assert_eq!(opened(&other, &signature), b"Method:GET");
    }

    #[test]
    fn what_is_no_rsa_key_is_refused_without_showing_it() {
        let text = |pem: &str| Key::from_pem(&pem.into()).err().unwrap().to_string();

        assert_eq!(text("nonsense"), "private key block size invalid");
        let other = "-----BEGIN EC PRIVATE KEY-----\naHVudGVyMg==\n-----END EC PRIVATE KEY-----";
        assert!(text(other).starts_with("tls: failed to parse private key"));
    }

    #[test]
    fn a_text_as_long_as_the_key_cannot_be_signed() {
        assert!(key().sign(&"x".repeat(245)).is_ok());
        assert!(key().sign(&"x".repeat(246)).is_err());
    }
}
