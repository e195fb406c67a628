//! Go's `unicode` package beyond letters and numbers: character classes and simple case mapping.
//!
//! Go 1.26 knows Unicode 15.0 and maps one character to one; Rust's tables are younger and know
//! multi-character mappings. The differences are listed here and checked over all of Unicode.

use unicode_general_category::{GeneralCategory as G, get_general_category};

pub(crate) use lockstep_golang::unicode::{is_letter, is_number};

/// Characters assigned after Unicode 15.0.
const YOUNGER: &[(u32, u32)] = &[
    (0x897, 0x897),
    (0x1b4e, 0x1b4f),
    (0x1b7f, 0x1b7f),
    (0x1c89, 0x1c8a),
    (0x2427, 0x2429),
    (0x2ffc, 0x2fff),
    (0x31e4, 0x31e5),
    (0x31ef, 0x31ef),
    (0xa7cb, 0xa7cf),
    (0xa7d2, 0xa7d2),
    (0xa7d4, 0xa7d4),
    (0xa7da, 0xa7dc),
    (0x105c0, 0x105f3),
    (0x10d40, 0x10d65),
    (0x10d69, 0x10d85),
    (0x10d8e, 0x10d8f),
    (0x10ec2, 0x10ec4),
    (0x10efc, 0x10efc),
    (0x11380, 0x113e2),
    (0x116d0, 0x116e3),
    (0x11bc0, 0x11bf9),
    (0x11f5a, 0x11f5a),
    (0x13460, 0x143fa),
    (0x16100, 0x16139),
    (0x16d40, 0x16d79),
    (0x16ea0, 0x16ed3),
    (0x18cff, 0x18cff),
    (0x1cc00, 0x1ceb3),
    (0x1e5d0, 0x1e5ff),
    (0x1f8b2, 0x1f8c1),
    (0x1fa89, 0x1fa89),
    (0x1fa8f, 0x1fa8f),
    (0x1fabe, 0x1fabe),
    (0x1fac6, 0x1fac6),
    (0x1fadc, 0x1fadc),
    (0x1fadf, 0x1fadf),
    (0x1fae9, 0x1fae9),
    (0x1fbcb, 0x1fbef),
    (0x2ebf0, 0x2ee5d),
];

fn is_younger(c: char) -> bool {
    let code = u32::from(c);
    let next = YOUNGER.partition_point(|(start, _)| *start <= code);
    next > 0 && YOUNGER[next - 1].1 >= code
}

fn category(c: char) -> G {
    if is_younger(c) {
        G::Unassigned
    } else {
        get_general_category(c)
    }
}

/// `unicode.IsDigit`
pub(crate) fn is_digit(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_digit()
    } else {
        category(c) == G::DecimalNumber
    }
}

/// A letter, digit or underscore: what names in templates are made of.
pub(crate) fn is_alphanumeric(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    is_letter(c) || is_digit(c)
}

/// `unicode.IsSpace`
pub(crate) fn is_space(c: char) -> bool {
    match c {
        '\t'..='\r' | ' ' | '\u{85}' | '\u{a0}' => true,
        _ if c.is_ascii() => false,
        _ => matches!(
            category(c),
            G::SpaceSeparator | G::LineSeparator | G::ParagraphSeparator
        ),
    }
}

/// `unicode.IsUpper`
pub(crate) fn is_upper(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_uppercase()
    } else {
        category(c) == G::UppercaseLetter
    }
}

/// `unicode.IsLower`
pub(crate) fn is_lower(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_lowercase()
    } else {
        category(c) == G::LowercaseLetter
    }
}

/// `unicode.IsTitle`
pub(crate) fn is_title(c: char) -> bool {
    !c.is_ascii() && category(c) == G::TitlecaseLetter
}

/// `unicode.IsPunct`
pub(crate) fn is_punct(c: char) -> bool {
    matches!(
        category(c),
        G::ConnectorPunctuation
            | G::DashPunctuation
            | G::OpenPunctuation
            | G::ClosePunctuation
            | G::InitialPunctuation
            | G::FinalPunctuation
            | G::OtherPunctuation
    )
}

/// `strconv.IsPrint`: letters, marks, numbers, punctuation, symbols and the ASCII space.
pub(crate) fn is_print(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    !matches!(
        category(c),
        G::Control
            | G::Format
            | G::Surrogate
            | G::PrivateUse
            | G::Unassigned
            | G::SpaceSeparator
            | G::LineSeparator
            | G::ParagraphSeparator
    )
}

/// `unicode.ToUpper`
pub(crate) fn to_upper(c: char) -> char {
    match c {
        _ if c.is_ascii() => c.to_ascii_uppercase(),
        '\u{1f80}'..='\u{1faf}' | '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => upper_iota(c),
        _ => simple(c, c.to_uppercase()),
    }
}

/// Greek letters with a subscript iota, whose full mapping would be two letters.
fn upper_iota(c: char) -> char {
    let code = match u32::from(c) {
        code @ (0x1fb3 | 0x1fc3 | 0x1ff3) => code + 9,
        code => code | 8,
    };
    char::from_u32(code).unwrap_or(c)
}

/// `unicode.ToLower`
pub(crate) fn to_lower(c: char) -> char {
    match c {
        _ if c.is_ascii() => c.to_ascii_lowercase(),
        '\u{130}' => 'i',
        _ => simple(c, c.to_lowercase()),
    }
}

/// `unicode.ToTitle`
pub(crate) fn to_title(c: char) -> char {
    match c {
        '\u{1c4}'..='\u{1c6}' => '\u{1c5}',
        '\u{1c7}'..='\u{1c9}' => '\u{1c8}',
        '\u{1ca}'..='\u{1cc}' => '\u{1cb}',
        '\u{1f1}'..='\u{1f3}' => '\u{1f2}',
        '\u{10d0}'..='\u{10ff}' => c,
        _ => to_upper(c),
    }
}

/// The mapping if it is one character that Go knows too.
fn simple(c: char, mut mapped: impl Iterator<Item = char>) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(one), None) if !is_younger(c) && !is_younger(one) => one,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a over the classes and mappings of every character below U+3000 and of every 41st from
    /// there on, as a Go 1.26 program computed it.
    const GO: u64 = 0xb687_1262_3fd3_c420;

    #[test]
    fn classes_and_mappings_are_those_of_go_all_over_unicode() {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |n: u32| {
            for byte in n.to_be_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };

        for c in ('\0'..=char::MAX).filter(|c| *c < '\u{3000}' || u32::from(*c) % 41 == 0) {
            let classes = [
                is_letter(c),
                is_digit(c),
                is_number(c),
                is_space(c),
                is_upper(c),
                is_lower(c),
                is_title(c),
                is_punct(c),
                is_print(c),
            ];
            add(classes
                .iter()
                .rev()
                .fold(0, |bits, class| bits << 1 | u32::from(*class)));
            add(u32::from(to_upper(c)));
            add(u32::from(to_lower(c)));
            add(u32::from(to_title(c)));
        }

        assert_eq!(hash, GO);
    }
}
