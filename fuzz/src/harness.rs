//! The harnesses: each takes any bytes and panics if something holds that must not.
//!
//! That nothing panics, hangs or grows without bound is seen by the driver; here is what else must
//! be true of every input.

use lockstep_golang::regexp::Regexp;
use lockstep_golang::{gjson as paths, json as texts, sjson as writes, yaml as documents};
use lockstep_provider_api::SecretValue;
use lockstep_provider_api::json as secrets;
use lockstep_template::{
    Env, Limits, MissingKey, Options, Random, RandomError, StrMap, Template, Value,
};

use crate::target::SEPARATOR;

/// Small enough that a round is short, large enough that most templates end by themselves.
const LIMITS: Limits = Limits {
    steps: 300_000,
    output: 1 << 16,
    memory: 8 << 20,
    depth: 200,
};

/// A value of the data that no error may show.
const SECRET: &str = "hunter2-canary";

/// The same bytes every time, so that two executions can be compared.
struct Fixed;

impl Random for Fixed {
    fn fill(&self, buffer: &mut [u8]) -> Result<(), RandomError> {
        for (at, byte) in buffer.iter_mut().enumerate() {
            *byte = at.to_le_bytes()[0].wrapping_mul(37).wrapping_add(11);
        }
        Ok(())
    }
}

/// Parses and executes a template: twice the same, within limits, with no secret in an error.
pub fn template(input: &[u8]) {
    let options = Options {
        missing_key: MissingKey::Error,
        ..Options::default()
    };
    let template = match Template::parse("fuzz", input, &options) {
        Ok(template) => template,
        Err(error) => {
            assert!(error.to_string().starts_with("template: fuzz:"), "{error}");
            return;
        }
    };
    let data = [
        ("user", "alice"),
        ("empty", ""),
        ("num", "42"),
        ("json", r#"{"k":[1,2.5,null]}"#),
        ("multi", "l1\nl2\n"),
        ("secret", SECRET),
    ];
    let data = Value::from(data.into_iter().collect::<StrMap>());
    let env = Env {
        now: jiff::Timestamp::UNIX_EPOCH,
        random: &Fixed,
        limits: LIMITS,
    };
    let first = template.execute(&data, &env);
    let second = template.execute(&data, &env);
    match (first, second) {
        (Ok(first), Ok(second)) => {
            assert_eq!(first, second, "two executions differ");
            assert!(first.len() <= LIMITS.output, "the output is too long");
        }
        (Err(first), Err(second)) => {
            let text = first.to_string();
            assert_eq!(text, second.to_string(), "two executions differ");
            let told = text.contains(SECRET) || format!("{first:?}").contains(SECRET);
            let written = String::from_utf8_lossy(input).contains(SECRET);
            assert!(!told || written, "an error shows a value: {text}");
        }
        (first, second) => assert_eq!(first, second, "two executions differ"),
    }
}

/// Looks a path up in JSON; the input is the path, the separator, and the JSON.
pub fn gjson(input: &[u8]) {
    let (path, source) = parts(input);
    let path = String::from_utf8_lossy(path);
    let Ok(Some(hit)) = paths::find(source, &path) else {
        return;
    };
    let most = source.len() * 4 + (1 << 20);
    assert!(
        hit.raw().len() <= most.max(path.len()),
        "more was made than may be"
    );
    let copy = hit.clone().into_owned();
    assert_eq!(copy.raw(), hit.raw(), "a copy differs");
    assert_eq!(copy.string(), hit.string(), "the text of a copy differs");
}

/// Compiles a pattern and uses it; the input is the pattern, the separator, and the text.
pub fn regexp(input: &[u8]) {
    let (pattern, text) = parts(input);
    // A count makes an automaton large, and rounds long, without showing anything new.
    if pattern
        .windows(4)
        .filter(|four| four[0] == b'{' && four[3].is_ascii_digit())
        .count()
        > 2
    {
        return;
    }
    let Ok(regexp) = Regexp::from_bytes(pattern) else {
        return;
    };
    assert!(lockstep_golang::regexp::check(pattern).is_ok());
    let found = regexp.find_all(text, -1);
    assert_eq!(regexp.is_match(text), !found.is_empty());
    assert_eq!(regexp.find(text), found.first().cloned());
    assert!(found.windows(2).all(|two| two[0].end <= two[1].start));
    // A match replaced by itself is no change.
    assert_eq!(regexp.replace_all(text, b"${0}"), text);
    let _ = regexp.replace_all(text, b"[$1|${n}|$$]");
    let _ = regexp.split(text, 3);
}

/// Reads a document; what was read, written as JSON, reads the same.
pub fn yaml(input: &[u8]) {
    let _ = documents::decode_strings(input);
    let Ok(value) = documents::decode(input) else {
        return;
    };
    let text = texts::marshal(&value);
    assert!(texts::decode(text.as_bytes()).is_ok(), "no JSON: {text}");
    // JSON is YAML, except for some characters, and that a key may not be long.
    let special = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{feff}' | '\u{fffe}'..='\u{ffff}');
    if text.len() < 1000 && !text.contains(special) {
        assert_eq!(documents::decode(text.as_bytes()), Ok(value), "{text}");
    }
}

/// Reads JSON; what was read, written, reads the same, and all readers agree on what is JSON.
pub fn json(input: &[u8]) {
    let valid = texts::validate(input).is_ok();
    assert!(!valid || paths::valid(input), "gjson sees no JSON");
    let members = texts::object_members(input);
    assert!(valid || members.is_err(), "members of what is no JSON");
    let secret = SecretValue::from(input);
    let Ok(value) = secrets::decode(&secret) else {
        return;
    };
    assert!(valid, "a value of what is no JSON");
    let text = secrets::marshal(&value);
    let again = secrets::decode(&SecretValue::from(text.as_str()));
    assert!(
        again.is_ok_and(|again| secrets::marshal(&again) == text),
        "{text}"
    );
}

/// Follows a JSONPath; the input is the path, the separator, and the JSON.
pub fn jsonpath(input: &[u8]) {
    let (path, source) = parts(input);
    let path = String::from_utf8_lossy(path);
    let first = lockstep_provider_webhook::follow_path(&path, source);
    let second = lockstep_provider_webhook::follow_path(&path, source);
    assert_eq!(first, second, "two walks differ");
    assert!(
        first.is_none_or(|length| length <= 1 << 20),
        "the value is too large"
    );
}

/// Writes to a path and removes it; the input is the path, the separator, and the JSON.
pub fn sjson(input: &[u8]) {
    let (path, source) = parts(input);
    let path = String::from_utf8_lossy(path);
    let Ok(written) = writes::set(source, &path, b"value") else {
        return;
    };
    assert!(written.len() <= 3 << 20, "the result is too large");
    if texts::validate(source).is_ok() {
        assert!(texts::validate(&written).is_ok(), "no longer JSON");
    }
    if let Ok(removed) = writes::remove(&written, &path) {
        assert!(removed.len() <= written.len(), "removing made it longer");
    }
}

/// What stands before and behind the first separator.
fn parts(input: &[u8]) -> (&[u8], &[u8]) {
    match input.iter().position(|byte| *byte == SEPARATOR) {
        Some(at) => (&input[..at], &input[at + 1..]),
        None => (input, b"abc k\xff"),
    }
}
