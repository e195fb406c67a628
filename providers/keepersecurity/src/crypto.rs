//! Keeper's cryptography: AES-256-GCM with the nonce in front, encryption to a point on P-256, and the
//! device's signatures. Nothing here knows what is encrypted; failures say nothing about it.

use lockstep_provider_api::SecretValue;
use lockstep_provider_kit::base64::{self, Encoding};
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{DerSignature, SigningKey};
use p256::elliptic_curve::sec1::ToSec1Point as _;
use p256::pkcs8::DecodePrivateKey as _;
use p256::{PublicKey, SecretKey, ecdh};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};
use zeroize::Zeroizing;

/// Bytes of a key.
const KEY_LENGTH: usize = 32;

/// A symmetric key.
#[derive(Clone)]
pub(crate) struct Key(SecretValue);

/// The key with which a device signs.
pub(crate) struct Device(SigningKey);

impl Key {
    /// A key of the right length.
    pub(crate) fn new(bytes: SecretValue) -> Option<Self> {
        (bytes.len() == KEY_LENGTH).then_some(Self(bytes))
    }

    /// A new key.
    pub(crate) fn random() -> Option<Self> {
        let bytes: [u8; KEY_LENGTH] = random()?;
        Some(Self(SecretValue::new(bytes.to_vec())))
    }

    /// Its bytes, to be encrypted with another one.
    pub(crate) fn expose(&self) -> &[u8] {
        self.0.expose()
    }

    /// Encrypts; a new nonce goes in front.
    pub(crate) fn seal(&self, plain: &[u8]) -> Option<Vec<u8>> {
        let nonce: [u8; NONCE_LEN] = random()?;
        let mut sealed = plain.to_vec();
        let by = Nonce::assume_unique_for_key(nonce);
        let cipher = self.cipher()?;
        cipher
            .seal_in_place_append_tag(by, Aad::empty(), &mut sealed)
            .ok()?;
        Some([&nonce[..], &sealed].concat())
    }

    /// Decrypts and checks.
    pub(crate) fn open(&self, sealed: &[u8]) -> Option<SecretValue> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut buffer = Zeroizing::new(sealed.to_vec());
        let plain = self
            .cipher()?
            .open_in_place(nonce, Aad::empty(), &mut buffer);
        Some(SecretValue::new(plain.ok()?.to_vec()))
    }

    /// Decrypts what is base64.
    pub(crate) fn open_text(&self, sealed: &str) -> Option<SecretValue> {
        self.open(&decode(sealed)?)
    }

    fn cipher(&self) -> Option<LessSafeKey> {
        let key = UnboundKey::new(&AES_256_GCM, self.0.expose()).ok()?;
        Some(LessSafeKey::new(key))
    }
}

impl Device {
    /// The private key of a device, PKCS #8 in DER.
    pub(crate) fn new(der: &[u8]) -> Option<Self> {
        let key = SecretKey::from_pkcs8_der(der).ok()?;
        Some(Self(SigningKey::from(&key)))
    }

    /// Signs bytes; the signature is DER.
    pub(crate) fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        let signature: DerSignature = self.0.sign(bytes);
        signature.as_bytes().to_vec()
    }
}

/// Encrypts to who holds the private key of a point: the point of a new key, then what is encrypted
/// with the secret that both share.
pub(crate) fn seal_to(point: &[u8], plain: &[u8]) -> Option<Vec<u8>> {
    let public = PublicKey::from_sec1_bytes(point).ok()?;
    let own = ephemeral()?;
    let shared = ecdh::diffie_hellman(own.to_nonzero_scalar(), public.as_affine());
    let key = Key::new(SecretValue::new(shared.raw_secret_bytes().to_vec()))?;
    let own = own.public_key().to_sec1_point(false);
    Some([own.as_bytes(), &key.seal(plain)?].concat())
}

/// Random bytes.
pub(crate) fn random<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(bytes)
}

/// Base64 of any kind, with or without padding.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let plain = text.trim().trim_end_matches('=');
    let plain = plain.replace('+', "-").replace('/', "_");
    base64::decode(Encoding::RawUrl, plain.as_bytes()).ok()
}

/// Base64 with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    base64::encode(Encoding::Standard, bytes)
}

/// Base64 for addresses, without padding.
pub(crate) fn encode_url(bytes: &[u8]) -> String {
    base64::encode(Encoding::RawUrl, bytes)
}

/// Almost all random numbers are keys; four in a row that are none mean a broken source.
fn ephemeral() -> Option<SecretKey> {
    (0..4).find_map(|_| {
        let bytes = Zeroizing::new(random::<KEY_LENGTH>()?);
        SecretKey::from_slice(&*bytes).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_opened_by_the_same_key_and_no_other() {
        let key = Key::random().unwrap();
        let sealed = key.seal(b"plain").unwrap();

        assert_eq!(key.open(&sealed).unwrap(), "plain".into());
        assert!(Key::random().unwrap().open(&sealed).is_none());
        assert!(key.open(&sealed[..8]).is_none());
        assert!(Key::new("short".into()).is_none());
    }

    #[test]
    fn the_holder_of_the_private_key_opens_what_is_sealed_to_its_point() {
        let holder = ephemeral().unwrap();
        let point = holder.public_key().to_sec1_point(false);

        let sealed = seal_to(point.as_bytes(), b"plain").unwrap();

        let (from, sealed) = sealed.split_at(65);
        let from = PublicKey::from_sec1_bytes(from).unwrap();
        let shared = ecdh::diffie_hellman(holder.to_nonzero_scalar(), from.as_affine());
        let key = Key::new(SecretValue::new(shared.raw_secret_bytes().to_vec())).unwrap();
        assert_eq!(key.open(sealed).unwrap(), "plain".into());
        assert!(seal_to(&[4; 65], b"plain").is_none());
    }

    #[test]
    fn base64_of_each_kind_is_read() {
        for text in ["+/8=", "-_8", " -_8=\n"] {
            assert_eq!(decode(text).unwrap(), [0xfb, 0xff], "{text}");
        }
        assert!(decode("no base64!").is_none());
    }
}
