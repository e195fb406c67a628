//! Percent encoding in the parts of a URL.

/// The part of a URL that a text stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Path,
    Host,
    Zone,
    User,
    Query,
    Fragment,
}

/// Why a text cannot be unescaped; holds the bytes in question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EscapeError {
    Escape(Vec<u8>),
    HostCharacter(u8),
}

fn should_escape(byte: u8, mode: Mode) -> bool {
    let host = matches!(mode, Mode::Host | Mode::Zone);
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => false,
        b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':'
        | b'[' | b']' | b'<' | b'>' | b'"'
            if host =>
        {
            false
        }
        b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'?' | b'@' => match mode {
            Mode::Path => byte == b'?',
            Mode::User => matches!(byte, b'@' | b'/' | b'?' | b':'),
            Mode::Query | Mode::Host | Mode::Zone => true,
            Mode::Fragment => false,
        },
        b'!' | b'(' | b')' | b'*' => mode != Mode::Fragment,
        _ => true,
    }
}

/// Escapes what may not stand in that part; a space in a query becomes `+`.
pub(crate) fn escape(text: &[u8], mode: Mode) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        if !should_escape(*byte, mode) {
            out.push(*byte);
        } else if *byte == b' ' && mode == Mode::Query {
            out.push(b'+');
        } else {
            let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
            out.extend_from_slice(&[b'%', DIGITS[high], DIGITS[low]]);
        }
    }
    out
}

/// Whether nothing in `text` needs escaping in that part.
pub(super) fn is_encoded(text: &[u8], mode: Mode) -> bool {
    text.iter()
        .all(|byte| b"!$&'()*+,;=:@[]%".contains(byte) || !should_escape(*byte, mode))
}

pub(super) fn unescape(text: &[u8], mode: Mode) -> Result<Vec<u8>, EscapeError> {
    let host = matches!(mode, Mode::Host | Mode::Zone);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(&first) = rest.first() {
        if first == b'%' {
            let bad = |len: usize| EscapeError::Escape(rest[..rest.len().min(len)].to_vec());
            let byte = rest.get(1..3).and_then(hex).ok_or_else(|| bad(3))?;
            // In a host only bytes beyond ASCII may be escaped, and the percent sign of a zone.
            let percent = rest.starts_with(b"%25");
            let refused = match mode {
                Mode::Host => byte < 0x80 && !percent,
                Mode::Zone => !percent && byte != b' ' && should_escape(byte, Mode::Host),
                _ => false,
            };
            if refused {
                return Err(bad(3));
            }
            out.push(byte);
            rest = &rest[3..];
            continue;
        }
        if host && first.is_ascii() && should_escape(first, mode) {
            return Err(EscapeError::HostCharacter(first));
        }
        out.push(if first == b'+' && mode == Mode::Query {
            b' '
        } else {
            first
        });
        rest = &rest[1..];
    }
    Ok(out)
}

fn hex(digits: &[u8]) -> Option<u8> {
    let value = |byte: u8| char::from(byte).to_digit(16);
    let number = value(*digits.first()?)? << 4 | value(*digits.get(1)?)?;
    u8::try_from(number).ok()
}
