//! What a change of operators found and did, as text and as JSON, and the exit code that goes with it. Pure.

use std::fmt::Write;

use lockstep_toolbox::exit::Exit;
use lockstep_toolbox::output::Paint;
use serde::Serialize;
use serde_json::Value;

use crate::baseline::Moved;
use crate::checks::{Check, Outcome, some_of};

/// Everything there is to tell.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) checks: Vec<Check>,
    /// What was done, in order.
    pub(crate) done: Vec<String>,
    /// What became of Secrets, where that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) secrets: Option<Moved>,
    /// Why the operator counts as not ready, where it was waited for in vain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) not_ready: Option<String>,
    /// What to do next.
    pub(crate) next: Vec<String>,
}

impl Report {
    /// Whether a check stands in the way.
    pub(crate) fn is_refused(&self) -> bool {
        self.checks.iter().any(Check::is_failed)
    }

    /// How the command ends.
    pub(crate) fn exit(&self) -> Exit {
        if self.is_refused() {
            Exit::Refused
        } else if self.not_ready.is_some() {
            Exit::Missing
        } else if self.secrets.as_ref().is_some_and(|moved| !moved.is_quiet()) {
            Exit::Findings
        } else {
            Exit::Fine
        }
    }

    /// The document for programs.
    pub(crate) fn json(&self) -> Value {
        let mut document = serde_json::to_value(self).unwrap_or_default();
        document["refused"] = self.is_refused().into();
        document
    }

    /// The report for people.
    pub(crate) fn text(&self, paint: Paint) -> String {
        let mut text = String::new();
        for check in &self.checks {
            let mark = match check.outcome {
                Outcome::Passed => paint.good("ok  "),
                Outcome::Noted => paint.warn("note"),
                Outcome::Failed => paint.bad("no  "),
            };
            let _ = writeln!(text, "{mark} {}", check.what);
            for detail in &check.details {
                let detail = detail.replace('\n', "\n       ");
                let _ = writeln!(text, "       {detail}");
            }
        }
        for done in &self.done {
            let _ = writeln!(text, "{} {done}", paint.good("did "));
        }
        if let Some(why) = &self.not_ready {
            let _ = writeln!(text, "{} {why}", paint.bad("no  "));
        }
        if let Some(moved) = &self.secrets {
            text.push_str(&secrets(moved, paint));
        }
        for next in &self.next {
            let _ = writeln!(text, "{} {next}", paint.bold("next"));
        }
        if self.is_refused() {
            let line = "refused: nothing was changed; resolve the lines with `no` and run it again";
            let _ = writeln!(text, "{}", paint.bad(line));
        }
        text
    }
}

fn secrets(moved: &Moved, paint: Paint) -> String {
    let all = moved.still + moved.changed.len() + moved.gone.len();
    let line = format!(
        "{} of {all} Secrets have the resourceVersion they had",
        moved.still
    );
    if moved.is_quiet() {
        return format!("{} {line}\n", paint.good("ok  "));
    }
    let mut text = format!("{} {line}\n", paint.bad("no  "));
    for (word, names) in [("changed", &moved.changed), ("gone", &moved.gone)] {
        for name in some_of(names.clone()) {
            let _ = writeln!(text, "       {word}: {name}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_that_nothing_was_changed() {
        let report = Report {
            checks: vec![
                Check::passed("the original is scaled down"),
                Check::failed("the lease is held", vec!["pod_1 holds it".to_owned()]),
            ],
            ..Report::default()
        };

        insta::assert_snapshot!(report.text(Paint::OFF));
        assert_eq!(report.exit(), Exit::Refused);
        assert_eq!(report.json()["refused"], true);
    }

    #[test]
    fn a_secret_that_moved_is_a_finding() {
        let report = Report {
            checks: vec![Check::passed("the original is scaled down")],
            done: vec!["marked 3 CRDs as kept".to_owned()],
            secrets: Some(Moved {
                still: 2,
                changed: vec!["a/x".to_owned()],
                ..Moved::default()
            }),
            not_ready: None,
            next: Vec::new(),
        };

        insta::assert_snapshot!(report.text(Paint::OFF));
        assert_eq!(report.exit(), Exit::Findings);
    }
}
