//! Sealed boxes of libsodium: anybody can close one for a public key, only its owner can open it.

use crypto_box::PublicKey;
use crypto_box::aead::OsRng;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::base64::{Encoding, decode, encode};

/// The value in a box for a public key, both in base64.
pub(crate) fn sealed(value: &SecretValue, key: &str) -> Result<String> {
    let bytes = decode(Encoding::Standard, key.as_bytes())
        .map_err(|error| Error::invalid_data(format!("unable to decode public key: {error}")))?;
    let bytes: [u8; 32] = bytes.try_into().map_err(|_| {
        Error::invalid_data("unable to decode public key: it does not have 32 bytes")
    })?;
    let closed = PublicKey::from(bytes).seal(&mut OsRng, value.expose());
    let closed = closed
        .map_err(|_| Error::invalid_data("the value cannot be sealed for this public key"))?;
    Ok(encode(Encoding::Standard, closed))
}

#[cfg(test)]
mod tests {
    use crypto_box::SecretKey;

    use super::*;

    #[test]
    fn the_owner_of_the_key_opens_the_box() {
        let own = SecretKey::generate(&mut OsRng);
        let key = encode(Encoding::Standard, own.public_key().as_bytes());

        let closed = sealed(&"värde".into(), &key).unwrap();

        let closed = decode(Encoding::Standard, closed.as_bytes()).unwrap();
        assert_eq!(own.unseal(&closed).unwrap(), "värde".as_bytes());
    }

    #[test]
    fn a_key_that_is_none_is_refused() {
        for key in ["", "AAAA", "no base64!"] {
            let error = sealed(&"v".into(), key).unwrap_err();

            assert_eq!(error.kind(), &ErrorKind::InvalidData);
        }
    }
}
