//! Arithmetic and text functions against the simplest thing that could be right.

use proptest::prelude::*;

use crate::support::run;

/// The output of a template without data, as text.
fn text(source: &str) -> String {
    String::from_utf8(run(source, &[]).unwrap()).unwrap()
}

/// The output of a template that is given `value`.
fn of(source: &str, value: &str) -> String {
    String::from_utf8(run(source, &[("v", value)]).unwrap()).unwrap()
}

proptest! {
    #[test]
    fn whole_numbers_are_calculated_with_wrapping(a in any::<i64>(), b in any::<i64>(), c in -99i64..99) {
        prop_assert_eq!(text(&format!("{{{{ add {a} {b} {c} }}}}")), a.wrapping_add(b).wrapping_add(c).to_string());
        prop_assert_eq!(text(&format!("{{{{ sub {a} {b} }}}}")), a.wrapping_sub(b).to_string());
        prop_assert_eq!(text(&format!("{{{{ mul {a} {b} }}}}")), a.wrapping_mul(b).to_string());
        prop_assert_eq!(text(&format!("{{{{ max {a} {b} {c} }}}}")), a.max(b).max(c).to_string());
        prop_assert_eq!(text(&format!("{{{{ min {a} {b} {c} }}}}")), a.min(b).min(c).to_string());
        prop_assert_eq!(text(&format!("{{{{ add1 {a} }}}}")), a.wrapping_add(1).to_string());
        prop_assert_eq!(text(&format!("{{{{ lt {a} {b} }}}}")), (a < b).to_string());
        if c != 0 {
            prop_assert_eq!(text(&format!("{{{{ div {a} {c} }}}}")), a.wrapping_div(c).to_string());
            prop_assert_eq!(text(&format!("{{{{ mod {a} {c} }}}}")), a.wrapping_rem(c).to_string());
        }
    }

    #[test]
    fn decimals_are_calculated_exactly(a in -99_999i64..99_999, b in -99_999i64..99_999) {
        // In hundredths, which binary fractions cannot hold.
        let decimal = |n: i64| format!("{}{}.{:02}", if n < 0 { "-" } else { "" }, n.abs() / 100, n.abs() % 100);
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let sum = (a + b) as f64 / 100.0;

        let got: f64 = text(&format!("{{{{ addf {} {} }}}}", decimal(a), decimal(b))).parse().unwrap();

        prop_assert!((got - sum).abs() < 1e-9, "{got} {sum}");
        prop_assert_eq!(got.to_string(), sum.to_string());
    }

    #[test]
    fn numbers_survive_text_and_json(n in any::<i64>(), x in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
        prop_assert_eq!(of("{{ .v | int64 }}", &n.to_string()), n.to_string());
        let again: f64 = of("{{ .v | fromJson | toJson }}", &format!("{x:e}")).parse().unwrap();
        prop_assert_eq!(again.to_bits(), x.to_bits());
    }

    #[test]
    fn counting_is_a_range(n in 0i64..60, from in -20i64..20, step in 1i64..7) {
        let list = |items: Vec<i64>| {
            let items: Vec<_> = items.iter().map(i64::to_string).collect();
            format!("[{}]", items.join(" "))
        };
        prop_assert_eq!(text(&format!("{{{{ until {n} }}}}")), list((0..n).collect()));
        let stepped = (from..n).step_by(usize::try_from(step).unwrap()).collect();
        prop_assert_eq!(text(&format!("{{{{ untilStep {from} {n} {step} }}}}")), list(stepped));
    }

    #[test]
    fn text_functions_do_what_their_names_say(s in "\\PC{0,24}", t in "[a-c,]{0,6}", n in 0usize..9) {
        prop_assert_eq!(of(&format!("{{{{ repeat {n} .v }}}}"), &s), s.repeat(n));
        prop_assert_eq!(of("{{ trim .v }}", &s), s.trim());
        prop_assert_eq!(of(&format!("{{{{ .v | replace \",\" \"{t}\" }}}}"), &s), s.replace(',', &t));
        prop_assert_eq!(of(&format!("{{{{ .v | hasPrefix \"{t}\" }}}}"), &s), s.starts_with(&t).to_string());
        prop_assert_eq!(of(&format!("{{{{ .v | hasSuffix \"{t}\" }}}}"), &s), s.ends_with(&t).to_string());
        prop_assert_eq!(of(&format!("{{{{ .v | contains \"{t}\" }}}}"), &s), s.contains(&t).to_string());
        prop_assert_eq!(of(&format!("{{{{ .v | trimPrefix \"{t}\" }}}}"), &s), s.strip_prefix(&t).unwrap_or(&s));
        prop_assert_eq!(of(&format!("{{{{ .v | trimSuffix \"{t}\" }}}}"), &s), s.strip_suffix(&t).unwrap_or(&s));
        prop_assert_eq!(of("{{ len .v }}", &s), s.len().to_string());
        prop_assert_eq!(of("{{ join \",\" (splitList \",\" .v) }}", &s), s.clone());
        prop_assert_eq!(of("{{ len (splitList \",\" .v) }}", &s), s.split(',').count().to_string());
    }

    #[test]
    fn letters_of_ascii_change_case(s in "[ -~]{0,24}") {
        prop_assert_eq!(of("{{ upper .v }}", &s), s.to_ascii_uppercase());
        prop_assert_eq!(of("{{ lower .v }}", &s), s.to_ascii_lowercase());
        let swapped: String = s
            .chars()
            .map(|c| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect();
        prop_assert_eq!(of("{{ swapcase .v }}", &s), swapped);
        prop_assert_eq!(of("{{ nospace .v }}", &s), s.replace(' ', ""));
    }

    #[test]
    fn what_is_encoded_can_be_decoded(s in "\\PC{0,40}") {
        for (there, back) in [
            ("b64enc", "b64dec"),
            ("b32enc", "b32dec"),
            ("toJson", "fromJson"),
            ("toPrettyJson", "fromJson"),
            ("toRawJson", "mustFromJson"),
            ("printf \"%x\"", "hexdec"),
        ] {
            prop_assert_eq!(of(&format!("{{{{ .v | {there} | {back} }}}}"), &s), s.clone(), "{}", there);
        }
        prop_assert_eq!(of("{{ (fromYaml (toYaml (dict \"k\" .v))).k }}", &s), s);
    }

    #[test]
    fn lists_are_sorted_reversed_and_cut(items in prop::collection::vec("[a-d]{1,3}", 1..8)) {
        let list = items.join(",");
        let of_list = |source: &str| of(&format!("{{{{ $l := splitList \",\" .v }}}}{{{{ {source} | join \",\" }}}}"), &list);
        let mut sorted = items.clone();
        sorted.sort();
        prop_assert_eq!(of_list("sortAlpha $l"), sorted.join(","));
        prop_assert_eq!(of_list("reverse $l"), items.iter().rev().cloned().collect::<Vec<_>>().join(","));
        prop_assert_eq!(of_list("rest $l"), items[1..].join(","));
        prop_assert_eq!(of_list("initial $l"), items[..items.len() - 1].join(","));
        prop_assert_eq!(of_list("concat $l $l"), [items.clone(), items.clone()].concat().join(","));
        let mut seen = Vec::new();
        for item in &items {
            if !seen.contains(item) {
                seen.push(item.clone());
            }
        }
        prop_assert_eq!(of_list("uniq $l"), seen.join(","));
    }

    #[test]
    fn memory_is_bounded_whatever_is_repeated(n in 1u64..1_000_000_000, s in "[a-z]{1,8}") {
        let small = lockstep_template::Limits { memory: 10_000, ..lockstep_template::Limits::default() };
        let source = format!("{{{{ repeat {n} .v | len }}}}");

        let result = crate::support::run_within(&source, &[("v", &s)], small);

        let fits = n.saturating_mul(s.len() as u64) <= 10_000;
        prop_assert_eq!(result.is_ok(), fits);
    }
}
