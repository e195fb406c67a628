//! Password-based encryption: PBES2 with AES, and the triple DES and RC2 of old files.

use aes::cipher::KeyInit as _;

use super::kdf::{self, Hash, Purpose, Secret};
use super::{malformed, utf8_password};
use crate::crypto::cbc;
use crate::der::{Reader, oid, tag};
use crate::failure::{Failure, Outcome};
use crate::limits::Meter;

/// A cipher with its key and first mask.
struct Cipher {
    kind: Kind,
    key: Vec<u8>,
    iv: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Aes128,
    Aes192,
    Aes256,
    TripleDes,
    Rc2,
}

impl Kind {
    fn block(self) -> usize {
        match self {
            Self::Aes128 | Self::Aes192 | Self::Aes256 => 16,
            Self::TripleDes | Self::Rc2 => 8,
        }
    }
}

/// The contents that `data` was encrypted from; `algorithm` is the body of its identifier.
pub(super) fn decrypt(
    meter: &mut Meter,
    algorithm: Reader<'_>,
    data: &[u8],
    password: &[u8],
) -> Outcome<Vec<u8>> {
    let cipher = cipher(meter, algorithm, password)?;
    let block = cipher.kind.block();
    if data.is_empty() {
        return Err(Failure::new("pkcs12: empty encrypted data"));
    }
    if !data.len().is_multiple_of(block) {
        return Err(Failure::new(
            "pkcs12: input is not a multiple of the block size",
        ));
    }
    let mut plain = data.to_vec();
    let (key, iv) = (&cipher.key[..], &cipher.iv[..]);
    match cipher.kind {
        Kind::Aes128 => aes::Aes128::new_from_slice(key).map(|c| cbc::decrypt(&c, iv, &mut plain)),
        Kind::Aes192 => aes::Aes192::new_from_slice(key).map(|c| cbc::decrypt(&c, iv, &mut plain)),
        Kind::Aes256 => aes::Aes256::new_from_slice(key).map(|c| cbc::decrypt(&c, iv, &mut plain)),
        Kind::TripleDes => {
            des::TdesEde3::new_from_slice(key).map(|c| cbc::decrypt(&c, iv, &mut plain))
        }
        Kind::Rc2 => {
            let rc2 = rc2::Rc2::new_with_eff_key_len(key, key.len() * 8);
            cbc::decrypt(&rc2, iv, &mut plain);
            Ok(())
        }
    }
    .map_err(|_| malformed())?;
    unpad(plain, block)
}

fn unpad(mut plain: Vec<u8>, block: usize) -> Outcome<Vec<u8>> {
    let wrong = || Failure::new("pkcs12: decryption error, incorrect padding");
    let padding = plain.last().copied().ok_or_else(wrong)?;
    let count = usize::from(padding);
    let good = count > 0
        && count <= block
        && plain.len() >= count
        && plain[plain.len() - count..]
            .iter()
            .all(|byte| *byte == padding);
    if !good {
        return Err(wrong());
    }
    plain.truncate(plain.len() - count);
    Ok(plain)
}

fn cipher(meter: &mut Meter, mut algorithm: Reader<'_>, password: &[u8]) -> Outcome<Cipher> {
    let id = algorithm.oid().ok_or_else(malformed)?;
    let (kind, size) = match id {
        oid::PBES2 => {
            let password = utf8_password(password);
            let params = algorithm.sequence().ok_or_else(malformed)?;
            return pbes2(meter, params, &password);
        }
        oid::PBE_SHA_3DES => (Kind::TripleDes, 24),
        oid::PBE_SHA_RC2_128 => (Kind::Rc2, 16),
        oid::PBE_SHA_RC2_40 => (Kind::Rc2, 5),
        _ => {
            let id = oid::dotted(id);
            return Err(Failure::new(format!(
                "pkcs12: pbe algorithm {id} is not supported"
            )));
        }
    };
    let mut params = algorithm.sequence().ok_or_else(malformed)?;
    let salt = params.octets().ok_or_else(malformed)?;
    let rounds = params.number().ok_or_else(malformed)?;
    let secret = Secret {
        salt,
        rounds,
        password,
    };
    let key = kdf::derive(meter, Hash::Sha1, &secret, Purpose::Key, size)?;
    let iv = kdf::derive(meter, Hash::Sha1, &secret, Purpose::Iv, 8)?;
    Ok(Cipher { kind, key, iv })
}

fn pbes2(meter: &mut Meter, mut params: Reader<'_>, password: &[u8]) -> Outcome<Cipher> {
    let derivation = params.sequence().ok_or_else(malformed)?;
    let pbkdf2 = Pbkdf2::read(derivation, "pbes2 kdf algorithm", "pbes2 prf")?;
    let mut scheme = params.sequence().ok_or_else(malformed)?;
    let id = scheme.oid().ok_or_else(malformed)?;
    let (kind, size) = match id {
        oid::AES128_CBC => (Kind::Aes128, 16),
        oid::AES192_CBC => (Kind::Aes192, 24),
        oid::AES256_CBC => (Kind::Aes256, 32),
        _ => {
            let id = oid::dotted(id);
            return Err(Failure::new(format!(
                "pkcs12: pbes2 algorithm {id} is not supported"
            )));
        }
    };
    let iv = scheme
        .octets()
        .filter(|iv| iv.len() == 16)
        .ok_or_else(malformed)?
        .to_vec();
    let secret = Secret {
        salt: pbkdf2.salt,
        rounds: pbkdf2.rounds,
        password,
    };
    let key = kdf::pbkdf2(meter, pbkdf2.hash, &secret, size)?;
    Ok(Cipher { kind, key, iv })
}

/// The parameters of PBKDF2.
pub(super) struct Pbkdf2<'d> {
    pub(super) salt: &'d [u8],
    pub(super) rounds: u64,
    pub(super) key_len: Option<u64>,
    pub(super) hash: Hash,
}

impl<'d> Pbkdf2<'d> {
    /// Reads the body of an algorithm identifier; the labels are for error texts.
    pub(super) fn read(mut kdf: Reader<'d>, kdf_label: &str, prf_label: &str) -> Outcome<Self> {
        let id = kdf.oid().ok_or_else(malformed)?;
        if id != oid::PBKDF2 {
            let id = oid::dotted(id);
            return Err(Failure::new(format!(
                "pkcs12: {kdf_label} {id} is not supported"
            )));
        }
        let mut fields = kdf.sequence().ok_or_else(malformed)?;
        let salt = fields.octets().ok_or_else(malformed)?;
        let rounds = fields.number().ok_or_else(malformed)?;
        let key_len = match fields.optional(tag::INTEGER) {
            Some(len) => Some(Reader::new(len.whole).number().ok_or_else(malformed)?),
            None => None,
        };
        let hash = match fields.sequence() {
            None => Hash::Sha1,
            Some(mut prf) => hmac_hash(prf.oid().ok_or_else(malformed)?, prf_label)?,
        };
        Ok(Self {
            salt,
            rounds,
            key_len,
            hash,
        })
    }
}

/// The hash of an HMAC identifier.
pub(super) fn hmac_hash(id: &[u8], label: &str) -> Outcome<Hash> {
    match id {
        oid::HMAC_SHA1 => Ok(Hash::Sha1),
        oid::HMAC_SHA256 => Ok(Hash::Sha256),
        oid::HMAC_SHA512 => Ok(Hash::Sha512),
        _ => {
            let id = oid::dotted(id);
            Err(Failure::new(format!(
                "pkcs12: {label} {id} is not supported"
            )))
        }
    }
}
