//! Hostile input ends in an error, never in a crash or a hang, and no error holds a secret.

use std::fmt::Write as _;

use crate::support::run;

const CANARY: &str = "hunter2-canary";

#[test]
fn deeply_nested_source_is_parsed_or_refused() {
    let parens = format!("{{{{ {}1{} }}}}", "(".repeat(200_000), ")".repeat(200_000));
    let error = run(&parens, &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "template: tpl:1: max expression depth exceeded"
    );

    let few = format!("{{{{ {}1{} }}}}", "(".repeat(200), ")".repeat(200));
    assert_eq!(run(&few, &[]).unwrap(), b"1");

    let blocks = format!(
        "{}x{}",
        "{{ if true }}".repeat(100_000),
        "{{ end }}".repeat(100_000)
    );
    assert_eq!(run(&blocks, &[]).unwrap(), b"x");

    let chain = format!(
        "{{{{ if false }}}}{}{{{{ end }}}}",
        "{{ else if false }}".repeat(50_000)
    );
    assert_eq!(run(&chain, &[]).unwrap(), b"");
}

#[test]
fn unfinished_source_is_refused() {
    for source in [
        "{{",
        "{{ (",
        "{{ \"",
        "{{ `",
        "{{/*",
        "{{ if",
        "{{ range $i,",
        "{{define \"x\"}}",
        "{{ '",
        "{{ .",
        "{{ $",
        "{{ 1.5e",
        "{{-",
    ] {
        assert!(run(source, &[]).is_err(), "{source}");
    }
}

#[test]
fn hostile_patterns_and_documents_are_refused_or_limited() {
    let aliases = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n\
                   c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n\
                   e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n\
                   g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: &h [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n";
    let brackets = "[".repeat(100_000);
    let data = [("aliases", aliases), ("brackets", &brackets)];

    for source in [
        r#"{{ regexMatch "(((a{1000}){1000}){1000})" "x" }}"#,
        r#"{{ regexMatch "(a*)*b" (repeat 30000 "a") }}"#,
        r#"{{ regexFindAll ".*[^A-Z]|[A-Z]" (repeat 5000 "A") -1 | len }}"#,
        "{{ .aliases | fromYaml | toJson | len }}",
        "{{ .brackets | fromYaml | toJson }}",
        "{{ .brackets | fromJson }}",
        "{{ .brackets | mustFromJson }}",
        r#"{{ semverCompare (repeat 10000 "1 ") "1.0.0" }}"#,
        "{{ trimAll (repeat 100000 \"ab\") (repeat 100000 \"b\") }}",
        r#"{{ urlParse (repeat 10000 "%41") }}"#,
        r"{{ mulf 1e300 1e300 1e300 1e300 }}{{ addf 1e308 1e-300 }}",
        r"{{ round 1.5 9223372036854775807 }}{{ round 1.5 -9223372036854775807 }}",
        r#"{{ substr -1 -1 "x" }}"#,
        r#"{{ dateInZone "2006" 9223372036854775807 "Europe/Berlin" }}"#,
        r#"{{ dateInZone "2006" -9223372036854775807 "Asia/Kolkata" }}"#,
        r#"{{ (toDate "2006" "2020").AddDate 9223372036854775807 -9223372036854775807 5 }}"#,
        r"{{ chunk 9223372036854775807 (list 1) }}{{ chunk -9223372036854775807 (list 1 2) }}",
        r#"{{ splitn "," -9223372036854775807 "a,b" }}{{ abbrev 9223372036854775807 "abc" }}"#,
        r"{{ randInt -9223372036854775807 9223372036854775807 }}",
        r"{{ div -9223372036854775808 -1 }}{{ mod -9223372036854775808 -1 }}",
        r#"{{ wrap 9223372036854775807 "a b" }}{{ wrap -5 "a b" }}{{ trunc -9223372036854775808 "x" }}"#,
        r#"{{ index "abc" 18446744073709551615 }}"#,
        r#"{{ printf "%[99999999999999999999]d %*d %.*d %[-1]d %[" 1 99999999 2 -3 }}"#,
        r"{{ slice (list 1 2) 5 -5 }}",
    ] {
        // Whatever the answer, there is one.
        drop(run(source, &data));
    }
}

#[test]
fn bytes_that_are_no_text_pass_through_every_function() {
    let mut source = String::new();
    for func in [
        "trim",
        "upper",
        "lower",
        "title",
        "untitle",
        "swapcase",
        "snakecase",
        "kebabcase",
        "camelcase",
        "nospace",
        "initials",
        "quote",
        "squote",
        "toJson",
        "toYaml",
        "html",
        "js",
        "urlquery",
        "b64enc",
        "b32enc",
        "sha256sum",
        "regexQuoteMeta",
        "base",
        "clean",
        "shuffle",
    ] {
        let _ = write!(
            source,
            "{{{{ $x := \"\\xff\\xc3\\x28 A\\xed\\xa0\\x80\" }}}}{{{{ {func} $x | len }}}},"
        );
    }

    assert!(run(&source, &[]).is_ok());
}

#[test]
fn no_error_holds_a_value_of_the_data() {
    for source in [
        "{{ .secret.x }}",
        "{{ fail .secret }}",
        r#"{{ fail (printf "bad: %s" .secret) }}"#,
        "{{ range .secret }}{{ end }}",
        "{{ urlParse (print \"http://h/%zz\" .secret) }}",
        "{{ urlParse (print \"http://a b\" .secret) }}",
        "{{ mustToDate \"2006\" .secret }}",
        "{{ mustDateModify .secret (toDate \"2006\" \"2020\") }}",
        "{{ mustRegexMatch (print .secret \"[\") \"x\" }}",
        "{{ regexFind (print .secret \"[\") \"x\" }}",
        "{{ semver (print .secret \".x\") }}",
        "{{ semverCompare .secret \"1.0.0\" }}",
        "{{ mustFromJson .secret }}",
        "{{ eq (list .secret) (list .secret) }}",
        "{{ $s := .secret }}{{ range $s }}{{ end }}",
        "{{ call .secret }}",
        "{{ .secret | call }}",
        "{{ index (dict \"a\" .secret) 1 }}",
        "{{ get (dict) .secret | fail }}{{ dig .secret \"d\" .secret }}",
        "{{ rsaDecrypt .secret \"\" \"\" \"\" }}",
        "{{ genSelfSignedCert \"x\" (list .secret) nil 1 }}",
        "{{ jwkPublicKeyPem .secret }}",
        "{{ pkcs12key .secret }}",
        "{{ decryptAES \"k\" .secret }}",
        "{{ filterPEM \"X\" .secret }}",
        "{{ upper (list .secret) }}",
        "{{ template \"x\" .secret }}",
        "{{ repeat .secret \"x\" }}",
        "{{ with .secret }}{{ .a.b }}{{ end }}",
    ] {
        let error = run(source, &[("secret", CANARY)]).unwrap_err();
        let texts = [
            error.to_string(),
            format!("{error:?}"),
            error.message().to_owned(),
        ];

        assert!(
            texts.iter().all(|text| !text.contains(CANARY)),
            "{source}: {texts:?}"
        );
    }
}

#[test]
fn debug_output_of_values_holds_no_contents() {
    use lockstep_template::{List, Map, Str, StrMap, Value};
    use std::collections::BTreeMap;

    let text = || Value::from(CANARY);
    let values = [
        text(),
        Value::from(List::any(vec![text()])),
        Value::from(List::strings(vec![Str::from(CANARY)])),
        Value::from(Map::new(BTreeMap::from([(Str::from("k"), text())]))),
        Value::from(StrMap::from_iter([("k", CANARY)])),
    ];

    for value in values {
        assert!(!format!("{value:?}").contains(CANARY), "{value:?}");
    }
}
