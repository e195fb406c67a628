//! Edges of the front end and limits; replacement is in the conformance tables.

use super::*;

fn refusal(pattern: &str) -> String {
    Regexp::new(pattern).unwrap_err().to_string()
}

#[test]
fn refusals_carry_the_text_of_go() {
    let cases = [
        ("(", "missing closing ): `(`"),
        ("(abc", "missing closing ): `(abc`"),
        ("a)", "unexpected ): `a)`"),
        ("*", "missing argument to repetition operator: `*`"),
        ("(*?)", "missing argument to repetition operator: `*?`"),
        ("a|{2}", "missing argument to repetition operator: `{2}`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a+{2}?", "invalid nested repetition operator: `+{2}?`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a{3,2}", "invalid repeat count: `{3,2}`"),
        ("(a{100}){11}", "invalid repeat count: `{11}`"),
        ("a{99999999999}", "invalid repeat count: `{99999999999}`"),
        ("[a", "missing closing ]: `[a`"),
        ("[]", "missing closing ]: `[]`"),
        ("[b-a]", "invalid character class range: `b-a`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        ("\\p{Nope}", "invalid character class range: `\\p{Nope}`"),
        (
            "\\p{Old_Italic}",
            "invalid character class range: `\\p{Old_Italic}`",
        ),
        ("\\pX", "invalid character class range: `\\pX`"),
        ("\\p", "invalid character class range: `\\p`"),
        ("\\p{Lu", "invalid character class range: `\\p{Lu`"),
        ("\\", "trailing backslash at end of expression: ``"),
        ("\\1", "invalid escape sequence: `\\1`"),
        ("\\C", "invalid escape sequence: `\\C`"),
        ("\\Z", "invalid escape sequence: `\\Z`"),
        ("[\\b]", "invalid escape sequence: `\\b`"),
        ("\\x{110000}", "invalid escape sequence: `\\x{110000`"),
        ("\\xg0", "invalid escape sequence: `\\xg0`"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"),
        ("(?<=a)", "invalid named capture: `(?<=a)`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
        ("(?P<a b>x)", "invalid named capture: `(?P<a b>`"),
    ];

    for (pattern, want) in cases {
        assert_eq!(
            refusal(pattern),
            format!("error parsing regexp: {want}"),
            "{pattern}"
        );
    }
}

#[test]
fn a_negated_class_is_right_on_both_sides_of_the_surrogates() {
    for pattern in ["[^\\p{C}]", "\\P{C}", "[^\u{d000}-\u{d7ff}\u{e000}]"] {
        let regexp = Regexp::new(pattern).unwrap();

        assert!(!regexp.is_match("\u{d7ff}".as_bytes()), "{pattern}");
        assert!(!regexp.is_match("\u{e000}".as_bytes()), "{pattern}");
        assert!(regexp.is_match(b"a"), "{pattern}");
    }
}

#[test]
fn an_earlier_alternative_wins_though_a_later_one_begins_alike() {
    let cases = [
        (".*a|.*b?", "xay", 0..2),
        ("(?:.*a|.*y?z?)", "xay", 0..2),
        (".*?a|.*?b?", "xay", 0..2),
        ("x.+-prod|x.+[a-z]*", "xa-prod-1", 0..7),
        ("(?:x|xa)y|(?:x|xa)a", "xay", 0..3),
        ("ab?c|ab?d", "abd", 0..3),
        ("a{2}b|a{2}c", "aac", 0..3),
        ("a.*b|a.*c?|d.*", "axbx", 0..3),
    ];
    for (pattern, text, wanted) in cases {
        let found = Regexp::new(pattern).unwrap().find(text.as_bytes());
        assert_eq!(found, Some(wanted), "{pattern}");
    }
}

#[test]
fn a_pattern_must_be_utf8() {
    let error = Regexp::from_bytes(b"a\xffb").unwrap_err();

    assert_eq!(
        error.to_string(),
        "error parsing regexp: invalid UTF-8: `\u{fffd}b`"
    );
}

#[test]
fn groups_are_found_by_position_and_name() {
    let regexp = Regexp::new("(?P<year>\\d+)-(?<month>\\d+)(x)?").unwrap();

    let found = regexp.captures(b"on 2024-07").unwrap();

    assert_eq!(found, [Some(3..10), Some(3..7), Some(8..10), None]);
    let names = [
        None,
        Some("year".to_owned()),
        Some("month".to_owned()),
        None,
    ];
    assert_eq!(regexp.capture_names(), names);
}

#[test]
fn templates_take_the_longest_name() {
    let regexp = Regexp::new("(?P<a>.)(?P<b>.)").unwrap();
    let cases = [
        ("$1$2", "xy"),
        ("$1x", ""),
        ("${1}x", "xx"),
        ("$b${a}", "yx"),
        ("$$1", "$1"),
        ("$", "$"),
        ("${a", "${a"),
        ("${}", "${}"),
        ("$9", ""),
        ("$01", ""),
        ("$\u{e9}", ""),
        ("$-", "$-"),
        ("$99999999999999999999", ""),
    ];

    for (template, want) in cases {
        let got = regexp.replace_all(b"xy", template.as_bytes());
        assert_eq!(String::from_utf8(got).unwrap(), want, "{template}");
    }
    assert_eq!(regexp.replace_all_literal(b"xyz", b"$1"), b"$1z");
}

#[test]
fn the_first_of_equally_named_groups_that_matched_is_taken() {
    let regexp = Regexp::new("(?P<n>a)|(?P<n>b)").unwrap();

    assert_eq!(regexp.replace_all(b"ab", b"[$n]"), b"[a][b]");
}

#[test]
fn empty_matches_advance_by_characters() {
    let empty = Regexp::new("").unwrap();
    let stars = Regexp::new("a*").unwrap();

    assert_eq!(
        empty.replace_all("\u{e9}b".as_bytes(), b"-"),
        "-\u{e9}-b-".as_bytes()
    );
    assert_eq!(stars.find_all(b"baab", -1), [0..0, 1..3, 4..4]);
    assert_eq!(stars.find_all(b"baab", 2), [0..0, 1..3]);
    assert!(stars.find_all(b"baab", 0).is_empty());
}

#[test]
fn split_follows_go() {
    let comma = Regexp::new(",").unwrap();
    let empty = Regexp::new("").unwrap();

    assert_eq!(comma.split(b"a,b,c", -1), [b"a", b"b", b"c"]);
    assert_eq!(comma.split(b"a,b,c", 2), [b"a".as_slice(), b"b,c"]);
    assert!(comma.split(b"a,b,c", 0).is_empty());
    assert_eq!(comma.split(b"", -1), [b""]);
    assert_eq!(empty.split(b"abc", -1), [b"a", b"b", b"c"]);
    assert_eq!(comma.split(b",", -1), [b"", b""]);
}

#[test]
fn bytes_that_are_not_utf8_match_as_replacement_characters() {
    let dot = Regexp::new(".").unwrap();
    let stand_in = Regexp::new("\\x{fffd}+").unwrap();

    assert_eq!(dot.find_all(b"a\xff\xc3\xa9", -1), [0..1, 1..2, 2..4]);
    assert_eq!(stand_in.find(b"a\xe2\x82b"), Some(1..3));
    assert_eq!(dot.replace_all(b"\xff", b"<$0>"), b"<\xff>");
    assert_eq!(
        Regexp::new("x").unwrap().replace_all(b"\xffx\xfe", b"y"),
        b"\xffy\xfe"
    );
}

#[test]
fn classes_of_perl_and_posix_are_ascii() {
    assert!(
        !Regexp::new("\\w|\\d|[[:alpha:]]")
            .unwrap()
            .is_match("\u{e9}\u{663}".as_bytes())
    );
    assert!(
        Regexp::new("^\\W\\D[[:^alpha:]]$")
            .unwrap()
            .is_match("\u{e9}\u{663}\u{e9}".as_bytes())
    );
    assert!(
        Regexp::new("(?i)^\\w[[:upper:]]k$")
            .unwrap()
            .is_match("\u{17f}a\u{212a}".as_bytes())
    );
}

#[test]
fn quoting_escapes_what_has_a_meaning() {
    assert_eq!(quote_meta("a.b*[c]\\"), b"a\\.b\\*\\[c\\]\\\\");
}

#[test]
fn hostile_patterns_are_refused_or_compiled_soon() {
    let nested = |open: &str, depth: usize| format!("{}a{}", open.repeat(depth), ")".repeat(depth));
    let patterns = [
        nested("(", 248),
        nested("(a|", 120),
        nested("(", 5_000),
        nested("(?:", 50_000),
        nested("(a|", 400),
        "(?i)".to_owned() + &"\\pL".repeat(2_000),
        "\\pL{1000}".to_owned(),
        "((a{10}){10}){10}".to_owned(),
        "[".to_owned() + &"[:".repeat(20_000),
        "[".to_owned() + &"\\pL".repeat(2_000) + "]",
        "{".repeat(20_000),
        "(x+x+)+y".to_owned(),
        "a?".repeat(500) + &"a".repeat(500),
    ];

    for pattern in patterns {
        if let Ok(regexp) = Regexp::new(&pattern) {
            let _ = regexp.is_match(&[b'x'; 2_000]);
        }
    }
}

/// What a search for all matches says it reads, over the length of the text.
fn read_by(pattern: &str, text: &[u8]) -> usize {
    let mut read = 0;
    let regexp = Regexp::new(pattern).unwrap();
    regexp.count_matches(text, |bytes| {
        read += bytes;
        true
    });
    read / text.len()
}

#[test]
fn searches_that_cannot_read_far_are_counted_by_what_they_read() {
    let text = b"word1 word22 w\xc3\xa4 ".repeat(200);
    for pattern in [
        " ",
        "[^a-z]",
        "[^a-z]+",
        "\\w+",
        "(word)([0-9]+)",
        "(?:wo|w)(r|d)*",
        "\\bw.",
        "a{2,}|[0-9]{1,}|x",
        ".*",
        "(?i)W\\pL{1,8}",
    ] {
        assert!(read_by(pattern, &text) < 40, "{pattern}");
    }
    for pattern in ["w.*z|w", "w[^z]*z|w", "(.*z)?w", "\\w+$|w"] {
        assert!(read_by(pattern, &text) > 200, "{pattern}");
    }
}
