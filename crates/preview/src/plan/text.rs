//! A plan for people: one paragraph a change, with its cause and its differences, and a last line that
//! sums up.

use std::fmt::Write;

use lockstep_toolbox::output::Paint;

use super::held;
use super::report::Report;
use super::row::{Action, Row};
use crate::difference_text::line;

/// The plan as text.
pub(super) fn print(report: &Report, paint: Paint) -> String {
    let mut text = String::new();
    for row in &report.rows {
        text.push_str(&paragraph(row, paint));
    }
    for trouble in &report.troubles {
        let _ = write!(
            text,
            "{} {}\n    {}\n",
            paint.bad(if trouble.already {
                "! fails already"
            } else {
                "! fail"
            }),
            paint.bold(&trouble.object),
            trouble.message
        );
    }
    for held in &report.held {
        text.push_str(&held::paragraph(held, paint));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&paint.bold(summary(report)));
    text.push('\n');
    text
}

fn paragraph(row: &Row, paint: Paint) -> String {
    let (sign, word) = match row.action {
        Action::Create => ("+", "create"),
        Action::Change => ("~", "change"),
        Action::Delete => ("-", "delete"),
        Action::Push => (">", "push"),
        Action::RemoteDelete => ("-", "delete remote"),
        Action::Generate => ("*", "would generate"),
    };
    let head = format!("{sign} {word}");
    let head = match row.action {
        Action::Create => paint.good(head),
        Action::Delete | Action::RemoteDelete => paint.bad(head),
        _ => paint.warn(head),
    };
    let mut text = format!("{head} {}", paint.bold(&row.object));
    if let Some(by) = &row.by {
        text.push_str(&paint.dim(format!(" by {by}")));
    }
    text.push('\n');
    for cause in &row.causes {
        let _ = writeln!(text, "    cause: {cause}");
    }
    if let Some(pushed) = &row.pushed {
        let there = match pushed.there {
            Some(true) => "; something is there",
            Some(false) => "; nothing is there",
            None => "; the store does not say whether something is there",
        };
        let (length, hash) = (pushed.length, pushed.hash);
        let unit = if length == 1 { "byte" } else { "bytes" };
        let _ = writeln!(text, "    value: {length} {unit}, {hash}{there}");
    }
    for difference in &row.differences {
        let _ = writeln!(text, "    {}", line(difference, paint));
    }
    text
}

fn summary(report: &Report) -> String {
    let count = |action: Action| report.count(action);
    let mut parts = vec![
        format!("{} to create", count(Action::Create)),
        format!("{} to change", count(Action::Change)),
        format!("{} to delete", count(Action::Delete)),
    ];
    for (action, words) in [
        (Action::Push, "to push"),
        (Action::RemoteDelete, "to delete at stores"),
        (Action::Generate, "to generate"),
    ] {
        if count(action) > 0 {
            parts.push(format!("{} {words}", count(action)));
        }
    }
    parts.push(format!("{} unchanged", report.unchanged));
    if !report.troubles.is_empty() {
        parts.push(format!("{} would fail", report.troubles.len()));
    }
    if !report.held.is_empty() {
        parts.push(format!(
            "{} held by the deletion guard",
            report.held_objects()
        ));
    }
    format!("plan: {}", parts.join(", "))
}
