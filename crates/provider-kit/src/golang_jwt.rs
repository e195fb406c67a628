//! Private keys for vendors whose SDK signs with Go's usual JWT library: what is refused is refused in
//! that library's words, and behind them stands what a key must be.

use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;

const BLOCK: &[u8] = b"-----BEGIN ";

/// The first private key of a PEM text.
pub fn rsa_key(pem: &SecretValue) -> Result<RsaKey> {
    RsaKey::from_pem(pem).map_err(|error| {
        let mut places = pem.expose().windows(BLOCK.len());
        error.context(if places.any(|place| place == BLOCK) {
            "key is not a valid RSA private key"
        } else {
            "invalid key: Key must be a PEM encoded PKCS1 or PKCS8 key"
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_key_is_refused_in_the_librarys_words_and_not_shown() {
        let block = "-----BEGIN PRIVATE KEY-----\naHVudGVyMg==\n-----END PRIVATE KEY-----\n";
        let table = [
            (
                "hunter2",
                "invalid key: Key must be a PEM encoded PKCS1 or PKCS8 key: ",
            ),
            (block, "key is not a valid RSA private key: "),
        ];

        for (text, start) in table {
            let error = rsa_key(&text.into()).unwrap_err().to_string();

            assert!(error.starts_with(start), "{error}");
            assert!(!error.contains("hunter2"));
        }
    }
}
