//! Encodings of generated values.

use lockstep_golang::base64::{self, Encoding};
use lockstep_provider_api::{Error, Result};

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Encodes as `spec.encoding` says; nothing and `raw` leave the bytes.
pub(crate) fn encode(bytes: &[u8], encoding: Option<&str>) -> Result<Vec<u8>> {
    Ok(match encoding {
        None | Some("" | "raw") => bytes.to_vec(),
        Some("base64") => base64::encode(Encoding::Standard, bytes).into_bytes(),
        Some("base64url") => base64::encode(Encoding::Url, bytes).into_bytes(),
        Some("base32") => base32(bytes).into_bytes(),
        Some("hex") => hex(bytes).into_bytes(),
        Some(other) => {
            let text = format!(
                "spec.encoding {other:?} is not one of raw, base64, base64url, base32, hex"
            );
            return Err(Error::invalid_spec(text));
        }
    })
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 0x0f)])
        .collect()
}

fn base32(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    for chunk in bytes.chunks(5) {
        let mut block = [0; 8];
        block[3..3 + chunk.len()].copy_from_slice(chunk);
        let bits = u64::from_be_bytes(block);
        let letters = (chunk.len() * 8).div_ceil(5);
        for at in 0..8 {
            let index = usize::try_from(bits >> (35 - 5 * at) & 31).unwrap_or_default();
            text.push(if at < letters {
                char::from(BASE32[index])
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base32_has_the_results_of_rfc_4648() {
        let cases = [
            ("", ""),
            ("f", "MY======"),
            ("fo", "MZXQ===="),
            ("foo", "MZXW6==="),
            ("foob", "MZXW6YQ="),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI======"),
        ];

        for (plain, encoded) in cases {
            assert_eq!(base32(plain.as_bytes()), encoded, "{plain}");
        }
    }

    #[test]
    fn an_unknown_encoding_is_named() {
        let error = encode(b"x", Some("rot13")).unwrap_err();

        assert!(error.to_string().contains("rot13"));
    }

    #[test]
    fn hex_and_base64_are_the_usual_ones() {
        assert_eq!(encode(b"\xff\x00", Some("hex")).unwrap(), b"ff00");
        assert_eq!(encode(b"\xff\xfe", Some("base64")).unwrap(), b"//4=");
        assert_eq!(encode(b"\xff\xfe", Some("base64url")).unwrap(), b"__4=");
    }
}
