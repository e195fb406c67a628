//! Decoding of fetched values and the null-byte policy. Errors name keys, never values.

use lockstep_api::external_secret::DecodingStrategy;
use lockstep_golang::base64::{Encoding, decode};
use lockstep_provider_api::{Error, SecretMap, SecretValue};

/// Decodes one value.
pub(crate) fn decode_value(
    value: SecretValue,
    strategy: Option<&DecodingStrategy>,
) -> Result<SecretValue, Error> {
    let wanted = strategy.unwrap_or(&DecodingStrategy::None);
    apply(&value, wanted).map_err(|text| {
        Error::invalid_data(format!(
            "error applying decoding strategy {wanted} to data: {text}"
        ))
    })
}

/// Decodes every value of a map; the error names the first key that fails.
pub(crate) fn decode_map(
    map: SecretMap,
    strategy: Option<&DecodingStrategy>,
) -> Result<SecretMap, Error> {
    let wanted = strategy.unwrap_or(&DecodingStrategy::None);
    let decoded = map.into_iter().map(|(key, value)| match apply(&value, wanted) {
        Ok(value) => Ok((key, value)),
        Err(text) => Err(Error::invalid_data(format!(
            "error applying decoding strategy {wanted} to data: failure decoding key {key}: {text}"
        ))),
    });
    decoded.collect()
}

/// Decodes as a strategy says; the error is Go's text.
pub(crate) fn apply(
    value: &SecretValue,
    strategy: &DecodingStrategy,
) -> Result<SecretValue, String> {
    let base64 = |encoding| decode(encoding, value.expose()).map(SecretValue::new);
    match strategy {
        DecodingStrategy::None => Ok(value.clone()),
        DecodingStrategy::Base64 => base64(Encoding::Standard).map_err(|error| error.to_string()),
        DecodingStrategy::Base64Url => base64(Encoding::Url).map_err(|error| error.to_string()),
        DecodingStrategy::Auto => {
            let decoded = base64(Encoding::Standard).or_else(|_| base64(Encoding::Url));
            Ok(decoded.unwrap_or_else(|_| value.clone()))
        }
        DecodingStrategy::Unknown(word) if word.is_empty() => Ok(value.clone()),
        DecodingStrategy::Unknown(word) => {
            Err(format!("decoding strategy {word} is not supported"))
        }
    }
}

/// Refuses values with null bytes; the error names the first key in order.
pub(crate) fn refuse_null_bytes(map: &SecretMap) -> Result<(), Error> {
    match map.iter().find(|(_, value)| value.expose().contains(&0)) {
        None => Ok(()),
        Some((key, _)) => Err(Error::invalid_data(format!(
            "fetched secret value for key {key:?} contains null bytes; use a text-safe format such \
             as PEM/base64 or leave nullBytePolicy unset for intentional binary data"
        ))),
    }
}
