use super::unquote::Unit;
use super::*;

#[test]
fn quoting_escapes_what_cannot_be_printed() {
    let cases: [(&[u8], &str); 6] = [
        (b"a\"b\\", r#""a\"b\\""#),
        (b"\x00\x07\n\x7f", r#""\x00\a\n\x7f""#),
        ("\u{e9}\u{4e16}".as_bytes(), "\"\u{e9}\u{4e16}\""),
        (b"\xff\xc3", r#""\xff\xc3""#),
        ("\u{a0}\u{200b}".as_bytes(), r#""\u00a0\u200b""#),
        ("\u{e000}\u{10ffff}".as_bytes(), r#""\ue000\U0010ffff""#),
    ];

    for (text, want) in cases {
        assert_eq!(quote(text), want);
    }
    assert_eq!(
        quote_ascii("\u{e9}\u{1f600}".as_bytes()),
        r#""\u00e9\U0001f600""#
    );
    assert_eq!(quote_rune('\'', false), r"'\''");
    assert_eq!(quote_rune_point('\u{2603}'), "U+2603 '\u{2603}'");
    assert_eq!(quote_rune_point('\n'), "U+000A");
}

#[test]
fn backquotes_hold_neither_controls_nor_themselves() {
    assert!(can_backquote("a\t\u{e9}\"".as_bytes()));
    for text in [&b"`"[..], b"a\nb", b"\x7f", b"\xff", b"\xef\xbb\xbf"] {
        assert!(!can_backquote(text));
    }
}

#[test]
fn unquoting_understands_every_escape() {
    let cases: [(&[u8], &[u8]); 7] = [
        (br#""a\tb""#, b"a\tb"),
        (
            br#""\u00e9\x41\101\U0001F600""#,
            "\u{e9}AA\u{1f600}".as_bytes(),
        ),
        (br#""\xff""#, b"\xff"),
        (br#""\"\\""#, b"\"\\"),
        (b"`raw\\n\r`", b"raw\\n"),
        (br#""""#, b""),
        (b"\"\xff\"", "\u{fffd}".as_bytes()),
    ];

    for (literal, want) in cases {
        assert_eq!(unquote(literal).as_deref(), Some(want), "{literal:?}");
    }
}

#[test]
fn malformed_literals_are_refused() {
    for literal in [
        &br#""\'""#[..],
        br#""\q""#,
        br#""\x4""#,
        br#""\ud800""#,
        br#""\400""#,
        br#"""#,
        b"\"\\\"",
    ] {
        assert_eq!(unquote(literal), None, "{literal:?}");
    }
}

#[test]
fn character_constants_leave_their_tail() {
    assert_eq!(
        unquote_char(b"a'", b'\''),
        Some((Unit::Rune('a'), &b"'"[..]))
    );
    assert_eq!(
        unquote_char(br"\''", b'\''),
        Some((Unit::Rune('\''), &b"'"[..]))
    );
    assert_eq!(unquote_char(b"'", b'\''), None);
    assert_eq!(
        unquote_char(br"\x41'", b'\'').map(|(unit, _)| unit.code()),
        Some(0x41)
    );
}

#[test]
fn integers_follow_prefixes_and_underscores() {
    let cases: [(&str, Result<i64, NumError>); 14] = [
        ("0x1F", Ok(31)),
        ("0b101", Ok(5)),
        ("0o17", Ok(15)),
        ("017", Ok(15)),
        ("1_000", Ok(1000)),
        ("0x_1F", Ok(31)),
        ("-9223372036854775808", Ok(i64::MIN)),
        ("9223372036854775808", Err(NumError::Range)),
        ("08", Err(NumError::Syntax)),
        ("1__0", Err(NumError::Syntax)),
        ("_1", Err(NumError::Syntax)),
        ("0x", Err(NumError::Syntax)),
        ("", Err(NumError::Syntax)),
        ("0_7", Ok(7)),
    ];

    for (text, want) in cases {
        assert_eq!(parse_int(text.as_bytes(), 0), want, "{text}");
    }
    assert_eq!(parse_int(b"010", 10), Ok(10));
    assert_eq!(parse_int(b"1_0", 10), Err(NumError::Syntax));
    assert_eq!(parse_uint(b"18446744073709551615", 10), Ok(u64::MAX));
}

#[test]
fn floats_take_underscores_between_digits() {
    assert_eq!(parse_float(b"1_000.5"), Ok(1000.5));
    assert_eq!(parse_float(b"1__0"), Err(NumError::Syntax));
    assert_eq!(parse_float(b"1e400"), Err(NumError::Range));
}
