//! The report of a plan: rows for what would be written, with causes and redacted differences, and what
//! would fail. Pure: made from collected facts, printed elsewhere.

use std::collections::BTreeMap;

use lockstep_toolbox::exit::Exit;
use lockstep_toolbox::redact::Redactor;
use serde::Serialize;
use serde_json::{Value, json};

use super::held::{self, Held};
use super::row::{Action, PushedValue, Row, manifests, row};
use super::work::{Facts, Ran, RanPush, store_name};

/// An object that would fail.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Trouble {
    pub(super) object: String,
    pub(super) message: String,
    /// Whether it fails already, so that the manifests are not the reason.
    pub(super) already: bool,
}

/// What a plan found.
pub(super) struct Report {
    pub(super) rows: Vec<Row>,
    pub(super) troubles: Vec<Trouble>,
    /// Deletions that the deletion guard would hold.
    pub(super) held: Vec<Held>,
    /// Objects that ran and would write nothing.
    pub(super) unchanged: usize,
    /// Kinds of the input that the operator does not look at.
    pub(super) others: BTreeMap<String, usize>,
}

impl Report {
    pub(super) fn new(facts: Facts, redactor: &Redactor) -> Self {
        let mut report = Self {
            rows: manifests(&facts),
            troubles: Vec::new(),
            held: Vec::new(),
            unchanged: 0,
            others: facts.others,
        };
        for (object, message) in facts.refused {
            report.troubles.push(Trouble {
                object,
                message,
                already: false,
            });
        }
        for ran in &facts.runs {
            report.add(ran, redactor);
        }
        for ran in &facts.pushes {
            report.add_push(ran, redactor);
        }
        report
    }

    fn add(&mut self, ran: &Ran, redactor: &Redactor) {
        let by = format!("ExternalSecret {}", ran.key);
        let before = self.rows.len();
        for intent in &ran.run.intents {
            let row = row(intent, &by, &ran.causes, redactor);
            self.rows.extend(row);
        }
        let failure = ran.run.failure.as_ref();
        let failure = failure.filter(|_| !ran.run.would_generate());
        self.close((by, before), failure, ran.failed_before);
    }

    fn add_push(&mut self, ran: &RanPush, redactor: &Redactor) {
        let by = format!("PushSecret {}", ran.key);
        let before = self.rows.len();
        for intent in &ran.run.intents {
            self.rows.extend(row(intent, &by, &ran.causes, redactor));
        }
        for intent in &ran.run.remote {
            let place = match &intent.property {
                Some(property) => format!("{} property {property}", intent.remote_key),
                None => intent.remote_key.clone(),
            };
            let pushed = intent.value.as_ref().map(|value| PushedValue {
                length: value.len(),
                hash: redactor.hash(value),
                there: intent.there,
            });
            let action = match pushed {
                Some(_) => Action::Push,
                None => Action::RemoteDelete,
            };
            self.rows.push(Row {
                action,
                object: format!("{} key {place}", store_name(&intent.store)),
                by: Some(by.clone()),
                causes: ran.causes.clone(),
                differences: Vec::new(),
                pushed,
            });
        }
        let failure = ran.run.failure.as_ref();
        let failure = failure.filter(|_| !ran.run.would_generate());
        self.close((by, before), failure, ran.failed_before);
    }

    /// Notes how the run of an object ended.
    fn close(
        &mut self,
        (object, rows): (String, usize),
        failure: Option<&lockstep_plan::Failure>,
        already: bool,
    ) {
        match failure {
            Some(failure) if held::is_held(failure) => {
                held::add(&mut self.held, failure, object, already);
            }
            Some(failure) => self.troubles.push(Trouble {
                object,
                message: failure.to_string(),
                already,
            }),
            None if self.rows.len() == rows => self.unchanged += 1,
            None => {}
        }
    }

    /// How many rows there are of an action.
    pub(super) fn count(&self, action: Action) -> usize {
        self.rows.iter().filter(|row| row.action == action).count()
    }

    /// How many objects keep their data because the guard holds it.
    pub(super) fn held_objects(&self) -> usize {
        self.held.iter().map(|held| held.objects.len()).sum()
    }

    /// How the command ends.
    pub(super) fn exit(&self, changes_count: bool) -> Exit {
        let fails = self.troubles.iter().any(|trouble| !trouble.already)
            || self.held.iter().any(|held| !held.already);
        if fails || (changes_count && !self.rows.is_empty()) {
            Exit::Findings
        } else {
            Exit::Fine
        }
    }

    /// The document for programs.
    pub(super) fn json(&self) -> Value {
        json!({
            "changes": self.rows,
            "failures": self.troubles,
            "heldDeletions": self.held,
            "unchanged": self.unchanged,
            "ignoredKinds": self.others,
            "summary": {
                "create": self.count(Action::Create),
                "change": self.count(Action::Change),
                "delete": self.count(Action::Delete),
                "push": self.count(Action::Push),
                "remoteDelete": self.count(Action::RemoteDelete),
                "generate": self.count(Action::Generate),
                "fail": self.troubles.len(),
                "held": self.held_objects(),
            },
        })
    }
}
