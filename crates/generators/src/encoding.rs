//! Encodings of generated values.

use data_encoding::{BASE32, HEXLOWER};
use lockstep_golang::base64::{self, Encoding};
use lockstep_provider_api::{Error, Result};

/// Encodes as `spec.encoding` says; nothing and `raw` leave the bytes.
pub(crate) fn encode(bytes: &[u8], encoding: Option<&str>) -> Result<Vec<u8>> {
    Ok(match encoding {
        None | Some("" | "raw") => bytes.to_vec(),
        Some("base64") => base64::encode(Encoding::Standard, bytes).into_bytes(),
        Some("base64url") => base64::encode(Encoding::Url, bytes).into_bytes(),
        Some("base32") => BASE32.encode(bytes).into_bytes(),
        Some("hex") => HEXLOWER.encode(bytes).into_bytes(),
        Some(other) => {
            let text = format!(
                "spec.encoding {other:?} is not one of raw, base64, base64url, base32, hex"
            );
            return Err(Error::invalid_spec(text));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_encoding_is_named() {
        let error = encode(b"x", Some("rot13")).unwrap_err();

        assert!(error.to_string().contains("rot13"));
    }

    #[test]
    fn each_encoding_is_the_usual_one() {
        assert_eq!(encode(b"\xff\x00", Some("hex")).unwrap(), b"ff00");
        assert_eq!(encode(b"foob", Some("base32")).unwrap(), b"MZXW6YQ=");
        assert_eq!(encode(b"\xff\xfe", Some("base64")).unwrap(), b"//4=");
        assert_eq!(encode(b"\xff\xfe", Some("base64url")).unwrap(), b"__4=");
    }
}
