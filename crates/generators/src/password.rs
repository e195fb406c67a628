//! `Password`: letters, digits and symbols in the wanted numbers, each put at a random place.

use std::collections::BTreeSet;

use lockstep_provider::{Error, Result, SecretMap, SecretValue};
use serde::Deserialize;
use serde_json::Value;

use crate::encoding::encode;
use crate::random::{Random, below};

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
const SYMBOLS: &str = "~!@#$%^&*()_+`-={}|[]\\:\"<>?,./";
const DEFAULT_LENGTH: usize = 24;
/// Digits and symbols are each a quarter of the length unless said otherwise.
const SHARE: usize = 4;
const DEFAULT_KEY: &str = "password";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    length: Option<usize>,
    digits: Option<usize>,
    symbols: Option<usize>,
    symbol_characters: Option<String>,
    #[serde(default)]
    no_upper: bool,
    #[serde(default)]
    allow_repeat: bool,
    #[serde(default)]
    secret_keys: Vec<String>,
    encoding: Option<String>,
}

pub(crate) fn generate(spec: &Value, random: &mut dyn Random) -> Result<SecretMap> {
    let spec: Spec = crate::parse("Password", spec)?;
    let mut made = SecretMap::new();
    for key in keys(&spec)? {
        let password = password(&spec, random)?;
        let encoded = encode(password.as_bytes(), spec.encoding.as_deref())?;
        made.insert(key, SecretValue::new(encoded));
    }
    Ok(made)
}

fn keys(spec: &Spec) -> Result<Vec<String>> {
    if spec.secret_keys.is_empty() {
        return Ok(vec![DEFAULT_KEY.to_owned()]);
    }
    let mut seen = BTreeSet::new();
    for key in &spec.secret_keys {
        if key.is_empty() {
            return Err(Error::invalid_spec(
                "spec.secretKeys must not have an empty key",
            ));
        }
        if !seen.insert(key) {
            return Err(Error::invalid_spec(format!(
                "spec.secretKeys has {key:?} twice"
            )));
        }
    }
    Ok(spec.secret_keys.clone())
}

fn password(spec: &Spec, random: &mut dyn Random) -> Result<String> {
    let length = spec
        .length
        .filter(|length| *length > 0)
        .unwrap_or(DEFAULT_LENGTH);
    let digits = spec.digits.unwrap_or(length / SHARE);
    let symbols = spec.symbols.unwrap_or(length / SHARE);
    let Some(letters) = length.checked_sub(digits.saturating_add(symbols)) else {
        return Err(Error::invalid_spec(
            "number of digits and symbols must be less than total length",
        ));
    };
    let alphabet = if spec.no_upper {
        LOWER.to_owned()
    } else {
        format!("{LOWER}{UPPER}")
    };
    let given = spec
        .symbol_characters
        .as_deref()
        .filter(|symbols| !symbols.is_empty());
    let parts = [
        (letters, alphabet.as_str(), "letters"),
        (digits, DIGITS, "digits"),
        (symbols, given.unwrap_or(SYMBOLS), "symbols"),
    ];
    let mut password: Vec<char> = Vec::with_capacity(length);
    for (count, alphabet, what) in parts {
        insert(
            &mut password,
            count,
            alphabet,
            (spec.allow_repeat, what),
            random,
        )?;
    }
    Ok(password.into_iter().collect())
}

/// Puts `count` characters of `alphabet` at random places.
fn insert(
    password: &mut Vec<char>,
    count: usize,
    alphabet: &str,
    (allow_repeat, what): (bool, &str),
    random: &mut dyn Random,
) -> Result<()> {
    let mut left: Vec<char> = alphabet.chars().collect();
    if !allow_repeat && count > left.len() {
        let text = format!("number of {what} exceeds available {what} and repeats are not allowed");
        return Err(Error::invalid_spec(text));
    }
    for _ in 0..count {
        let at = below(random, left.len());
        let character = if allow_repeat {
            left[at]
        } else {
            left.swap_remove(at)
        };
        let place = below(random, password.len() + 1);
        password.insert(place, character);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::random::Counting;

    fn made(spec: &Value) -> String {
        let made = generate(spec, &mut Counting::default()).unwrap();
        made.get(DEFAULT_KEY)
            .unwrap()
            .expose_utf8()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn by_default_a_quarter_are_digits_and_a_quarter_symbols() {
        let password = made(&json!({ "length": 24 }));

        let count = |test: fn(&char) -> bool| password.chars().filter(test).count();
        assert_eq!(password.len(), 24);
        assert_eq!(count(char::is_ascii_digit), 6);
        assert_eq!(count(char::is_ascii_alphabetic), 12);
    }

    #[test]
    fn without_repeats_no_character_comes_twice() {
        let password = made(&json!({ "length": 40, "digits": 10, "symbols": 0 }));

        let unique: BTreeSet<char> = password.chars().collect();
        assert_eq!(unique.len(), 40);
    }

    #[test]
    fn more_digits_than_there_are_need_repeats() {
        let spec = json!({ "length": 30, "digits": 20, "symbols": 0 });

        assert!(generate(&spec, &mut Counting::default()).is_err());
        let mut allowed = spec;
        allowed["allowRepeat"] = json!(true);
        assert_eq!(
            made(&allowed).chars().filter(char::is_ascii_digit).count(),
            20
        );
    }

    #[test]
    fn digits_and_symbols_beyond_the_length_are_refused() {
        let spec = json!({ "length": 4, "digits": 3, "symbols": 3 });

        let error = generate(&spec, &mut Counting::default()).unwrap_err();

        assert_eq!(
            error.to_string(),
            "number of digits and symbols must be less than total length"
        );
    }

    #[test]
    fn every_named_key_gets_a_password_of_its_own() {
        let spec = json!({ "length": 16, "secretKeys": ["a", "b"] });

        let made = generate(&spec, &mut Counting::default()).unwrap();

        assert_eq!(made.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_ne!(made.get("a"), made.get("b"));
    }

    #[test]
    fn without_upper_case_and_with_own_symbols_nothing_else_appears() {
        let spec = json!({
            "length": 20, "symbols": 5, "symbolCharacters": "-_", "noUpper": true,
            "allowRepeat": true,
        });

        let password = made(&spec);

        assert!(password.chars().all(|character| {
            character.is_ascii_lowercase() || character.is_ascii_digit() || "-_".contains(character)
        }));
    }
}
