//! Keys from passwords: the derivation of PKCS #12 itself, and PBKDF2.

use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use crate::failure::Outcome;
use crate::limits::Meter;

/// The hash under a derivation or code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hash {
    Sha1,
    Sha256,
    Sha512,
}

impl Hash {
    fn block(self) -> usize {
        if self == Self::Sha512 { 128 } else { 64 }
    }

    pub(super) fn size(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha512 => 64,
        }
    }

    fn digest(self, data: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha1 => Sha1::digest(data).to_vec(),
            Self::Sha256 => Sha256::digest(data).to_vec(),
            Self::Sha512 => Sha512::digest(data).to_vec(),
        }
    }
}

/// What a derived key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Key = 1,
    Iv = 2,
    Mac = 3,
}

/// Salt, rounds and password of a derivation.
pub(super) struct Secret<'s> {
    pub(super) salt: &'s [u8],
    pub(super) rounds: u64,
    pub(super) password: &'s [u8],
}

/// Counts the rounds of a derivation as steps.
fn charge(meter: &mut Meter, rounds: u64, blocks: usize) -> Outcome<()> {
    Ok(meter.step(rounds.saturating_mul(blocks as u64).saturating_mul(4))?)
}

/// RFC 7292, appendix B.
pub(super) fn derive(
    meter: &mut Meter,
    hash: Hash,
    secret: &Secret<'_>,
    purpose: Purpose,
    size: usize,
) -> Outcome<Vec<u8>> {
    let block = hash.block();
    let blocks = size.div_ceil(hash.size());
    charge(meter, secret.rounds, blocks)?;
    let mut input = repeated(secret.salt, block);
    input.extend(repeated(secret.password, block));
    let mut out = Vec::with_capacity(blocks * hash.size());
    for _ in 0..blocks {
        let mut digest = hash.digest(&[vec![purpose as u8; block], input.clone()].concat());
        for _ in 1..secret.rounds {
            digest = hash.digest(&digest);
        }
        let filler: Vec<u8> = digest.iter().copied().cycle().take(block).collect();
        for part in input.chunks_mut(block) {
            add(part, &filler);
        }
        out.extend(digest);
    }
    out.truncate(size);
    Ok(out)
}

/// The pattern over and over, up to whole blocks.
fn repeated(pattern: &[u8], block: usize) -> Vec<u8> {
    pattern
        .iter()
        .copied()
        .cycle()
        .take(pattern.len().div_ceil(block) * block)
        .collect()
}

/// `number += other + 1`, both big-endian and equally long, the carry dropped.
fn add(number: &mut [u8], other: &[u8]) {
    let mut carry = 1u16;
    for (digit, more) in number.iter_mut().zip(other).rev() {
        let sum = u16::from(*digit) + u16::from(*more) + carry;
        let [high, low] = sum.to_be_bytes();
        *digit = low;
        carry = u16::from(high);
    }
}

/// PBKDF2 with HMAC.
pub(super) fn pbkdf2(
    meter: &mut Meter,
    hash: Hash,
    secret: &Secret<'_>,
    size: usize,
) -> Outcome<Vec<u8>> {
    charge(meter, secret.rounds, size.div_ceil(hash.size()))?;
    let rounds = u32::try_from(secret.rounds).unwrap_or(u32::MAX).max(1);
    let mut key = vec![0; size];
    let (password, salt) = (secret.password, secret.salt);
    match hash {
        Hash::Sha1 => pbkdf2::pbkdf2_hmac::<Sha1>(password, salt, rounds, &mut key),
        Hash::Sha256 => pbkdf2::pbkdf2_hmac::<Sha256>(password, salt, rounds, &mut key),
        Hash::Sha512 => pbkdf2::pbkdf2_hmac::<Sha512>(password, salt, rounds, &mut key),
    }
    Ok(key)
}

/// HMAC
pub(super) fn mac(hash: Hash, key: &[u8], message: &[u8]) -> Vec<u8> {
    use hmac::{Hmac, KeyInit as _, Mac as _};
    macro_rules! code {
        ($digest:ty) => {
            Hmac::<$digest>::new_from_slice(key)
                .map(|mut mac| {
                    mac.update(message);
                    mac.finalize().into_bytes().to_vec()
                })
                .unwrap_or_default()
        };
    }
    match hash {
        Hash::Sha1 => code!(Sha1),
        Hash::Sha256 => code!(Sha256),
        Hash::Sha512 => code!(Sha512),
    }
}
