//! Nothing panics, whatever comes in.

use lockstep_golang::duration::Duration;
use lockstep_golang::regexp::Regexp;
use lockstep_golang::{base64, float, gjson, json, unicode, yaml};
use proptest::prelude::*;

/// Text made of the pieces a format is made of, which random bytes hardly ever are.
fn made_of(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(pieces), 0..24).prop_map(|parts| parts.concat())
}

const JSON: &[&str] = &[
    "{", "}", "[", "]", ":", ",", "\"a\"", "\"", "\\", "\\u00", "1", "-", "e", ".", "true", "nul",
    " ", "\n", "\u{e9}", "\"b\":", "1.5e3",
];
const PATH: &[&str] = &[
    "a",
    "b",
    ".",
    "|",
    "#",
    "#(",
    ")",
    "==",
    "!%",
    "~",
    "\"",
    "\\",
    "*",
    "?",
    "@",
    "@pretty",
    "@dig:",
    "@flatten:{\"deep\":true}",
    "@join",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "!",
    "..",
    "0",
    "1",
    "@pretty:{\"sortKeys\":true}",
];
const PATTERN: &[&str] = &[
    "a",
    "(",
    ")",
    "[",
    "]",
    "^",
    "$",
    "*",
    "+",
    "?",
    "{2}",
    "{",
    "|",
    "\\",
    "\\pL",
    "\\Q",
    "\\E",
    "(?i)",
    "(?P<n>",
    "[:alpha:]",
    "-",
    ".",
    "\\x{",
    "}",
    "\u{e9}",
    "\\b",
];
const YAML: &[&str] = &[
    "a", ":", " ", "\n", "- ", "? ", "&a ", "*a", "!!str ", "|", ">", "'", "\"", "\\", "[", "]",
    "{", "}", ",", "#", "%", "---", "...", "<<: ", "\t", "  ", "1", "~", "\u{2028}",
];

proptest! {
    #[test]
    fn json_and_paths(source in made_of(JSON), path in made_of(PATH)) {
        if let Some(hit) = gjson::get(source.as_bytes(), &path) {
            let _ = hit.string().len();
            prop_assert_eq!(hit.clone().into_owned(), hit);
        }
        let _ = json::object_members(source.as_bytes());
        if let Ok(value) = json::decode(source.as_bytes()) {
            let text = json::marshal_escaped(&value);
            prop_assert_eq!(json::decode(text.as_bytes()), Ok(value));
        }
    }

    #[test]
    fn bytes_as_json_base64_numbers_and_runes(
        source in prop::collection::vec(any::<u8>(), 0..64),
        path in ".{0,12}",
    ) {
        let _ = gjson::get(&source, &path);
        let _ = json::object_members(&source);
        let _ = base64::decode(base64::Encoding::Standard, &source);
        let _ = float::parse(&source);
        let _ = yaml::decode(&source);
        let runes: usize = unicode::runes(&source).count();
        prop_assert!(runes <= source.len());
        let text = base64::encode(base64::Encoding::RawUrl, &source);
        prop_assert_eq!(base64::decode(base64::Encoding::RawUrl, text.as_bytes()), Ok(source));
    }

    #[test]
    fn patterns(
        pattern in made_of(PATTERN),
        text in prop::collection::vec(any::<u8>(), 0..24),
        template in "[$a1{}_]{0,8}",
    ) {
        if let Ok(regexp) = Regexp::new(&pattern) {
            let _ = regexp.replace_all(&text, template.as_bytes());
            let _ = regexp.split(&text, 3);
            let found = regexp.find_all(&text, -1);
            prop_assert_eq!(regexp.is_match(&text), !found.is_empty());
        }
    }

    #[test]
    fn documents(source in made_of(YAML)) {
        let _ = yaml::decode(source.as_bytes());
        let _ = yaml::decode_strings(source.as_bytes());
    }

    #[test]
    fn durations(nanos in any::<i64>(), text in "[-+]?[0-9.]{0,20}[a-z]{0,3}") {
        let _ = Duration::parse(&text);
        let duration = Duration::from_nanos(nanos);
        prop_assert_eq!(Duration::parse(&duration.to_string()), Ok(duration));
    }
}
