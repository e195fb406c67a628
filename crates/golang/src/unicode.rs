//! Go's view of characters: categories of Unicode 15.0 and runes decoded from any bytes.
//!
//! Bytes that are not UTF-8 count as U+FFFD, one for each byte, unlike `String::from_utf8_lossy`,
//! which joins the bytes of a truncated sequence. Regexp classes have their own tables.

use unicode_general_category::{GeneralCategory, get_general_category};

/// Letters and numbers that Unicode 16 knows and Unicode 15.0, the version of Go 1.26, does not.
const ADDED_SINCE_GO: &[(u32, u32)] = &[
    (0x1c89, 0x1c8a),
    (0xa7cb, 0xa7cd),
    (0xa7da, 0xa7dc),
    (0x105c0, 0x105f3),
    (0x10d40, 0x10d65),
    (0x10d6f, 0x10d85),
    (0x10ec2, 0x10ec4),
    (0x11380, 0x11389),
    (0x1138b, 0x1138b),
    (0x1138e, 0x1138e),
    (0x11390, 0x113b5),
    (0x113b7, 0x113b7),
    (0x113d1, 0x113d1),
    (0x113d3, 0x113d3),
    (0x116d0, 0x116e3),
    (0x11bc0, 0x11be0),
    (0x11bf0, 0x11bf9),
    (0x13460, 0x143fa),
    (0x16100, 0x1611d),
    (0x16130, 0x16139),
    (0x16d40, 0x16d6c),
    (0x16d70, 0x16d79),
    (0x18cff, 0x18cff),
    (0x1ccf0, 0x1ccf9),
    (0x1e5d0, 0x1e5ed),
    (0x1e5f0, 0x1e5fa),
    (0x2ebf0, 0x2ee5d),
];

/// Go's `unicode.IsLetter`: general category L.
pub fn is_letter(c: char) -> bool {
    use GeneralCategory as G;
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    matches!(
        get_general_category(c),
        G::UppercaseLetter
            | G::LowercaseLetter
            | G::TitlecaseLetter
            | G::ModifierLetter
            | G::OtherLetter
    ) && !added_since_go(c)
}

/// Go's `unicode.IsNumber`: general category N.
pub fn is_number(c: char) -> bool {
    use GeneralCategory as G;
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    matches!(
        get_general_category(c),
        G::DecimalNumber | G::LetterNumber | G::OtherNumber
    ) && !added_since_go(c)
}

/// Go's `unicode.IsDigit`: general category Nd.
pub fn is_digit(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    get_general_category(c) == GeneralCategory::DecimalNumber && !added_since_go(c)
}

fn added_since_go(c: char) -> bool {
    let code = u32::from(c);
    let next = ADDED_SINCE_GO.partition_point(|(start, _)| *start <= code);
    next > 0 && ADDED_SINCE_GO[next - 1].1 >= code
}

/// Decodes the rune at the start of `bytes` as Go's `utf8.DecodeRune` does.
///
/// Returns the rune and its width in bytes: `(U+FFFD, 1)` for an illegal byte, `(U+FFFD, 0)` for
/// empty input.
pub fn decode_rune(bytes: &[u8]) -> (char, usize) {
    const BAD: (char, usize) = (char::REPLACEMENT_CHARACTER, 1);
    let Some(&first) = bytes.first() else {
        return (char::REPLACEMENT_CHARACTER, 0);
    };
    let (width, lead) = match first {
        0..0x80 => return (char::from(first), 1),
        0xc2..0xe0 => (2, first & 0x1f),
        0xe0..0xf0 => (3, first & 0x0f),
        0xf0..0xf5 => (4, first & 0x07),
        _ => return BAD,
    };
    let Some(tail) = bytes.get(1..width) else {
        return BAD;
    };
    let mut code = u32::from(lead);
    for &byte in tail {
        if byte & 0xc0 != 0x80 {
            return BAD;
        }
        code = code << 6 | u32::from(byte & 0x3f);
    }
    let shortest = match width {
        2 => true,
        3 => code >= 0x800,
        _ => code >= 0x1_0000,
    };
    match char::from_u32(code) {
        Some(c) if shortest => (c, width),
        _ => BAD,
    }
}

/// Decodes the rune at the end of `bytes` as Go's `utf8.DecodeLastRune` does.
pub fn decode_last_rune(bytes: &[u8]) -> (char, usize) {
    for width in (2..=bytes.len().min(4)).rev() {
        let (rune, length) = decode_rune(&bytes[bytes.len() - width..]);
        if length == width {
            return (rune, width);
        }
    }
    decode_rune(&bytes[bytes.len().saturating_sub(1)..])
}

/// Iterates over the runes of `bytes` with their offsets, as `range` over a Go string does.
pub fn runes(bytes: &[u8]) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (rune, width) = decode_rune(bytes.get(at..)?);
        let start = at;
        at += width;
        (width > 0).then_some((start, rune))
    })
}

/// Turns bytes into text, one U+FFFD for each byte that is not UTF-8, as Go's decoders do.
pub fn to_valid_utf8(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => runes(bytes).map(|(_, rune)| rune).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_numbers_are_general_categories() {
        for c in ['a', 'Z', '\u{e9}', '\u{65e5}', '\u{1f1}', '\u{2b0}'] {
            assert!(is_letter(c) && !is_number(c), "{c:?}");
        }
        for c in ['7', '\u{663}', '\u{b2}', '\u{2167}'] {
            assert!(is_number(c) && !is_letter(c), "{c:?}");
        }
        for c in [
            '_',
            '-',
            ' ',
            '\u{93e}',
            '\u{345}',
            '\u{24d0}',
            '\u{1f600}',
            '\u{fffd}',
        ] {
            assert!(!is_letter(c) && !is_number(c), "{c:?}");
        }
    }

    #[test]
    fn letters_younger_than_go_do_not_count() {
        for c in ['\u{2ebf0}', '\u{1c89}', '\u{105c0}'] {
            assert!(!is_letter(c), "{c:?}");
        }
        assert!(!is_number('\u{10d40}'));
    }

    #[test]
    fn each_illegal_byte_is_one_replacement_rune() {
        let got: Vec<_> = runes(b"a\xe2\x82\xc3\xa9\xf0\x9f\x98\x80\xed\xa0\x80\xc0\x80").collect();

        let bad = char::REPLACEMENT_CHARACTER;
        let want = [
            (0, 'a'),
            (1, bad),
            (2, bad),
            (3, '\u{e9}'),
            (5, '\u{1f600}'),
            (9, bad),
            (10, bad),
            (11, bad),
            (12, bad),
            (13, bad),
        ];
        assert_eq!(got, want);
    }

    #[test]
    fn decoding_agrees_with_std_on_all_characters() {
        let mut buffer = [0; 4];
        for c in '\0'..=char::MAX {
            let text = c.encode_utf8(&mut buffer);

            assert_eq!(decode_rune(text.as_bytes()), (c, text.len()));
        }
    }
}
