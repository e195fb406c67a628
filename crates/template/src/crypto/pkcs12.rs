//! PKCS #12 files, read and written as `go-pkcs12` 0.7 does.
//!
//! Reading takes the ciphers of old and new files; writing uses the new ones only. Key derivation
//! is counted in steps, because the file says how long it takes.

mod cipher;
mod decode;
mod encode;
mod kdf;

pub(crate) use decode::decode;
pub(crate) use encode::{encode, encode_trust_store};

use super::keys::PrivateKey;
use crate::failure::{Failure, Outcome};
use crate::x509::Certificate;

/// What a file holds: one key, its certificate, and further certificates in their order.
pub(crate) struct Contents {
    pub(crate) key: PrivateKey,
    pub(crate) certificate: Certificate,
    pub(crate) others: Vec<Certificate>,
}

fn malformed() -> Failure {
    Failure::new("asn1: structure error")
}

/// The password in UCS-2 with a zero at the end.
fn password_bytes(password: &[u8]) -> Outcome<Vec<u8>> {
    let mut bytes = ucs2(password)?;
    bytes.extend([0, 0]);
    Ok(bytes)
}

fn ucs2(text: &[u8]) -> Outcome<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() * 2);
    for (_, rune) in lockstep_golang::unicode::runes(text) {
        match u16::try_from(u32::from(rune)) {
            Ok(unit) => out.extend(unit.to_be_bytes()),
            Err(_) => {
                return Err(Failure::new(
                    "pkcs12: string contains characters that cannot be encoded in UCS-2",
                ));
            }
        }
    }
    Ok(out)
}

/// The password as it was given, from its UCS-2 form.
fn utf8_password(ucs2: &[u8]) -> Vec<u8> {
    let ucs2 = ucs2.strip_suffix(&[0, 0]).unwrap_or(ucs2);
    let units: Vec<u16> = ucs2
        .chunks_exact(2)
        .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
        .collect();
    String::from_utf16_lossy(&units).into_bytes()
}
