//! `MFA`: the one-time code of RFC 6238 for a seed in a Secret, and the seconds it stays valid. All
//! hashes of the API are honoured. The code ends too soon to plan a refresh for it.

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_api::{
    Ctx, Error, Generated, Generator, Random, Result, SecretMap, SecretValue,
};
use serde::Deserialize;
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512, Sha512_256};

const DEFAULT_LENGTH: u32 = 6;
const DEFAULT_PERIOD: i64 = 30;
/// Digits of the number a code is taken from; a longer code would be zeros in front.
const MAX_LENGTH: u32 = 10;

/// `spec` of an MFA.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    secret: SecretKeySelector,
    length: Option<u32>,
    time_period: Option<i64>,
    algorithm: Option<String>,
    when: Option<Timestamp>,
}

pub(crate) struct Mfa;

impl Generator for Mfa {
    const KIND: &'static str = "MFA";
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let seed = seed(&spec.secret, ctx).await?;
        let when = spec.when.unwrap_or_else(|| ctx.now()).as_second();
        let period = spec.time_period.filter(|period| *period > 0);
        let period = period.unwrap_or(DEFAULT_PERIOD);
        let code = code(&spec, &decode_seed(&seed)?, when.div_euclid(period))?;
        let left = period - when.rem_euclid(period);
        Ok(Generated::from(SecretMap::from_iter([
            ("token".to_owned(), SecretValue::from(code)),
            ("timeLeft".to_owned(), SecretValue::from(left.to_string())),
        ])))
    }
}

async fn seed(selector: &SecretKeySelector, ctx: &Ctx) -> Result<SecretValue> {
    let read = ctx.labelled_secret(selector).await;
    let mut secret = read.map_err(|error| error.context("failed to find secret for token key"))?;
    let key = selector.key.as_deref().unwrap_or_default();
    secret.data.remove(key).ok_or_else(|| {
        Error::invalid_spec(format!(
            "secret key {key} does not exist in secret data map"
        ))
    })
}

/// Base32 without padding, in groups and letters of any case, as providers print it.
fn decode_seed(seed: &SecretValue) -> Result<zeroize::Zeroizing<Vec<u8>>> {
    let mut bytes = zeroize::Zeroizing::new(Vec::with_capacity(seed.len()));
    let (mut held, mut bits) = (0u32, 0u32);
    for byte in seed.without_final_newline() {
        let digit = match byte.to_ascii_uppercase() {
            b' ' => continue,
            letter @ b'A'..=b'Z' => letter - b'A',
            digit @ b'2'..=b'7' => digit - b'2' + 26,
            _ => {
                return Err(Error::invalid_spec(
                    "failed to generate code for token key: the seed is not base32 without padding",
                ));
            }
        };
        held = held << 5 | u32::from(digit);
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.extend((held >> bits).to_le_bytes().first());
            held &= (1 << bits) - 1;
        }
    }
    Ok(bytes)
}

fn code(spec: &Spec, seed: &[u8], counter: i64) -> Result<String> {
    let length = spec.length.filter(|length| *length > 0);
    let length = length.unwrap_or(DEFAULT_LENGTH);
    if length > MAX_LENGTH {
        return Err(Error::invalid_spec(format!(
            "spec.length is {length}; at most {MAX_LENGTH} is allowed"
        )));
    }
    let sum = digest(spec.algorithm.as_deref(), seed, &counter.to_be_bytes())?;
    // The last half byte says where the number begins (RFC 4226, section 5.4).
    let at = usize::from(sum.last().copied().unwrap_or_default() & 0x0f);
    let number = sum.get(at..at + 4).map_or(0, |bytes| {
        bytes
            .iter()
            .fold(0u32, |sum, byte| sum << 8 | u32::from(*byte))
    });
    let number = u64::from(number & 0x7fff_ffff) % 10u64.pow(length);
    let width = usize::try_from(length).unwrap_or_default();
    Ok(format!("{number:0width$}"))
}

fn digest(algorithm: Option<&str>, key: &[u8], message: &[u8]) -> Result<Vec<u8>> {
    macro_rules! hmac {
        ($hash:ty) => {{
            // A key of any length is taken.
            let keyed = Hmac::<$hash>::new_from_slice(key);
            let keyed = keyed.map_err(|_| Error::invalid_spec("the seed is no key"))?;
            keyed.chain_update(message).finalize().into_bytes().to_vec()
        }};
    }
    Ok(match algorithm.unwrap_or_default() {
        "" | "sha1" => hmac!(Sha1),
        "sha256" => hmac!(Sha256),
        "sha384" => hmac!(Sha384),
        "sha512" => hmac!(Sha512),
        "sha512_256" => hmac!(Sha512_256),
        other => {
            return Err(Error::invalid_spec(format!(
                "{other} for hash function is invalid; spec.algorithm is one of sha1, sha256, \
                 sha384, sha512, sha512_256"
            )));
        }
    })
}

#[cfg(test)]
mod tests;
