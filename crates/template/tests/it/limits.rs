//! Executions stay within their limits and say which one stopped them.

use std::fmt::Write as _;

use lockstep_template::{ErrorKind, Limits};

use crate::support::{run, run_within};

/// Runs `source` with small limits and returns the text of the limit it hits.
fn hits(source: &str) -> String {
    let limits = Limits {
        steps: 200_000,
        output: 10_000,
        memory: 1_000_000,
        depth: 500,
    };
    let error = run_within(source, &[("s", "secret")], limits).unwrap_err();

    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    assert_eq!(error.template(), "tpl");
    error.to_string()
}

#[test]
fn endless_work_ends_at_the_step_limit() {
    let text = hits("{{ range 2000 }}{{ range 2000 }}{{ end }}{{ end }}");

    assert!(text.starts_with("template: tpl:1:"), "{text}");
    assert!(
        text.ends_with("execution exceeds the limit of 200000 steps"),
        "{text}"
    );
}

#[test]
fn endless_output_ends_at_the_output_limit() {
    for source in [
        "{{ range until 2000 }}0123456789{{ end }}",
        r#"{{ $x := repeat 1000 "x" }}{{ range until 20 }}{{ $x }}{{ end }}"#,
        "{{ until 5000 }}",
    ] {
        assert!(
            hits(source).ends_with("output exceeds the limit of 10000 bytes"),
            "{source}"
        );
    }
}

#[test]
fn large_values_end_at_the_memory_limit() {
    for source in [
        r#"{{ repeat 1000000000 "x" }}"#,
        "{{ until 1000000000 }}",
        "{{ untilStep 0 -9223372036854775807 -1 }}",
        "{{ seq 1000000000 }}",
        "{{ indent 1000000000 .s }}",
        "{{ randAlphaNum 1000000000 }}",
        "{{ randBytes 1000000000 }}",
        r#"{{ $x := "x" }}{{ range until 100 }}{{ $x = print $x $x }}{{ end }}"#,
        r#"{{ $x := "x" }}{{ range until 100 }}{{ $x = cat $x $x }}{{ end }}"#,
        r#"{{ $x := "x" }}{{ range until 100 }}{{ $x = replace "" $x $x }}{{ end }}"#,
        r"{{ $x := list 1 }}{{ range until 100 }}{{ $x = concat $x $x }}{{ end }}",
        r#"{{ printf "%999999d" 1 | repeat 9 }}"#,
        r#"{{ printf "%.9999999f" 1.5 }}"#,
        r#"{{ $x := "\"" }}{{ range until 100 }}{{ $x = quote $x }}{{ end }}"#,
        r#"{{ wrapWith 1 (repeat 2000 "x") (repeat 2000 "y") }}"#,
    ] {
        let text = hits(source);
        assert!(
            text.ends_with("values exceed the memory limit of 1000000 bytes"),
            "{text}"
        );
    }
}

#[test]
fn endless_recursion_ends_at_the_depth_limit() {
    let text = hits(r#"{{ define "r" }}{{ template "r" . }}{{ end }}{{ template "r" }}"#);

    assert_eq!(
        text,
        "template: tpl:1:28: executing \"r\" at <{{template \"r\" .}}>: \
         exceeded maximum template depth (500)"
    );
}

#[test]
fn recursion_up_to_the_limit_of_go_needs_no_stack() {
    let source = r#"{{ define "r" }}{{ template "r" . }}{{ end }}{{ template "r" }}"#;

    let error = run(source, &[]).unwrap_err();

    assert!(
        error
            .to_string()
            .ends_with("exceeded maximum template depth (100000)")
    );
}

#[test]
fn a_small_value_with_an_endless_text_is_cut_off() {
    let doubled = "{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}";
    for last in [
        "{{ $x }}",
        "{{ $x | toJson }}",
        "{{ $x | toYaml }}",
        "{{ $x | toString }}",
        "{{ deepCopy $x | len }}",
        "{{ deepEqual $x (deepCopy (list)) }}{{ has $x (list $x) }}",
    ] {
        let text = hits(&format!("{doubled}{last}"));
        assert!(text.contains("limit of"), "{text}");
    }
}

#[test]
fn deep_values_can_be_built_and_dropped_but_not_walked() {
    let deep = "{{ $x := list }}{{ range until 50000 }}{{ $x = list $x }}{{ end }}";
    let chain = r#"{{ $d := dict }}{{ $c := $d }}{{ range until 20000 }}{{ $n := dict }}{{ $_ := set $c "n" $n }}{{ $c = $n }}{{ end }}"#;

    assert_eq!(run(&format!("{deep}{{{{ len $x }}}}"), &[]).unwrap(), b"1");
    assert_eq!(run(&format!("{chain}{{{{ len $d }}}}"), &[]).unwrap(), b"1");
    for last in [
        "{{ $x }}",
        "{{ toJson $x }}",
        "{{ toYaml $x }}",
        "{{ deepCopy $x }}",
    ] {
        let error = run(&format!("{deep}{last}"), &[]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("values nest deeper than the limit"),
            "{error}"
        );
    }
}

#[test]
fn a_dict_cannot_be_put_into_itself() {
    for source in [
        r#"{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $d }}"#,
        r#"{{ $d := dict }}{{ $_ := set $d "d" (list (dict "x" $d)) }}{{ $d }}"#,
        r#"{{ $d := dict }}{{ $_ := merge $d (dict "d" $d) }}{{ $d }}"#,
    ] {
        let error = run(source, &[]).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("a dict cannot be put into itself"),
            "{error}"
        );
    }
}

#[cfg(feature = "crypto")]
#[test]
fn a_key_store_cannot_demand_endless_derivation() {
    let element = |tag: u8, parts: &[&[u8]]| {
        let body = parts.concat();
        [&[tag, u8::try_from(body.len()).unwrap()][..], &body].concat()
    };
    let data = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 1];
    let sha1 = element(0x30, &[&[6, 5, 0x2b, 14, 3, 2, 26], &[5, 0]]);
    let info = element(0x30, &[&sha1, &element(4, &[&[0; 20]])]);
    // Two thousand million rounds.
    let mac = element(
        0x30,
        &[
            &info,
            &element(4, &[&[0; 8]]),
            &[2, 4, 0x7f, 0xff, 0xff, 0xff],
        ],
    );
    let safe = element(0xa0, &[&element(4, &[&element(0x30, &[])])]);
    let file = element(0x30, &[&[2, 1, 3], &element(0x30, &[&data, &safe]), &mac]);
    let hex = file.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });

    let error = run("{{ .s | hexdec | pkcs12key }}", &[("s", &hex)]).unwrap_err();

    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
}

#[cfg(feature = "crypto")]
#[test]
fn keys_and_password_hashes_count_as_much_work() {
    for source in [
        r#"{{ genPrivateKey "rsa" }}"#,
        r"{{ bcrypt .s }}",
        r#"{{ derivePassword 1 "long" .s "u" "s" }}"#,
        r#"{{ genCA "x" 1 }}"#,
    ] {
        assert!(
            hits(source).ends_with("execution exceeds the limit of 200000 steps"),
            "{source}"
        );
    }
}

#[test]
fn a_large_text_with_many_matches_stays_within_the_default_limits() {
    let text = "word1 word22 ".repeat(80_000);
    for source in [
        r#"{{ regexReplaceAll "word([0-9]+)" .s "w$1" | len }}"#,
        r#"{{ regexSplit " " .s -1 | len }}"#,
        r#"{{ regexFindAll "[a-z]+" .s -1 | len }}"#,
    ] {
        run(source, &[("s", &text)]).unwrap();
    }
}
