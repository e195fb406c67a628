//! When an object synced last and when it syncs next, with the reason, by the operator's own decision.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use lockstep_api::PushSecret;
use lockstep_api::external_secret::RefreshPolicy;
use lockstep_local::table::age;
use lockstep_plan::external_secret::{
    Decision, Observed, ObservedTarget, TemplateSources, decide, synced_resource_version,
};
use lockstep_plan::{Settings, StoreKey, StoreView};

use super::stage;
use crate::facts::{ExternalSecretFacts, Looked};
use crate::freshness::{Freshness, freshness, interval};

type Schedule = Vec<(String, String)>;

/// Last and next sync of an ExternalSecret.
pub(super) fn external_secret(
    facts: &ExternalSecretFacts,
    settings: &Settings,
    now: Timestamp,
) -> Schedule {
    let status = facts.object.status.as_ref();
    let refreshed = status.and_then(|status| status.refresh_time.as_ref());
    lines(refreshed, next(facts, settings, now), now)
}

/// Last and next sync of a PushSecret.
pub(super) fn push_secret(object: &PushSecret, now: Timestamp) -> Schedule {
    let status = object.status.as_ref();
    let refreshed = status.and_then(|status| status.refresh_time.as_ref());
    let interval = object.spec.refresh_interval.as_deref().unwrap_or("1h");
    let next = format!("{interval} after the last one, or when the source or a store changes");
    lines(refreshed, next, now)
}

fn lines(refreshed: Option<&Time>, next: String, now: Timestamp) -> Schedule {
    let last = refreshed.map_or_else(
        || "never".to_owned(),
        |time| format!("{} ago ({})", age(Some(time), now), second(time.0)),
    );
    vec![
        ("last sync".to_owned(), last),
        ("next sync".to_owned(), next),
    ]
}

/// When the next sync is, and why.
fn next(facts: &ExternalSecretFacts, settings: &Settings, now: Timestamp) -> String {
    let object = &facts.object;
    if object.metadata.deletion_timestamp.is_some() {
        return "none: the object is being deleted".to_owned();
    }
    let conditions = object.status.as_ref().map(|status| &status.conditions[..]);
    if let Some(told) = conditions.and_then(stage::told) {
        return retry(told.cause).to_owned();
    }
    match decided(facts, settings, now) {
        Decision::Ignore(_) => "none: its store belongs to another controller class".to_owned(),
        Decision::Release(_) => "none: the object is being deleted".to_owned(),
        Decision::Fail(failure) => retry(failure.cause()).to_owned(),
        Decision::Idle {
            until: Some(until), ..
        } => at(facts, until, now),
        Decision::Idle { until: None, .. } => match object.spec.refresh_policy() {
            RefreshPolicy::CreatedOnce => {
                "none: refreshPolicy CreatedOnce, and it was created".to_owned()
            }
            RefreshPolicy::OnChange => {
                "when the object changes: refreshPolicy is OnChange".to_owned()
            }
            _ => "when the object changes: refreshInterval is 0".to_owned(),
        },
        Decision::Fetch(_) => due(facts, now),
    }
}

fn decided(facts: &ExternalSecretFacts, settings: &Settings, now: Timestamp) -> Decision {
    let stores: BTreeMap<StoreKey, Arc<StoreView>> = facts
        .stores
        .iter()
        .filter_map(|(key, store)| Some((key.clone(), Arc::clone(&store.there()?.record.view))))
        .collect();
    let target = match &facts.target {
        Looked::There(target) => target.seen.clone(),
        Looked::Missing(_) | Looked::Failed(_) => ObservedTarget::Absent,
    };
    let observed = Observed {
        object: facts.object.clone(),
        namespace_labels: facts.labels.there().cloned(),
        stores: &stores,
        target,
        former_targets: Vec::new(),
        last_refresh: None,
        inputs_changed: false,
        asked: now,
        sources: TemplateSources::new(),
        jitter: 0.0,
    };
    decide(&observed, settings, now).decision
}

fn at(facts: &ExternalSecretFacts, until: Timestamp, now: Timestamp) -> String {
    let object = &facts.object;
    let status = object.status.as_ref();
    let renewal = status.and_then(|status| status.credential_refresh_time.as_ref());
    let why = if renewal.is_some_and(|time| time.0 == until) {
        "a generated credential is replaced then".to_owned()
    } else {
        format!("refreshInterval {}, up to a tenth later", interval(object))
    };
    // Ages count backwards, so the two times change places.
    let left = age(Some(&Time(now)), until);
    format!("in {left} ({}): {why}", second(until))
}

/// Why a sync is due now.
fn due(facts: &ExternalSecretFacts, now: Timestamp) -> String {
    let object = &facts.object;
    let status = object.status.as_ref();
    let synced = status.and_then(|status| status.synced_resource_version.as_deref());
    let Some(synced) = synced.filter(|version| !version.is_empty()) else {
        return "now: it was never synced".to_owned();
    };
    if synced != synced_resource_version(object) {
        return "now: spec, labels or annotations changed since the last sync".to_owned();
    }
    match freshness(object, now) {
        Freshness::Fresh => {
            let target_there = facts.target.there().is_some();
            if target_there {
                format!(
                    "within {}: refreshInterval; unchanged refreshes are noted every ten to twenty \
                     minutes only",
                    interval(object)
                )
            } else {
                "now: the target is missing".to_owned()
            }
        }
        _ => "now: it is overdue".to_owned(),
    }
}

/// When a failed sync is tried again.
fn retry(cause: &str) -> &'static str {
    match cause {
        "Unreachable" => {
            "as soon as the store answers: it is probed, at first every second, then twice a minute"
        }
        "Throttled" => "when the provider allows it",
        "InvalidSpec" | "Unsupported" => "when the manifest changes, and every 7 minutes",
        "StoreNotFound" | "StoreNotReady" | "StoreDenied" | "StoreForeign" => {
            "when the store changes, and every 7 minutes"
        }
        _ => {
            "retried after a pause that grows from a second to 7 minutes, because the last sync failed"
        }
    }
}

/// A time to the second.
fn second(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
