//! What the status says after a run, whether it is worth a write, and when to look again.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lockstep_api::conditions::READY;
use lockstep_api::fan_out::{ClusterExternalSecretStatus, FailedNamespace, PlainCondition};
use lockstep_api::{ClusterExternalSecret, messages};
use lockstep_golang::duration::Duration as GoDuration;
use serde_json::Value;

use super::child::child_name;
use crate::external_secret::NextRun;
use crate::refresh::interval_of;
use crate::settings::Settings;
use crate::status_patch::merge_patch;

/// Where the namespaces themselves could not be told.
const UNKNOWN: &str = "unknown";

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The namespace has its child.
    Kept,
    /// Nothing is left of ours there.
    Left,
    /// It did not work.
    Failed(Trouble),
}

/// Why a task failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Only somebody else can mend it; a change will tell.
    Refused(String),
    /// Trying again may help.
    Failed(String),
}

/// What follows from a run.
#[derive(Debug)]
pub struct Report {
    /// The status to write; `None` when nothing changed.
    pub status: Option<ClusterExternalSecretStatus>,
    /// Whether all namespaces have their child.
    pub ready: bool,
    /// When to run again.
    pub next: NextRun,
}

/// Reports how the tasks of the namespaces ended.
pub fn report(
    object: &ClusterExternalSecret,
    outcomes: BTreeMap<String, Outcome>,
    settings: &Settings,
    now: Timestamp,
) -> Report {
    let (mut failed, mut provisioned, mut retry) = (Vec::new(), Vec::new(), false);
    for (namespace, outcome) in outcomes {
        match outcome {
            Outcome::Left => {}
            Outcome::Kept => provisioned.push(namespace),
            Outcome::Failed(trouble) => {
                retry |= matches!(trouble, Trouble::Failed(_));
                let (Trouble::Refused(reason) | Trouble::Failed(reason)) = trouble;
                let reason = Some(reason);
                failed.push(FailedNamespace { namespace, reason });
            }
        }
    }
    let next = if retry {
        NextRun::Backoff
    } else {
        look_again(object, now)
    };
    concluded(object, (failed, provisioned), settings, next)
}

/// Reports that the wanted namespaces cannot be told. Children stay as they are.
pub fn refused(object: &ClusterExternalSecret, reason: String, settings: &Settings) -> Report {
    let failed = vec![FailedNamespace {
        namespace: UNKNOWN.to_owned(),
        reason: Some(reason),
    }];
    let known = object.status.as_ref();
    let provisioned = known.map(|status| status.provisioned_namespaces.clone());
    let namespaces = (failed, provisioned.unwrap_or_default());
    concluded(object, namespaces, settings, NextRun::OnChange)
}

fn concluded(
    object: &ClusterExternalSecret,
    (failed_namespaces, provisioned_namespaces): (Vec<FailedNamespace>, Vec<String>),
    settings: &Settings,
    next: NextRun,
) -> Report {
    let old = object.status.clone().unwrap_or_default();
    let ready = failed_namespaces.is_empty();
    let condition = PlainCondition {
        type_: READY.to_owned(),
        status: if ready { "True" } else { "False" }.to_owned(),
        message: (!ready).then(|| messages::NAMESPACES_FAILED.to_owned()),
    };
    let generation = object.metadata.generation;
    let new = ClusterExternalSecretStatus {
        observed_generation: generation.filter(|_| settings.observed_generation),
        external_secret_name: Some(child_name(object).to_owned()),
        failed_namespaces,
        provisioned_namespaces,
        conditions: vec![condition],
    };
    Report {
        status: is_news(&old, &new).then_some(new),
        ready,
        next,
    }
}

/// Whether a status is worth a write. A generation noted for the first time is not by itself, so that
/// taking over from another operator writes nothing.
fn is_news(old: &ClusterExternalSecretStatus, new: &ClusterExternalSecretStatus) -> bool {
    let noted = ClusterExternalSecretStatus {
        observed_generation: match old.observed_generation {
            None => None,
            Some(_) => new.observed_generation,
        },
        ..new.clone()
    };
    *old != noted
}

/// The next look at everything. Changes are told by watches; this is for what they miss.
fn look_again(object: &ClusterExternalSecret, now: Timestamp) -> NextRun {
    let written = object.spec.refresh_time.as_deref();
    let interval = interval_of(written).or_else(|_| interval_of(None));
    let interval = interval.ok().and_then(GoDuration::to_std);
    match interval.filter(|interval| !interval.is_zero()) {
        Some(interval) => now
            .checked_add(interval)
            .map_or(NextRun::OnChange, NextRun::At),
        None => NextRun::OnChange,
    }
}

/// The JSON merge patch that turns one status into another.
pub fn status_patch(
    old: Option<&ClusterExternalSecretStatus>,
    new: &ClusterExternalSecretStatus,
) -> Value {
    merge_patch(old, new)
}
