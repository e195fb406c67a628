//! One thing that a plan would do, with its causes and redacted differences. Pure: made from what was noted.

use lockstep_toolbox::redact::{Hash, Redactor};
use serde::Serialize;

use super::apply::Change;
use super::cause;
use super::work::{Facts, store_name};
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

/// Rows about the manifests themselves.
pub(super) fn manifests(facts: &Facts) -> Vec<Row> {
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
pub(super) fn row(
    intent: &Intent,
    by: &str,
    causes: &[String],
    redactor: &Redactor,
) -> Option<Row> {
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
