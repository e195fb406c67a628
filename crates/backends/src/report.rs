//! What happened to each secret, as a table, as JSON and as the report that deletions leave behind.
//! Names, fields, states, dates and reasons; nothing else may get in here.

use jiff::Timestamp;
use lockstep_local::table::Table;
use lockstep_provider_api::lifecycle::State;
use lockstep_toolbox::exit::Exit;
use lockstep_toolbox::output::Paint;
use serde_json::{Value, json};

use crate::manifest::API_VERSION;
use crate::plan::{Action, Step};

/// How it ended for one secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was as it should be.
    Unchanged,
    /// It was changed.
    Changed,
    /// It would be changed.
    Planned,
    /// It was left alone because of the reason.
    Refused,
    /// The backend did not do it.
    Failed,
    /// The run ended before.
    NotStarted,
}

impl Outcome {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Changed => "changed",
            Self::Planned => "planned",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::NotStarted => "not started",
        }
    }
}

/// One secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
    /// State before, where it is known.
    pub(crate) before: Option<State>,
    /// State after, where it is known.
    pub(crate) after: Option<State>,
    /// What was done, or would be, in order.
    pub(crate) actions: Vec<Action>,
    pub(crate) reason: String,
}

impl Row {
    /// A secret that nothing was done with yet.
    pub(crate) fn not_started(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            outcome: Outcome::NotStarted,
            before: None,
            after: None,
            actions: Vec::new(),
            reason: "the run was interrupted before; repeat the command".to_owned(),
        }
    }

    /// The end of a run that took no step which changes something.
    pub(crate) fn ended(mut self, step: &Step) -> Self {
        self.outcome = match step.action {
            Action::Refuse | Action::Wait => Outcome::Refused,
            _ if self.actions.is_empty() => Outcome::Unchanged,
            _ => Outcome::Changed,
        };
        self.because(&step.reason)
    }

    /// The plan of a run that changes nothing.
    pub(crate) fn planned(mut self, step: &Step) -> Self {
        if step.action.is_change() {
            self.actions.push(step.action);
            self.outcome = Outcome::Planned;
            return self.because(&step.reason);
        }
        self.ended(step)
    }

    /// What the backend refused.
    pub(crate) fn failed(mut self, error: &lockstep_provider_api::Error) -> Self {
        self.outcome = Outcome::Failed;
        self.because(&error.to_string())
    }

    pub(crate) fn because(mut self, reason: &str) -> Self {
        // Texts of servers have line breaks; a table has not.
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.reason.is_empty() {
            self.reason = reason;
        } else if !reason.is_empty() && self.reason != reason {
            self.reason = format!("{}; {reason}", self.reason);
        }
        self
    }

    fn action(&self) -> String {
        let words: Vec<&str> = match self.outcome {
            Outcome::Planned => self.actions.iter().map(|one| one.planned()).collect(),
            Outcome::Changed => self.actions.iter().map(|one| one.done()).collect(),
            other => vec![other.as_str()],
        };
        words.join(", ")
    }

    fn json(&self) -> Value {
        let state = |state: &Option<State>| {
            state.map(|state| json!({ "state": state.as_str(), "until": state.until() }))
        };
        let actions: Vec<&str> = self.actions.iter().map(|one| one.planned()).collect();
        json!({
            "name": self.name,
            "outcome": self.outcome.as_str(),
            "before": state(&self.before),
            "after": state(&self.after),
            "actions": actions,
            "reason": self.reason,
        })
    }
}

/// A state as a cell of a table.
pub(crate) fn cell(state: Option<State>) -> String {
    match state {
        None => "-".to_owned(),
        Some(state) => match state.until() {
            Some(until) => format!("{} until {}", state.as_str(), until.strftime("%Y-%m-%d")),
            None => state.as_str().to_owned(),
        },
    }
}

/// What a run is about.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) verb: &'static str,
    /// Kind, namespace and name of the store.
    pub(crate) store: String,
    pub(crate) backend: &'static str,
}

/// A whole run.
#[derive(Clone, Debug)]
pub(crate) struct Report<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) rows: &'a [Row],
}

impl Report<'_> {
    /// The table for people, and a line that counts.
    pub(crate) fn text(&self, paint: Paint) -> String {
        let mut table = Table::new(&["NAME", "ACTION", "STATE", "WHY"]);
        for row in self.rows {
            table.row([
                row.name.clone(),
                row.action(),
                cell(row.after.or(row.before)),
                row.reason.clone(),
            ]);
        }
        let printed = table.print();
        let mut text = String::new();
        for (at, line) in printed.lines().enumerate() {
            let line = match at.checked_sub(1).and_then(|at| self.rows.get(at)) {
                None => paint.bold(line),
                Some(row) => match row.outcome {
                    Outcome::Changed => paint.good(line),
                    Outcome::Planned | Outcome::Refused | Outcome::NotStarted => paint.warn(line),
                    Outcome::Failed => paint.bad(line),
                    Outcome::Unchanged => line.to_owned(),
                },
            };
            text.push_str(&line);
            text.push('\n');
        }
        text.push('\n');
        text.push_str(&self.summary());
        text
    }

    fn summary(&self) -> String {
        let order = [
            Outcome::Changed,
            Outcome::Planned,
            Outcome::Unchanged,
            Outcome::Refused,
            Outcome::Failed,
            Outcome::NotStarted,
        ];
        let counts = order.iter().filter_map(|outcome| {
            let count = self
                .rows
                .iter()
                .filter(|row| row.outcome == *outcome)
                .count();
            (count > 0).then(|| format!("{count} {}", outcome.as_str()))
        });
        let counts = counts.collect::<Vec<_>>().join(", ");
        let Subject { verb, store, .. } = self.subject;
        format!("{verb} {store}: {counts}\n")
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> Value {
        let Subject {
            verb,
            store,
            backend,
        } = self.subject;
        json!({
            "apiVersion": API_VERSION,
            "kind": "BackendsReport",
            "verb": verb,
            "store": store,
            "backend": backend,
            "secrets": self.rows.iter().map(Row::json).collect::<Vec<_>>(),
        })
    }

    /// The document that is left behind.
    pub(crate) fn document(&self, at: Timestamp, complete: Complete) -> String {
        let mut json = self.json();
        json["time"] = json!(at);
        json["complete"] = json!(complete == Complete::Yes);
        format!("{json:#}\n")
    }

    /// How the command ends.
    pub(crate) fn exit(&self) -> Exit {
        let has = |outcome| self.rows.iter().any(|row| row.outcome == outcome);
        if has(Outcome::Failed) || has(Outcome::NotStarted) {
            Exit::Findings
        } else if has(Outcome::Refused) {
            Exit::Refused
        } else {
            Exit::Fine
        }
    }
}

/// Whether a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Complete {
    Yes,
    No,
}

impl Complete {
    /// A run that was interrupted has secrets that it did not come to.
    pub(crate) fn of(rows: &[Row]) -> Self {
        let is_open = |row: &Row| row.outcome == Outcome::NotStarted;
        if rows.iter().any(is_open) {
            Self::No
        } else {
            Self::Yes
        }
    }
}

#[cfg(test)]
mod tests;
