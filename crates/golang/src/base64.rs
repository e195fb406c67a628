//! Base64 as Go's `encoding/base64` reads and writes it.
//!
//! Decoding ignores CR and LF anywhere, tolerates non-zero trailing bits, insists on canonical
//! padding for the padded forms and reports the offset of the first illegal byte as Go does.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

/// The alphabet and padding rule of one of Go's predefined encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// `base64.StdEncoding`: `+` and `/`, padded.
    Standard,
    /// `base64.URLEncoding`: `-` and `_`, padded.
    Url,
    /// `base64.RawStdEncoding`: `+` and `/`, never padded.
    RawStandard,
    /// `base64.RawURLEncoding`: `-` and `_`, never padded.
    RawUrl,
}

/// The input is not base64; holds the offset of the byte Go complains about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("illegal base64 data at input byte {0}")]
pub struct CorruptInput(pub usize);

impl Encoding {
    fn padded(self) -> bool {
        matches!(self, Self::Standard | Self::Url)
    }

    fn digit(self, byte: u8) -> Option<u8> {
        let (plus, slash) = match self {
            Self::Standard | Self::RawStandard => (b'+', b'/'),
            Self::Url | Self::RawUrl => (b'-', b'_'),
        };
        match byte {
            b'A'..=b'Z' => Some(byte - b'A'),
            b'a'..=b'z' => Some(byte - b'a' + 26),
            b'0'..=b'9' => Some(byte - b'0' + 52),
            _ if byte == plus => Some(62),
            _ if byte == slash => Some(63),
            _ => None,
        }
    }
}

/// Encodes `data`.
pub fn encode(encoding: Encoding, data: impl AsRef<[u8]>) -> String {
    match encoding {
        Encoding::Standard => STANDARD.encode(data),
        Encoding::Url => URL_SAFE.encode(data),
        Encoding::RawStandard => STANDARD_NO_PAD.encode(data),
        Encoding::RawUrl => URL_SAFE_NO_PAD.encode(data),
    }
}

/// Decodes `source`, refusing it as a whole at the first illegal byte.
pub fn decode(encoding: Encoding, source: &[u8]) -> Result<Vec<u8>, CorruptInput> {
    let mut out = Vec::with_capacity(source.len() / 4 * 3 + 3);
    let mut at = 0;
    while at < source.len() {
        let mut quantum = 0u32;
        let mut digits = 0;
        while digits < 4 {
            let Some(&byte) = source.get(at) else {
                return end_of_input(encoding, out, quantum, digits, at);
            };
            at += 1;
            if let Some(digit) = encoding.digit(byte) {
                quantum = quantum << 6 | u32::from(digit);
                digits += 1;
            } else if byte != b'\n' && byte != b'\r' {
                if byte != b'=' || !encoding.padded() || digits < 2 {
                    return Err(CorruptInput(at - 1));
                }
                check_padding(source, at, digits)?;
                push_partial(&mut out, quantum, digits);
                return Ok(out);
            }
        }
        out.extend_from_slice(&quantum.to_be_bytes()[1..]);
    }
    Ok(out)
}

fn end_of_input(
    encoding: Encoding,
    mut out: Vec<u8>,
    quantum: u32,
    digits: usize,
    at: usize,
) -> Result<Vec<u8>, CorruptInput> {
    if digits == 0 {
        return Ok(out);
    }
    if digits == 1 || encoding.padded() {
        return Err(CorruptInput(at - digits));
    }
    push_partial(&mut out, quantum, digits);
    Ok(out)
}

/// Checks what follows the first `=`, which stands just before `at`.
fn check_padding(source: &[u8], at: usize, digits: usize) -> Result<(), CorruptInput> {
    let mut at = skip_newlines(source, at);
    if digits == 2 {
        match source.get(at) {
            None => return Err(CorruptInput(source.len())),
            Some(b'=') => at = skip_newlines(source, at + 1),
            Some(_) => return Err(CorruptInput(at - 1)),
        }
    }
    if at < source.len() {
        Err(CorruptInput(at))
    } else {
        Ok(())
    }
}

fn skip_newlines(source: &[u8], mut at: usize) -> usize {
    while matches!(source.get(at), Some(b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// Appends the one or two whole bytes that two or three digits hold; leftover bits are dropped.
fn push_partial(out: &mut Vec<u8>, quantum: u32, digits: usize) {
    let bytes = (quantum << (6 * (4 - digits))).to_be_bytes();
    out.extend_from_slice(&bytes[1..digits]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_follows_go_edge_by_edge() {
        type Case = (Encoding, &'static str, Result<&'static [u8], usize>);
        use Encoding::{RawStandard, RawUrl, Standard, Url};
        let cases: &[Case] = &[
            (Standard, "", Ok(b"")),
            (Standard, "\r\n", Ok(b"")),
            (Standard, "aGVs\nbG8=\n", Ok(b"hello")),
            (Standard, "aGVsbG8", Err(4)),
            (Standard, "aGVsbG9=", Ok(b"hello")),
            (Standard, "YQ==YQ==", Err(4)),
            (Standard, "YQ=\n=", Ok(b"a")),
            (Standard, "YQ=", Err(3)),
            (Standard, "YQ=x", Err(2)),
            (Standard, "YWI=\r\n", Ok(b"ab")),
            (Standard, "YWI==", Err(4)),
            (Standard, "Y===", Err(1)),
            (Standard, "=", Err(0)),
            (Standard, "a b=", Err(1)),
            (Standard, "!!!", Err(0)),
            (Standard, "1234", Ok(b"\xd7\x6d\xf8")),
            (Standard, "abc", Err(0)),
            (Standard, "_-8=", Err(0)),
            (Url, "_-8=", Ok(b"\xff\xef")),
            (Url, "pass_wor", Ok(b"\xa5\xab\x2c\xff\x0a\x2b")),
            (RawStandard, "YQ", Ok(b"a")),
            (RawStandard, "Y", Err(0)),
            (RawStandard, "YQ==", Err(2)),
            (RawUrl, "_-8", Ok(b"\xff\xef")),
        ];

        for (encoding, source, want) in cases {
            let got = decode(*encoding, source.as_bytes());

            let want = want.map(<[u8]>::to_vec).map_err(CorruptInput);
            assert_eq!(got, want, "{encoding:?} {source:?}");
        }
    }

    #[test]
    fn error_text_is_that_of_go() {
        assert_eq!(
            CorruptInput(7).to_string(),
            "illegal base64 data at input byte 7"
        );
    }

    #[test]
    fn every_encoding_reads_back_what_it_wrote() {
        use Encoding::{RawStandard, RawUrl, Standard, Url};
        for encoding in [Standard, Url, RawStandard, RawUrl] {
            for length in 0..7 {
                let data: Vec<u8> = (0..length).map(|n| 0xfb ^ n).collect();

                let text = encode(encoding, &data);

                assert_eq!(decode(encoding, text.as_bytes()), Ok(data));
            }
        }
    }
}
