//! Durations against results of Go's time package.

use super::Duration;

#[test]
fn durations_parse_and_print_as_in_go() {
    let cases = [
        ("0", 0, "0s"),
        ("+0", 0, "0s"),
        ("5s", 5_000_000_000, "5s"),
        ("+5s", 5_000_000_000, "5s"),
        ("-5s", -5_000_000_000, "-5s"),
        ("1h", 3_600_000_000_000, "1h0m0s"),
        ("60m", 3_600_000_000_000, "1h0m0s"),
        ("1h0m0s", 3_600_000_000_000, "1h0m0s"),
        ("24h", 86_400_000_000_000, "24h0m0s"),
        ("90s", 90_000_000_000, "1m30s"),
        ("1.5h", 5_400_000_000_000, "1h30m0s"),
        (".5s", 500_000_000, "500ms"),
        ("5.s", 5_000_000_000, "5s"),
        ("1ns", 1, "1ns"),
        ("1100ns", 1_100, "1.1\u{b5}s"),
        ("1\u{b5}s1\u{3bc}s1us", 3_000, "3\u{b5}s"),
        ("2200us", 2_200_000, "2.2ms"),
        ("3300ms", 3_300_000_000, "3.3s"),
        ("1m0.001s", 60_001_000_000, "1m0.001s"),
        (
            "0.9223372036854775807h",
            3_320_413_933_267,
            "55m20.413933267s",
        ),
        ("0.3333333333333333333h", 1_200_000_000_000, "20m0s"),
        (
            "9223372036854775807ns",
            i64::MAX,
            "2562047h47m16.854775807s",
        ),
        (
            "-9223372036854775808ns",
            i64::MIN,
            "-2562047h47m16.854775808s",
        ),
        ("0.100000000000000000000h", 360_000_000_000, "6m0s"),
    ];

    for (text, nanos, canonical) in cases {
        let got = Duration::parse(text).unwrap();

        assert_eq!(
            (got.as_nanos(), got.to_string().as_str()),
            (nanos, canonical),
            "{text}"
        );
    }
}

#[test]
fn refusals_carry_the_text_of_go() {
    let cases = [
        ("", r#"time: invalid duration """#),
        ("3", r#"time: missing unit in duration "3""#),
        ("1 h", r#"time: unknown unit " h" in duration "1 h""#),
        ("1x", r#"time: unknown unit "x" in duration "1x""#),
        ("-", r#"time: invalid duration "-""#),
        ("s", r#"time: invalid duration "s""#),
        (".", r#"time: invalid duration ".""#),
        (".s", r#"time: invalid duration ".s""#),
        ("+.s", r#"time: invalid duration "+.s""#),
        ("1d", r#"time: unknown unit "d" in duration "1d""#),
        (
            "\u{85}\u{85}",
            r#"time: invalid duration "\xc2\x85\xc2\x85""#,
        ),
        ("1\"\\", r#"time: unknown unit "\"\\" in duration "1\"\\""#),
        ("\u{fffd}", r#"time: invalid duration "\xef\xbf\xbd""#),
        (
            "9223372036854775810ns",
            r#"time: invalid duration "9223372036854775810ns""#,
        ),
        (
            "9223372036854775808ns",
            r#"time: invalid duration "9223372036854775808ns""#,
        ),
        (
            "-9223372036854775809ns",
            r#"time: invalid duration "-9223372036854775809ns""#,
        ),
        (
            "9223372036854775.808us",
            r#"time: invalid duration "9223372036854775.808us""#,
        ),
        (
            "9223372036854ms775us808ns",
            r#"time: invalid duration "9223372036854ms775us808ns""#,
        ),
    ];

    for (text, want) in cases {
        assert_eq!(Duration::parse(text).unwrap_err().to_string(), want);
    }
}

#[test]
fn only_a_negative_duration_has_no_std_form() {
    assert_eq!(
        Duration::from_secs(2).to_std(),
        Some(std::time::Duration::from_secs(2))
    );
    assert_eq!(Duration::from_nanos(-1).to_std(), None);
}
