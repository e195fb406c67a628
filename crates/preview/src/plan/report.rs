//! The report of a plan: rows for what would be written, with causes and redacted differences, and what
//! would fail. Pure: made from collected facts, printed elsewhere.

use std::collections::BTreeMap;

use lockstep_toolbox::exit::Exit;
use lockstep_toolbox::redact::{Hash, Redactor};
use serde::Serialize;
use serde_json::{Value, json};

use super::apply::Change;
use super::cause;
use super::work::{Facts, Ran, RanPush, store_name};
use crate::difference::{Difference, differences};
use crate::intent::{Intent, Verb};

/// What would be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Action {
    Create,
    Change,
    Delete,
    Push,
    RemoteDelete,
    Generate,
}

/// One thing that would be done.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    pub(super) action: Action,
    /// Kind and name of what it is done to.
    pub(super) object: String,
    /// The object whose reconcile does it; absent for the manifests themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<String>,
    pub(super) causes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) differences: Vec<Difference>,
    /// What would be pushed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pushed: Option<PushedValue>,
}

/// What may be shown of a value that would be pushed.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PushedValue {
    pub(super) length: usize,
    pub(super) hash: Hash,
    /// Whether something is at its place, where the store told.
    pub(super) there: Option<bool>,
}

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
            unchanged: 0,
            others: facts.others,
        };
        for (object, message) in facts.faulty_stores {
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

    /// How the command ends.
    pub(super) fn exit(&self, changes_count: bool) -> Exit {
        let fails = self.troubles.iter().any(|trouble| !trouble.already);
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
            },
        })
    }
}

/// Rows about the manifests themselves.
fn manifests(facts: &Facts) -> Vec<Row> {
    let applied = &facts.applied;
    let mut changes: Vec<(String, Change, String)> = Vec::new();
    let mut note = |object: String, change: &Change| {
        changes.push((object, change.clone(), "the manifests".to_owned()));
    };
    for (key, change) in &applied.stores {
        note(store_name(key), change);
    }
    for (name, change) in &applied.cluster_external_secrets {
        note(format!("ClusterExternalSecret {name}"), change);
    }
    for (name, change) in &applied.cluster_push_secrets {
        note(format!("ClusterPushSecret {name}"), change);
    }
    for (key, change) in &applied.external_secrets {
        note(format!("ExternalSecret {key}"), change);
    }
    for (key, change) in &applied.push_secrets {
        note(format!("PushSecret {key}"), change);
    }
    changes.extend(facts.children.iter().cloned());
    let rows = changes.into_iter().filter_map(|(object, change, cause)| {
        let (action, causes) = match change {
            Change::Same => return None,
            Change::New => (Action::Create, vec![cause]),
            Change::Changed(paths) if paths == ["deleted"] => (Action::Delete, vec![cause]),
            Change::Changed(paths) => (Action::Change, vec![cause, paths.join(", ")]),
        };
        Some(plain(action, object, causes))
    });
    let pruned = facts.pruned.iter();
    let pruned = pruned.map(|object| {
        let cause = "it is not among the manifests".to_owned();
        plain(Action::Delete, object.clone(), vec![cause])
    });
    rows.chain(pruned).collect()
}

fn plain(action: Action, object: String, causes: Vec<String>) -> Row {
    Row {
        action,
        object,
        by: None,
        causes,
        differences: Vec::new(),
        pushed: None,
    }
}

/// The row of one write; nothing for the object's own status and finalizers.
fn row(intent: &Intent, by: &str, causes: &[String], redactor: &Redactor) -> Option<Row> {
    let row = match intent {
        Intent::Finalizers | Intent::Status => return None,
        Intent::Secret { key, before, after } => {
            let action = match (before, after) {
                (None, _) => Action::Create,
                (Some(_), Some(_)) => Action::Change,
                (Some(_), None) => Action::Delete,
            };
            let (before, after) = (before.as_deref(), after.as_deref());
            let mut row = plain(action, format!("Secret {key}"), causes.to_vec());
            if row.causes.is_empty() {
                row.causes.push(cause::of_itself(before, after).to_owned());
            }
            row.differences = differences(before, after, redactor);
            row
        }
        Intent::Object { target, verb } => {
            let action = match verb {
                Verb::Create => Action::Create,
                Verb::Replace => Action::Change,
                Verb::Delete => Action::Delete,
            };
            let object = format!("{} {}/{}", target.kind, target.namespace, target.name);
            plain(action, object, causes.to_vec())
        }
        Intent::Generate { kind, name } => {
            plain(Action::Generate, format!("{kind} {name}"), causes.to_vec())
        }
    };
    Some(Row {
        by: Some(by.to_owned()),
        ..row
    })
}
