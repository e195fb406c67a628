//! Base64, base32 and hexadecimal. A text that cannot be decoded gives the error as the result.

use data_encoding::BASE32;
use lockstep_golang::base64::{self, Encoding};

use super::{Func, func};
use crate::value::{Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    func("b64enc", &[Ty::Str], |cx, args| {
        cx.reserve(args.bytes(0).len().saturating_mul(2))?;
        Ok(Value::from(base64::encode(
            Encoding::Standard,
            args.bytes(0),
        )))
    }),
    func("b64dec", &[Ty::Str], |cx, args| {
        match base64::decode(Encoding::Standard, args.bytes(0)) {
            Ok(bytes) => cx.string(bytes),
            Err(error) => Ok(Value::from(error.to_string())),
        }
    }),
    func("b32enc", &[Ty::Str], |cx, args| {
        cx.reserve(args.bytes(0).len().saturating_mul(2))?;
        Ok(Value::from(BASE32.encode(args.bytes(0))))
    }),
    func("b32dec", &[Ty::Str], |cx, args| {
        match base32_decode(args.bytes(0)) {
            Ok(bytes) => cx.string(bytes),
            Err(at) => Ok(Value::from(format!(
                "illegal base32 data at input byte {at}"
            ))),
        }
    }),
    func("hexdec", &[Ty::Str], |cx, args| {
        match hex_decode(args.bytes(0)) {
            Ok(bytes) => cx.string(bytes),
            Err(text) => Ok(Value::from(text)),
        }
    }),
];

const DIGITS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Decodes, or tells the offset of the byte Go complains about.
fn base32_decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let text: Vec<u8> = text
        .iter()
        .copied()
        .filter(|b| !matches!(b, b'\r' | b'\n'))
        .collect();
    let mut out = Vec::with_capacity(text.len() / 8 * 5 + 5);
    let mut at = 0;
    while at < text.len() {
        let mut bits = 0u64;
        let mut digits = 0;
        let mut padded = false;
        while digits < 8 {
            let Some(&byte) = text.get(at) else {
                return Err(text.len() - digits);
            };
            at += 1;
            if byte == b'=' && digits >= 2 && text.len() - at < 8 {
                check_base32_padding(&text, at, digits)?;
                padded = true;
                break;
            }
            let digit = DIGITS
                .iter()
                .position(|digit| *digit == byte)
                .ok_or(at - 1)?;
            bits = bits << 5 | digit as u64;
            digits += 1;
        }
        bits <<= 5 * (8 - digits);
        out.extend_from_slice(&bits.to_be_bytes()[3..3 + digits * 5 / 8]);
        if padded {
            break;
        }
    }
    Ok(out)
}

/// `at` is behind the first padding byte; `digits` came before it.
fn check_base32_padding(text: &[u8], at: usize, digits: usize) -> Result<(), usize> {
    let rest = &text[at..];
    if rest.len() + digits < 7 {
        return Err(text.len());
    }
    for (k, byte) in rest.iter().take(7 - digits).enumerate() {
        if *byte != b'=' {
            return Err(at + k - 1);
        }
    }
    if matches!(digits, 1 | 3 | 6) {
        Err(at - 1)
    } else {
        Ok(())
    }
}

fn hex_decode(text: &[u8]) -> Result<Vec<u8>, String> {
    let nibble = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
            .ok_or_else(|| {
                let shown = crate::strconv::quote_rune_point(char::from(byte));
                format!("encoding/hex: invalid byte: {shown}")
            })
    };
    let mut out = Vec::with_capacity(text.len() / 2);
    for pair in text.chunks(2) {
        let high = nibble(pair[0])?;
        match pair.get(1) {
            None => return Err("encoding/hex: odd length hex string".to_owned()),
            Some(low) => out.push(high << 4 | nibble(*low)?),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base32_has_the_vectors_of_its_rfc() {
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
            assert_eq!(BASE32.encode(plain.as_bytes()), encoded);
            assert_eq!(
                base32_decode(encoded.as_bytes()).as_deref(),
                Ok(plain.as_bytes())
            );
        }
    }

    #[test]
    fn base32_complaints_name_the_byte_go_names() {
        let cases = [
            ("x", 0),
            ("MY", 0),
            ("MZXW6==", 7),
            ("MZX=====", 3),
            ("MZXW6=!=", 5),
            ("M=======", 1),
        ];

        for (text, at) in cases {
            assert_eq!(base32_decode(text.as_bytes()), Err(at), "{text}");
        }
    }
}
