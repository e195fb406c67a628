//! The result as a table for people and as JSON for programs, and the exit code that goes with it.

use serde_json::{Value, json};

use super::NOT_SERVED;
use super::inventory::{Area, Inventory, Use, some_of};
use super::served::Verdict;
use lockstep_local::table::Table;

/// What was found.
pub(super) struct Report {
    rows: Vec<(Area, String, Use)>,
    faults: Vec<String>,
}

impl Report {
    pub(super) fn new(inventory: Inventory<'_>, faults: Vec<String>) -> Self {
        let uses = inventory.finish().into_iter();
        let rows = uses.map(|((area, name), counted)| (area, name, counted));
        Self {
            rows: rows.collect(),
            faults,
        }
    }

    /// Whether there was nothing to judge.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.faults.is_empty()
    }

    /// 0 when everything is served and could be read.
    pub(super) fn exit_code(&self) -> u8 {
        if self.is_served() { 0 } else { NOT_SERVED }
    }

    fn is_served(&self) -> bool {
        self.faults.is_empty() && self.with(Verdict::NotServed) == 0
    }

    fn with(&self, verdict: Verdict) -> usize {
        let rows = self.rows.iter();
        rows.filter(|(.., counted)| counted.verdict == verdict)
            .count()
    }

    pub(super) fn table(&self) -> String {
        let mut table = Table::new(&["AREA", "NAME", "SERVED", "COUNT", "NOTE"]);
        for (area, name, counted) in &self.rows {
            table.row([
                area.word().to_owned(),
                name.clone(),
                counted.verdict.word().to_owned(),
                counted.objects.len().to_string(),
                note(*area, counted),
            ]);
        }
        let faults = self.faults.iter().map(|fault| format!("fault: {fault}\n"));
        let faults: String = faults.collect();
        format!("{}\n{faults}{}\n", table.print(), self.summary())
    }

    /// The rows that are not served, as lines.
    pub(super) fn not_served(&self) -> Vec<String> {
        let rows = self.rows.iter();
        let rows = rows.filter(|(.., counted)| counted.verdict == Verdict::NotServed);
        rows.map(|(area, name, counted)| {
            format!("{} {name}: {}", area.word(), note(*area, counted))
        })
        .collect()
    }

    fn summary(&self) -> String {
        let (served, ignored) = (self.with(Verdict::Served), self.with(Verdict::Ignored));
        let missing = self.with(Verdict::NotServed);
        let verdict = if self.is_served() {
            "this build can take over"
        } else {
            "do not switch before the rows with `no` and the faults are resolved"
        };
        format!("{served} served, {ignored} ignored, {missing} not served: {verdict}")
    }

    pub(super) fn json(&self) -> Value {
        let rows = self.rows.iter().map(|(area, name, counted)| {
            json!({
                "area": area,
                "name": name,
                "verdict": counted.verdict,
                "count": counted.objects.len(),
                "note": counted.note,
                "objects": counted.objects,
                "users": counted.users,
            })
        });
        json!({
            "served": self.is_served(),
            "rows": rows.collect::<Vec<_>>(),
            "faults": self.faults,
        })
    }
}

/// The reason, and for what is not served which objects it concerns.
fn note(area: Area, counted: &Use) -> String {
    let mut parts = Vec::new();
    if !counted.note.is_empty() {
        parts.push(counted.note.clone());
    }
    let names_help = counted.verdict == Verdict::NotServed && area != Area::Value;
    if names_help {
        parts.push(some_of(&counted.objects));
        if !counted.users.is_empty() {
            let count = counted.users.len();
            parts.push(format!("used by {count}: {}", some_of(&counted.users)));
        }
    }
    parts.join("; ")
}
