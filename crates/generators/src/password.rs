//! `Password`: letters, digits and symbols in the wanted numbers, each put at a random place. Every
//! number of the spec is checked before anything is allocated, because a spec inside a
//! ClusterGenerator passes no schema.

use std::collections::BTreeSet;

use lockstep_provider_api::{Error, LocalGenerator, Random, Result, SecretMap, SecretValue};
use serde::Deserialize;

use crate::encoding::encode;
use crate::random::below;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
const SYMBOLS: &str = "~!@#$%^&*()_+`-={}|[]\\:\"<>?,./";
const DEFAULT_LENGTH: usize = 24;
/// Digits and symbols are each a quarter of the length unless said otherwise.
const SHARE: usize = 4;
const DEFAULT_KEY: &str = "password";
/// Longest password, in characters.
const MAX_LENGTH: usize = 4_096;
/// Most keys of one spec. With the longest passwords they fill a Secret.
const MAX_KEYS: usize = 256;
/// Most bytes of `symbolCharacters`.
const MAX_SYMBOL_CHARACTERS: usize = 4_096;

/// `spec` of a Password.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
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

pub(crate) struct Password;

impl LocalGenerator for Password {
    const KIND: &'static str = "Password";
    type Spec = Spec;

    fn generate(spec: Spec, random: &mut dyn Random) -> Result<SecretMap> {
        check_limits(&spec)?;
        let mut made = SecretMap::new();
        for key in keys(&spec)? {
            let password = password(&spec, random)?;
            let encoded = encode(password.as_bytes(), spec.encoding.as_deref())?;
            made.insert(key, SecretValue::new(encoded));
        }
        Ok(made)
    }
}

fn check_limits(spec: &Spec) -> Result<()> {
    let numbers = [
        ("length", spec.length.unwrap_or_default(), MAX_LENGTH),
        ("digits", spec.digits.unwrap_or_default(), MAX_LENGTH),
        ("symbols", spec.symbols.unwrap_or_default(), MAX_LENGTH),
    ];
    for (field, value, limit) in numbers {
        if value > limit {
            return Err(Error::invalid_spec(format!(
                "spec.{field} is {value}; at most {limit} is allowed"
            )));
        }
    }
    let symbols = spec.symbol_characters.as_ref().map_or(0, String::len);
    let sizes = [
        ("secretKeys", spec.secret_keys.len(), "keys", MAX_KEYS),
        ("symbolCharacters", symbols, "bytes", MAX_SYMBOL_CHARACTERS),
    ];
    for (field, size, unit, limit) in sizes {
        if size > limit {
            return Err(Error::invalid_spec(format!(
                "spec.{field} has {size} {unit}; at most {limit} are allowed"
            )));
        }
    }
    Ok(())
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
        // Swapping is as fair as inserting, and does not move everything behind the place.
        password.push(character);
        let last = password.len() - 1;
        password.swap(place, last);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
