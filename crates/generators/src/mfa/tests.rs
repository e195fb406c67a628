//! One-time codes against the examples of RFC 6238, and specs that cannot be.

use serde_json::{Value, json};

use crate::testing::Bench;

/// The seeds of RFC 6238, appendix B, in base32.
const SHA1_SEED: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const SHA256_SEED: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA";
const SHA512_SEED: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA";

fn made(seed: &str, more: Value) -> Result<Vec<(String, String)>, String> {
    let mut spec = json!({ "secret": { "name": "seed", "key": "k" } });
    spec.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let bench = Bench::new().secret("seed", &[("k", seed)]);
    bench.generate("MFA", &spec).map(|made| made.texts())
}

fn token(seed: &str, more: Value) -> String {
    let made = made(seed, more).unwrap();
    made.into_iter().find(|(key, _)| key == "token").unwrap().1
}

#[test]
fn codes_are_those_of_the_standard_for_each_hash() {
    let table = [
        ("1970-01-01T00:00:59Z", SHA1_SEED, "sha1", "94287082"),
        ("1970-01-01T00:00:59Z", SHA256_SEED, "sha256", "46119246"),
        ("1970-01-01T00:00:59Z", SHA512_SEED, "sha512", "90693936"),
        ("2005-03-18T01:58:29Z", SHA1_SEED, "sha1", "07081804"),
        ("2603-10-11T11:33:20Z", SHA256_SEED, "sha256", "77737706"),
    ];

    for (when, seed, algorithm, code) in table {
        let spec = json!({ "length": 8, "algorithm": algorithm, "when": when });
        assert_eq!(token(seed, spec), code, "{when} {algorithm}");
    }
}

#[test]
fn the_rarer_hashes_give_codes_of_their_own() {
    let code = |algorithm| token(SHA512_SEED, json!({ "algorithm": algorithm, "length": 10 }));

    let mut codes = ["sha1", "sha256", "sha384", "sha512", "sha512_256"].map(code);
    codes.sort_unstable();
    assert!(codes.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn the_seconds_left_are_those_of_the_period() {
    let spec = json!({ "timePeriod": 60, "when": "2024-01-02T03:04:05Z" });

    let made = made(SHA1_SEED, spec).unwrap();

    assert_eq!(made[0], ("timeLeft".to_owned(), "55".to_owned()));
}

#[test]
fn a_seed_in_groups_and_small_letters_is_the_same_seed() {
    let when = json!({ "when": "1970-01-01T00:00:59Z", "length": 8 });

    let grouped = "gezd gnbv gy3t qojq gezd gnbv gy3t qojq\n";

    assert_eq!(token(grouped, when), "94287082");
}

#[test]
fn what_cannot_be_is_refused_without_showing_the_seed() {
    let table = [
        ("not base32!", json!({}), "base32"),
        (
            SHA1_SEED,
            json!({ "algorithm": "md5" }),
            "md5 for hash function is invalid",
        ),
        (SHA1_SEED, json!({ "length": 11 }), "at most 10"),
    ];

    for (seed, spec, text) in table {
        let error = made(seed, spec).unwrap_err();
        assert!(error.contains(text), "{error}");
        assert!(!error.contains(seed), "{error}");
    }
}

#[test]
fn a_key_that_is_not_there_is_named() {
    let bench = Bench::new().secret("seed", &[("k", SHA1_SEED)]);

    let error = bench.generate("MFA", &json!({ "secret": { "name": "seed", "key": "z" } }));

    assert_eq!(
        error.unwrap_err(),
        "secret key z does not exist in secret data map"
    );
}
