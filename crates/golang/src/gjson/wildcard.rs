//! Matching with `*` for any text, `?` for any one character and `\` before a literal one.

use super::budget::Budget;
use crate::unicode::{decode_last_rune, decode_rune};

/// Whether all of `text` matches `pattern`; a match that runs out of budget fails.
pub(super) fn matches(text: &[u8], pattern: &[u8], budget: &Budget) -> bool {
    if !budget.spend(pattern.len()) {
        return false;
    }
    let (mut text, mut pattern) = (text, pattern);
    // Up to the first star everything must match as it stands.
    loop {
        match pattern.first() {
            None => return text.is_empty(),
            Some(b'*') => break,
            Some(_) => match step(text, pattern) {
                Some(rest) => (text, pattern) = rest,
                None => return false,
            },
        }
    }
    match trim_suffix(text, pattern) {
        Some((text, pattern)) => after_star(text, pattern, budget),
        None => false,
    }
}

/// Matches one character that is not a star; returns what remains.
fn step<'t, 'p>(text: &'t [u8], pattern: &'p [u8]) -> Option<(&'t [u8], &'p [u8])> {
    let (have, width) = decode_rune(text);
    if width == 0 {
        return None;
    }
    let (mut want, mut length) = decode_rune(pattern);
    if want == '\\' {
        let (escaped, more) = decode_rune(&pattern[1..]);
        if more == 0 || escaped != have {
            return None;
        }
        (want, length) = (have, 1 + more);
    } else if want == '?' {
        want = have;
    }
    (want == have).then(|| (&text[width..], &pattern[length..]))
}

/// Matches a pattern that begins with a star; only the latest star ever needs another try.
fn after_star(text: &[u8], pattern: &[u8], budget: &Budget) -> bool {
    let (mut text, mut pattern) = (text, pattern);
    let mut retry = (text, pattern);
    while budget.spend(1) {
        if pattern.first() == Some(&b'*') {
            pattern = &pattern[1..];
            if pattern.is_empty() {
                return true;
            }
            retry = (text, pattern);
            continue;
        }
        if pattern.is_empty() && text.is_empty() {
            return true;
        }
        let stepped = if pattern.is_empty() {
            None
        } else {
            step(text, pattern)
        };
        if let Some(rest) = stepped {
            (text, pattern) = rest;
            continue;
        }
        let (_, width) = decode_rune(retry.0);
        if width == 0 {
            return false;
        }
        retry.0 = &retry.0[width..];
        (text, pattern) = retry;
    }
    false
}

/// Matches what follows the last star backwards and takes it off both sides.
///
/// The pattern begins with a star. Unlike forwards, a backslash at the very end is itself.
fn trim_suffix<'t, 'p>(mut text: &'t [u8], mut pattern: &'p [u8]) -> Option<(&'t [u8], &'p [u8])> {
    while !text.is_empty() && pattern.len() > 1 {
        let (want, mut length) = decode_last_rune(pattern);
        let before = &pattern[..pattern.len() - length];
        let slashes = before
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\\')
            .count();
        let escaped = slashes % 2 == 1;
        if want == '*' && !escaped {
            break;
        }
        length += usize::from(escaped);
        let (have, width) = decode_last_rune(text);
        if want != have && (want != '?' || escaped) {
            return None;
        }
        text = &text[..text.len() - width];
        pattern = &pattern[..pattern.len() - length];
    }
    Some((text, pattern))
}

#[cfg(test)]
mod tests {
    use super::Budget;

    fn matches(text: &[u8], pattern: &[u8]) -> bool {
        super::matches(text, pattern, &Budget::for_input(b""))
    }

    #[test]
    fn stars_and_question_marks_match_characters() {
        let yes = [
            ("", ""),
            ("", "*"),
            ("", "**"),
            ("abc", "a*"),
            ("abc", "*c"),
            ("abc", "a?c"),
            ("a\u{e9}c", "a?c"),
            ("abcabc", "*b*bc"),
            ("a*c", "a\\*c"),
            ("xa*c", "*\\*c"),
            ("a\\", "*\\"),
            ("mississippi", "m*issip*"),
        ];
        let no = [
            ("", "?"),
            ("abc", "a"),
            ("abc", "b*"),
            ("abc", "a\\*"),
            ("ac", "a?c"),
            ("a\\", "a\\"),
            ("ab", "*a*a*"),
            ("a", ""),
        ];

        for (text, pattern) in yes {
            assert!(
                matches(text.as_bytes(), pattern.as_bytes()),
                "{text} {pattern}"
            );
        }
        for (text, pattern) in no {
            assert!(
                !matches(text.as_bytes(), pattern.as_bytes()),
                "{text} {pattern}"
            );
        }
    }

    #[test]
    fn a_hostile_pattern_gives_up() {
        let text = vec![b'a'; 100_000];
        let pattern = [b"*".as_slice(), &vec![b'a'; 50_000], b"b*"].concat();

        assert!(!matches(&text, &pattern));
    }
}
