//! The form in which the backend keeps names and values: AES-256 in CBC mode under a key made of a passcode and a
//! salt, as CryptoJS and OpenSSL have it. Errors say nothing of what was decrypted.

use aes::Aes256;
use aes::cipher::{Block, BlockCipherDecrypt as _, KeyInit as _};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::base64::{Encoding, decode};
use md5::{Digest as _, Md5};
use zeroize::Zeroizing;

const MAGIC: &[u8] = b"Salted__";
const SALT: usize = 8;
const KEY: usize = 32;
const BLOCK: usize = 16;

/// The text behind a ciphertext in base64. A wrong passcode is found out by the padding and by text that is none.
pub(crate) fn decrypt(text: &str, passcode: &SecretValue) -> Result<SecretValue> {
    let refused = || Error::invalid_data("unable to decrypt secret payload");
    let sealed = decode(Encoding::Standard, text.as_bytes()).map_err(|_| refused())?;
    let rest = sealed.strip_prefix(MAGIC).ok_or_else(refused)?;
    let (salt, sealed) = rest.split_at_checked(SALT).ok_or_else(refused)?;
    if sealed.is_empty() || sealed.len() % BLOCK != 0 {
        return Err(refused());
    }
    let stretched = stretch(passcode.expose(), salt);
    let (key, iv) = stretched.split_at(KEY);
    let cipher = Aes256::new_from_slice(key).map_err(|_| refused())?;
    let mut open = Zeroizing::new(Vec::with_capacity(sealed.len()));
    let mut before = iv;
    for chunk in sealed.chunks_exact(BLOCK) {
        let mut block = Block::<Aes256>::default();
        block.copy_from_slice(chunk);
        cipher.decrypt_block(&mut block);
        open.extend(block.iter().zip(before).map(|(plain, mask)| plain ^ mask));
        before = chunk;
    }
    let open = unpadded(&open).ok_or_else(refused)?;
    std::str::from_utf8(open).map_err(|_| refused())?;
    Ok(SecretValue::from(open))
}

/// Key and first block out of a passcode: MD5 over and over, as `EVP_BytesToKey` does it.
fn stretch(passcode: &[u8], salt: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut all = Zeroizing::new(Vec::new());
    let mut last = Zeroizing::new(Vec::new());
    while all.len() < KEY + BLOCK {
        let mut hash = Md5::new();
        hash.update(&*last);
        hash.update(passcode);
        hash.update(salt);
        *last = hash.finalize().to_vec();
        all.extend_from_slice(&last);
    }
    all
}

fn unpadded(open: &[u8]) -> Option<&[u8]> {
    let count = usize::from(*open.last()?);
    let (text, padding) = open.split_at_checked(open.len().checked_sub(count)?)?;
    let is_padding = |byte: &u8| usize::from(*byte) == count;
    (1..=BLOCK).contains(&count).then_some(())?;
    padding.iter().all(is_padding).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &str, passcode: &str) -> Result<String> {
        let value = decrypt(text, &passcode.into())?;
        Ok(value.expose_utf8()?.to_owned())
    }

    /// Made by OpenSSL, not by this code.
    const NAME: &str = "U2FsdGVkX1/scuuFVB/mmGdoc0YLtCr9/B5Zu+dymZw=";
    const LONG: &str =
        "U2FsdGVkX18ps44NHf+mZGHHsckapJ6PQHuuqQZYKtU+ZkO3ZDJGToP/Rr+kcJ8dj3NfVnQcjc5b2Aht1VhS/g==";

    #[test]
    fn what_another_implementation_sealed_is_opened() {
        assert_eq!(open(NAME, "case-passcode").unwrap(), "API_KEY");
        assert_eq!(
            open(LONG, "case-passcode").unwrap(),
            r#"{"user":"u1","port":5432,"nested":{"a":"b"}}"#
        );
    }

    #[test]
    fn a_wrong_passcode_and_what_is_no_ciphertext_are_refused() {
        let cases = [
            (NAME, "other"),
            ("cGxhaW4gdGV4dCBoZXJl", "case-passcode"),
            ("U2FsdGVkX1/scuuF", "case-passcode"),
            ("U2FsdGVkX1/scuuFVB/mmA==", "case-passcode"),
            ("not base64", "case-passcode"),
            ("", "case-passcode"),
        ];
        for (text, passcode) in cases {
            let error = open(text, passcode).unwrap_err();

            assert_eq!(
                error.to_string(),
                "unable to decrypt secret payload",
                "{text}"
            );
        }
    }
}
