//! Names of secret keys: how foreign names are converted, restored for a push, and which names are
//! refused. Letters and numbers are those of Go's Unicode tables. Values are never looked at.

use std::fmt::Write as _;

use lockstep_golang::unicode::{is_letter, is_number};

use crate::error::{Error, Result};
use crate::value::{SecretMap, SecretValue};

/// Longest key of a Kubernetes Secret in bytes.
pub const MAX_KEY_LENGTH: usize = 253;

/// How characters that a Secret key may not have are replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conversion {
    /// By an underscore.
    #[default]
    Default,
    /// By their code point, `_U1f600_`.
    Unicode,
}

/// How keys of a Secret become remote names again when pushed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reversal {
    /// As they are.
    #[default]
    None,
    /// `_U002f_` becomes the character it stands for.
    ReverseUnicode,
}

impl Conversion {
    /// The name with every character a key may not have replaced.
    pub fn convert(self, name: &str) -> String {
        let mut key = String::with_capacity(name.len());
        for c in name.chars() {
            if is_key_char(c) {
                key.push(c);
            } else if self == Self::Unicode {
                let _ = write!(key, "_U{:04x}_", u32::from(c));
            } else {
                key.push('_');
            }
        }
        key
    }
}

impl Reversal {
    /// The name a key stands for.
    pub fn reverse(self, key: &str) -> String {
        match self {
            Self::None => key.to_owned(),
            Self::ReverseUnicode => reverse_unicode(key),
        }
    }
}

/// Whether a character may be part of a key.
pub fn is_key_char(c: char) -> bool {
    is_letter(c) || is_number(c) || matches!(c, '-' | '.' | '_')
}

/// Converts all keys; two names that become one are an error.
pub fn convert_keys(map: SecretMap, conversion: Conversion) -> Result<SecretMap> {
    rename(map, |name| conversion.convert(name))
}

/// Restores all names for a push; two keys that become one are an error.
pub fn reverse_keys(map: SecretMap, reversal: Reversal) -> Result<SecretMap> {
    rename(map, |key| reversal.reverse(key))
}

/// Drops the empty key and refuses keys a Secret cannot have. Letters beyond ASCII pass, as
/// upstream lets the API server refuse them.
pub fn validate_keys(map: SecretMap) -> Result<SecretMap> {
    let mut valid = SecretMap::new();
    for (key, value) in map {
        if key.is_empty() {
            continue;
        }
        validate_key(&key)?;
        valid.insert(key, value);
    }
    Ok(valid)
}

/// Refuses a key a Secret cannot have.
pub fn validate_key(key: &str) -> Result<()> {
    if key.len() > MAX_KEY_LENGTH {
        let shown = &key[..key.floor_char_boundary(MAX_KEY_LENGTH)];
        return Err(Error::invalid_data(format!(
            "key has length {} but max is 253: (following is truncated): {shown}",
            key.len()
        )));
    }
    match key.chars().find(|c| !is_key_char(*c)) {
        None => Ok(()),
        Some(c) => Err(Error::invalid_data(format!(
            "key has invalid character {c}, only alphanumeric, '-', '.' and '_' are allowed: {key}"
        ))),
    }
}

fn rename(map: SecretMap, new_name: impl Fn(&str) -> String) -> Result<SecretMap> {
    let mut renamed = SecretMap::new();
    for (name, value) in map {
        insert_new(&mut renamed, new_name(&name), value)?;
    }
    Ok(renamed)
}

fn insert_new(map: &mut SecretMap, key: String, value: SecretValue) -> Result<()> {
    if map.get(&key).is_some() {
        return Err(Error::invalid_data(format!(
            "secret name collision during conversion: {key}"
        )));
    }
    map.insert(key, value);
    Ok(())
}

fn reverse_unicode(key: &str) -> String {
    let mut name = String::with_capacity(key.len());
    let mut rest = key;
    while let Some(start) = rest.find("_U") {
        name.push_str(&rest[..start]);
        let found = &rest[start..];
        if let Some((c, length)) = code_point(found) {
            name.push(c);
            rest = &found[length..];
        } else {
            name.push_str("_U");
            rest = &found[2..];
        }
    }
    name.push_str(rest);
    name
}

/// The character of a leading `_U` + four or five hex digits + `_`, and the length of that.
fn code_point(text: &str) -> Option<(char, usize)> {
    let digits = text.get(2..)?.split('_').next()?;
    let ends = text.as_bytes().get(2 + digits.len()) == Some(&b'_');
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !ends || !is_hex || !(4..=5).contains(&digits.len()) {
        return None;
    }
    let code = u32::from_str_radix(digits, 16).ok()?;
    // A surrogate is no character; Go prints the replacement character for it.
    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    Some((c, 3 + digits.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(keys: &[&str]) -> SecretMap {
        keys.iter()
            .map(|key| ((*key).to_owned(), SecretValue::from("v")))
            .collect()
    }

    #[test]
    fn go_letters_and_numbers_are_kept_and_marks_are_not() {
        for kept in ["é", "日", "٣", "²", "Ⅷ", "a-b.c_D9"] {
            assert_eq!(Conversion::Default.convert(kept), kept);
        }
        assert_eq!(Conversion::Default.convert("\u{93e}ⓐ"), "__");
        assert_eq!(Conversion::Unicode.convert("a/b😀"), "a_U002f_b_U1f600_");
    }

    #[test]
    fn two_names_that_become_one_key_are_refused() {
        let error = convert_keys(map(&["a/b", "a:b"]), Conversion::Default).unwrap_err();

        assert_eq!(
            error.to_string(),
            "secret name collision during conversion: a_b"
        );
        assert!(convert_keys(map(&["a/b", "a:b"]), Conversion::Unicode).is_ok());
    }

    #[test]
    fn the_empty_key_is_dropped_and_bad_keys_are_named() {
        let kept = validate_keys(map(&["", "ok", "日本"])).unwrap();
        let slash = validate_keys(map(&["a/b"])).unwrap_err();
        let long = validate_keys(map(&[&"é".repeat(127)])).unwrap_err();

        assert_eq!(kept.keys().collect::<Vec<_>>(), ["ok", "日本"]);
        assert_eq!(
            slash.to_string(),
            "key has invalid character /, only alphanumeric, '-', '.' and '_' are allowed: a/b"
        );
        assert!(
            long.to_string()
                .starts_with("key has length 254 but max is 253")
        );
    }

    #[test]
    fn reversal_restores_code_points_and_leaves_the_rest() {
        let reverse = |key| Reversal::ReverseUnicode.reverse(key);

        assert_eq!(reverse("a_U002f_b"), "a/b");
        assert_eq!(reverse("x_U1f600_"), "x😀");
        assert_eq!(reverse("_U002F_U0041_"), "/U0041_");
        assert_eq!(
            reverse("_Uabc_ _U123456_ _U00 _U"),
            "_Uabc_ _U123456_ _U00 _U"
        );
        assert_eq!(reverse("_U_U0041_"), "_UA");
        assert_eq!(reverse("_Ud800_"), "\u{fffd}");
        assert_eq!(Reversal::None.reverse("a_U002f_b"), "a_U002f_b");
    }

    #[test]
    fn unicode_conversion_is_undone_by_its_reversal() {
        for name in ["a/b c", "😀", "db:password"] {
            let key = Conversion::Unicode.convert(name);
            assert_eq!(Reversal::ReverseUnicode.reverse(&key), name);
        }
    }

    #[test]
    fn reversed_keys_that_meet_are_refused() {
        let error = reverse_keys(map(&["_U0041_", "A"]), Reversal::ReverseUnicode).unwrap_err();

        assert!(error.to_string().ends_with("conversion: A"));
    }
}
