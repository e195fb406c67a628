//! Passwords by their spec, and specs that ask for too much.

use serde_json::{Value, json};

use super::*;
use crate::random::Counting;

fn generate(spec: &Value, random: &mut dyn Random) -> Result<SecretMap> {
    crate::generate_locally(Password::KIND, spec, random)
}

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

#[test]
fn numbers_beyond_the_limit_are_refused_before_anything_is_allocated() {
    for (field, value) in [
        ("length", 1_000_000_000_000_000_u64),
        ("length", 4_097),
        ("digits", u64::MAX),
        ("symbols", 1 << 40),
    ] {
        let spec = json!({ field: value, "allowRepeat": true });

        let error = generate(&spec, &mut Counting::default()).unwrap_err();

        let text = format!("spec.{field} is {value}; at most 4096 is allowed");
        assert_eq!(error.to_string(), text);
        assert_eq!(error.kind(), &lockstep_provider_api::ErrorKind::InvalidSpec);
    }
}

#[test]
fn the_longest_password_is_made() {
    let password = made(&json!({ "length": 4_096, "allowRepeat": true }));

    assert_eq!(password.len(), 4_096);
    assert_eq!(password.chars().filter(char::is_ascii_digit).count(), 1_024);
}

#[test]
fn too_many_keys_and_symbols_are_refused() {
    let keys: Vec<String> = (0..257).map(|at| format!("k{at}")).collect();
    let cases = [
        (
            json!({ "secretKeys": keys }),
            "spec.secretKeys has 257 keys",
        ),
        (
            json!({ "symbolCharacters": "-".repeat(5_000) }),
            "spec.symbolCharacters has 5000 bytes",
        ),
    ];

    for (spec, text) in cases {
        let error = generate(&spec, &mut Counting::default()).unwrap_err();
        assert!(error.to_string().starts_with(text), "{error}");
    }
}

#[test]
fn every_character_reaches_every_place() {
    let mut random = Counting::default();
    let spec = json!({ "length": 3, "digits": 1, "symbols": 1 });

    let mut seen = BTreeSet::new();
    for _ in 0..400 {
        let made = generate(&spec, &mut random).unwrap();
        let text = made.get(DEFAULT_KEY).unwrap().expose_utf8().unwrap();
        let kind = |c: char| match c {
            c if c.is_ascii_digit() => 'd',
            c if c.is_ascii_alphabetic() => 'l',
            _ => 's',
        };
        seen.insert(text.chars().map(kind).collect::<String>());
    }

    let all = ["dls", "dsl", "lds", "lsd", "sdl", "sld"];
    assert_eq!(seen, all.map(str::to_owned).into());
}

mod properties {
    use proptest::prelude::*;

    use super::*;
    use crate::SystemRandom;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn a_password_has_the_characters_that_its_spec_asks_for(
            length in 1usize..80,
            digits in proptest::option::of(0usize..30),
            symbols in proptest::option::of(0usize..30),
            no_upper: bool,
            allow_repeat: bool,
        ) {
            let spec = json!({
                "length": length, "digits": digits, "symbols": symbols,
                "noUpper": no_upper, "allowRepeat": allow_repeat,
            });
            let (digits, symbols) = (digits.unwrap_or(length / 4), symbols.unwrap_or(length / 4));
            let letters = length.checked_sub(digits + symbols);
            let alphabet = if no_upper { 26 } else { 52 };
            let fits = |letters| {
                allow_repeat || (letters <= alphabet && digits <= 10 && symbols <= SYMBOLS.len())
            };

            let made = generate(&spec, &mut SystemRandom);

            let Some(letters) = letters.filter(|letters| fits(*letters)) else {
                prop_assert!(made.is_err());
                return Ok(());
            };
            let made = made.unwrap();
            let password = made.get(DEFAULT_KEY).unwrap().expose_utf8().unwrap();
            let count = |test: &dyn Fn(char) -> bool| password.chars().filter(|c| test(*c)).count();
            prop_assert_eq!(password.chars().count(), length);
            prop_assert_eq!(count(&|c| c.is_ascii_alphabetic()), letters);
            prop_assert_eq!(count(&|c| c.is_ascii_digit()), digits);
            prop_assert_eq!(count(&|c| SYMBOLS.contains(c)), symbols);
            if no_upper {
                prop_assert_eq!(count(&|c| c.is_ascii_uppercase()), 0);
            }
            if !allow_repeat {
                let unique: BTreeSet<char> = password.chars().collect();
                prop_assert_eq!(unique.len(), length);
            }
        }
    }

    #[test]
    fn every_character_is_as_likely_at_every_place() {
        let spec = json!({ "length": 10, "digits": 10, "symbols": 0 });
        let mut counts = [[0u32; 10]; 10];

        for _ in 0..5_000 {
            let made = generate(&spec, &mut SystemRandom).unwrap();
            let password = made.get(DEFAULT_KEY).unwrap().expose();
            for (place, digit) in password.iter().enumerate() {
                counts[place][usize::from(digit - b'0')] += 1;
            }
        }

        // Chi-square with 9 degrees of freedom for each place: beyond 50 once in ten million runs.
        for place in counts {
            let distance: f64 = place
                .iter()
                .map(|count| (f64::from(*count) - 500.0).powi(2) / 500.0)
                .sum();
            assert!(distance < 50.0, "{distance}");
        }
    }
}
