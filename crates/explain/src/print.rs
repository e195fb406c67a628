//! The report as a tree for people: one line a link, its remedy below it, the first broken link marked.

use lockstep_toolbox::output::Paint;

use crate::report::{Link, Report, State};

/// Width of the column with the names of links.
const NAMES: usize = 9;

/// The report as text.
pub fn text(report: &Report, paint: Paint) -> String {
    let place = match &report.namespace {
        Some(namespace) => format!("{namespace}/{}", report.name),
        None => report.name.clone(),
    };
    let mut lines = vec![paint.bold(format!("{} {place}", report.kind))];
    let first = report.first_broken().map(std::ptr::from_ref);
    let count = report.links.len();
    for (at, link) in report.links.iter().enumerate() {
        branch(link, ("", at + 1 == count), first, paint, &mut lines);
    }
    lines.push(String::new());
    for (name, told) in &report.schedule {
        lines.push(format!("{}  {told}", paint.dim(format!("{name:9}"))));
    }
    lines.push(verdict(report, paint));
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn branch(
    link: &Link,
    (indent, is_last): (&str, bool),
    first: Option<*const Link>,
    paint: Paint,
    lines: &mut Vec<String>,
) {
    let (fork, trunk) = if is_last {
        ("└─ ", "   ")
    } else {
        ("├─ ", "│  ")
    };
    let below = format!("{indent}{trunk}");
    let name = format!("{:NAMES$}", link.name);
    let name = if indent.is_empty() {
        name
    } else {
        link.name.clone()
    };
    let subject = if link.subject.is_empty() {
        String::new()
    } else {
        format!("{}  ", paint.bold(&link.subject))
    };
    let mark = if first == Some(std::ptr::from_ref(link)) {
        format!("  {}", paint.bad("◀ first broken link"))
    } else {
        String::new()
    };
    // Texts of servers have line breaks; a line of the tree has not.
    let text = link.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = in_state(link.state, &text, paint);
    let tree = paint.dim(format!("{indent}{fork}"));
    lines.push(format!(
        "{tree}{} {name} {subject}{told}{mark}",
        sign(link.state, paint)
    ));
    if let Some(remedy) = &link.remedy {
        let bar = if link.parts.is_empty() { "  " } else { "│ " };
        let lead = paint.dim(format!("{below}{bar}"));
        for (at, line) in remedy.lines().enumerate() {
            let arrow = if at == 0 { "→ " } else { "  " };
            lines.push(format!("{lead}{}", paint.warn(format!("{arrow}{line}"))));
        }
    }
    let count = link.parts.len();
    for (at, part) in link.parts.iter().enumerate() {
        branch(part, (&below, at + 1 == count), first, paint, lines);
    }
}

fn sign(state: State, paint: Paint) -> String {
    match state {
        State::Good => paint.good("✓"),
        State::Warn => paint.warn("!"),
        State::Bad => paint.bad("✗"),
        State::Unknown => paint.warn("?"),
        State::None => paint.dim("·"),
    }
}

fn in_state(state: State, text: &str, paint: Paint) -> String {
    match state {
        State::Good => text.to_owned(),
        State::Warn | State::Unknown => paint.warn(text),
        State::Bad => paint.bad(text),
        State::None => paint.dim(text),
    }
}

fn verdict(report: &Report, paint: Paint) -> String {
    match report.first_broken() {
        None => paint.good("every link that could be looked at holds"),
        Some(link) => {
            let what = match link.subject.as_str() {
                "" => link.name.clone(),
                subject => format!("{} {subject}", link.name),
            };
            paint.bad(format!("broken at: {what}"))
        }
    }
}
