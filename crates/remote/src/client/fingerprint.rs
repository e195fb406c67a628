//! Fingerprints of answers: keyed hashes that tell whether an answer is another one without keeping
//! it. An error that says something about the secret has one too.

use lockstep_plan::Salt;
use lockstep_plan::external_secret::Payload;
use lockstep_plan::failure::{describe, stable};
use lockstep_provider_api::{Error, Result};

/// The fingerprint of an answer.
pub(super) fn of(answer: &Result<Payload>, salt: &Salt) -> u64 {
    match answer {
        Ok(Payload::Value(value)) => salt.fingerprint(&[b"value", value.expose()]),
        Ok(Payload::Map(map)) => {
            let mut parts: Vec<&[u8]> = vec![b"map"];
            for (key, value) in map.iter() {
                parts.push(key.as_bytes());
                parts.push(value.expose());
            }
            salt.fingerprint(&parts)
        }
        Err(error) => of_error(error, salt),
    }
}

fn of_error(error: &Error, salt: &Salt) -> u64 {
    // Request ids and the like differ each time and say nothing.
    let text = describe(error);
    let text = stable(&text);
    salt.fingerprint(&[
        b"error",
        error.consequence().cause.as_bytes(),
        text.as_bytes(),
    ])
}

/// Bytes of the values in an answer.
pub(super) fn size(answer: &Result<Payload>) -> usize {
    answer.as_ref().map_or(0, size_of)
}

/// Bytes of values.
pub fn size_of(payload: &Payload) -> usize {
    match payload {
        Payload::Value(value) => value.len(),
        Payload::Map(map) => map.iter().map(|(key, value)| key.len() + value.len()).sum(),
    }
}
