//! The final table of a shadow for people.

use std::fmt::Write;

use lockstep_local::table::Table;
use lockstep_toolbox::output::Paint;

use super::judge::Verdict;
use super::report::{Report, millis};
use crate::difference_text::line as difference_line;

/// The report as text.
pub(super) fn print(report: &Report, paint: Paint) -> String {
    let mut table = Table::new(&["NAMESPACE", "EXTERNALSECRET", "VERDICT", "SYNC", "CAUSE"]);
    for (key, line) in &report.objects {
        table.row([
            key.namespace().to_owned(),
            key.name().to_owned(),
            line.judged.verdict.word().to_owned(),
            format!("{}ms", millis(line.took)),
            line.judged.cause.clone().unwrap_or_default(),
        ]);
    }
    let mut text = table.print();
    for (key, line) in &report.objects {
        if line.judged.differences.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{}", paint.bold(key));
        for difference in &line.judged.differences {
            let _ = writeln!(text, "    {}", difference_line(difference, paint));
        }
    }
    for (key, told) in &report.pushes {
        let line = match told {
            Ok(0) => format!("PushSecret {key}: nothing is due"),
            Ok(count) => format!("PushSecret {key}: would push {count} now"),
            Err(failure) => format!("PushSecret {key}: {failure}"),
        };
        let _ = writeln!(text, "\n{line}");
    }
    text.push('\n');
    text.push_str(&summary(report, paint));
    text
}

fn summary(report: &Report, paint: Paint) -> String {
    let all = report.objects.len();
    let same = report.count(Verdict::Equal) + report.count(Verdict::Kept);
    let head = format!("{same} of {all} ExternalSecrets have the same Secret in every byte");
    let (differs, fails) = (report.count(Verdict::Differs), report.count(Verdict::Fails));
    let head = if differs + fails == 0 {
        paint.good(head)
    } else {
        paint.bad(format!("{head}; {differs} differ, {fails} fail here alone"))
    };
    let (times, savings) = (report.times(), &report.savings);
    format!(
        "{head}\n\
         would generate {}, other class {}, both fail {}\n\
         provider calls an hour: at least {:.0} of the original, {:.0} of Lockstep: {:.0} % saved\n\
         time to sync: median {} ms, longest {} ms\n\
         passes: {}; requests to stores in the last: {}; nothing was written\n",
        report.count(Verdict::WouldGenerate),
        report.count(Verdict::Foreign),
        report.count(Verdict::BothFail),
        savings.original_an_hour,
        savings.lockstep_an_hour,
        savings.percent(),
        millis(times.median),
        millis(times.most),
        report.passes,
        report.calls,
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use k8s_openapi::ByteString;
    use k8s_openapi::api::core::v1::Secret;
    use lockstep_index::ObjectKey;
    use lockstep_toolbox::redact::Redactor;

    use super::super::judge::Judged;
    use super::super::report::Line;
    use super::super::savings::Savings;
    use super::*;
    use crate::difference::differences;

    fn secret(value: &str) -> Secret {
        let value = ByteString(value.as_bytes().to_vec());
        Secret {
            data: Some([("password".to_owned(), value)].into()),
            ..Secret::default()
        }
    }

    fn line(verdict: Verdict, cause: Option<&str>, millis: u64) -> Line {
        Line {
            judged: Judged {
                verdict,
                cause: cause.map(str::to_owned),
                differences: Vec::new(),
            },
            bad_passes: usize::from(verdict.is_bad()),
            took: Duration::from_millis(millis),
        }
    }

    fn report() -> Report {
        let mut differing = line(
            Verdict::Differs,
            Some("the Secret was edited after it was written"),
            30,
        );
        let (before, after) = (secret("canary-1"), secret("canary-22"));
        differing.judged.differences =
            differences(Some(&before), Some(&after), &Redactor::new([7; 16]));
        let key = |name: &str| ObjectKey::new("team", name);
        Report {
            passes: 2,
            objects: [
                (key("db"), line(Verdict::Equal, None, 12)),
                (key("edited"), differing),
                (
                    key("made"),
                    line(Verdict::WouldGenerate, Some("generators are not run"), 5),
                ),
            ]
            .into(),
            pushes: [(key("up"), Ok(2))].into(),
            savings: Savings {
                original_an_hour: 40.0,
                lockstep_an_hour: 10.0,
            },
            calls: 3,
        }
    }

    #[test]
    fn the_final_table_has_verdicts_causes_differences_and_savings() {
        let text = print(&report(), Paint::OFF);

        insta::assert_snapshot!(text);
        assert!(!text.contains("canary"));
    }

    #[test]
    fn the_document_for_programs_is_stable() {
        let document = format!("{:#}", report().json());

        insta::assert_snapshot!(document);
        assert!(!document.contains("canary"));
    }
}
