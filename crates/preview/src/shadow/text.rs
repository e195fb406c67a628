//! The final table of a shadow for people.

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
        text.push_str(&format!("\n{}\n", paint.bold(key)));
        for difference in &line.judged.differences {
            text.push_str(&format!("    {}\n", difference_line(difference, paint)));
        }
    }
    for (key, told) in &report.pushes {
        let line = match told {
            Ok(0) => format!("PushSecret {key}: nothing is due"),
            Ok(count) => format!("PushSecret {key}: would push {count} now"),
            Err(failure) => format!("PushSecret {key}: {failure}"),
        };
        text.push_str(&format!("\n{line}\n"));
    }
    text.push('\n');
    text.push_str(&summary(report, paint));
    text
}

fn summary(report: &Report, paint: Paint) -> String {
    let all = report.objects.len();
    let same = report.count(Verdict::Equal) + report.count(Verdict::Kept);
    let head = format!("{same} of {all} Secrets are the same in every byte");
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
         time to sync: median {} ms, longest {} ms; {} passes, {} requests in the last; nothing was written\n",
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
