//! Makes the numbers of a key pair, in the order in which OpenSSH writes them. Formats are in
//! `openssh`.

use ed25519_dalek::SigningKey;
use lockstep_provider_api::{Error, Random, Result};
use p256::elliptic_curve::sec1::ToSec1Point as _;
use rsa::traits::{PrivateKeyParts as _, PublicKeyParts as _};
use rsa::{BoxedUint, RsaPrivateKey};
use zeroize::Zeroizing;

use super::openssh::{KeyPair, Writer};
use crate::random::KeyRandom;

/// A curve for ECDSA.
#[derive(Clone, Copy)]
pub(super) enum Curve {
    P256,
    P384,
    P521,
}

/// An RSA key of so many bits.
pub(super) fn rsa(bits: usize, random: &mut dyn Random) -> Result<KeyPair> {
    const KIND: &str = "ssh-rsa";
    let failed = || Error::invalid_spec("unable to generate SSH key: no RSA key of that size");
    let key = RsaPrivateKey::new(&mut KeyRandom(random), bits).map_err(|_| failed())?;
    let [p, q] = key.primes() else {
        return Err(failed());
    };
    let inverse = key.crt_coefficient().ok_or_else(failed)?;
    let number = |n: &BoxedUint| Zeroizing::new(n.to_be_bytes().to_vec());
    let (n, e) = (key.n_bytes(), key.e_bytes());

    let mut public = Writer::default();
    public.text(KIND).number(&e).number(&n);
    let mut private = Writer::default();
    private.text(KIND).number(&n).number(&e);
    for part in [key.d(), &inverse, p, q] {
        private.number(&number(part));
    }
    Ok(KeyPair {
        kind: KIND,
        public,
        private,
    })
}

/// An ECDSA key.
pub(super) fn ecdsa(curve: Curve, random: &mut dyn Random) -> KeyPair {
    macro_rules! pair {
        ($curve:ident, $length:literal, $top:literal) => {{
            loop {
                let mut bytes = Zeroizing::new([0u8; $length]);
                random.fill(&mut *bytes);
                bytes[0] &= $top;
                // Numbers outside of the group are thrown away, so that all others are as likely.
                if let Ok(key) = $curve::SecretKey::from_slice(&*bytes) {
                    let point = key.public_key().to_sec1_point(false);
                    break (point.as_bytes().to_vec(), Zeroizing::new(bytes.to_vec()));
                }
            }
        }};
    }
    let (kind, name, (point, scalar)) = match curve {
        Curve::P256 => ("ecdsa-sha2-nistp256", "nistp256", pair!(p256, 32, 0xff)),
        Curve::P384 => ("ecdsa-sha2-nistp384", "nistp384", pair!(p384, 48, 0xff)),
        Curve::P521 => ("ecdsa-sha2-nistp521", "nistp521", pair!(p521, 66, 0x01)),
    };
    let mut public = Writer::default();
    public.text(kind).text(name).bytes(&point);
    let mut private = Writer::default();
    private.text(kind).text(name).bytes(&point).number(&scalar);
    KeyPair {
        kind,
        public,
        private,
    }
}

/// An Ed25519 key.
pub(super) fn ed25519(random: &mut dyn Random) -> KeyPair {
    const KIND: &str = "ssh-ed25519";
    let mut seed = Zeroizing::new([0; 32]);
    random.fill(&mut *seed);
    let key = SigningKey::from_bytes(&seed);
    let point = key.verifying_key().to_bytes();
    let both = Zeroizing::new([&seed[..], &point[..]].concat());
    let mut public = Writer::default();
    public.text(KIND).bytes(&point);
    let mut private = Writer::default();
    private.text(KIND).bytes(&point).bytes(&both);
    KeyPair {
        kind: KIND,
        public,
        private,
    }
}
