//! Judges stores, PushSecrets, the kinds that fan out, and generators.

use jiff::Timestamp;
use lockstep_api::conditions::{Condition, READY};
use lockstep_api::fan_out::FailedNamespace;
use lockstep_api::{ClusterExternalSecret, ClusterPushSecret};
use lockstep_local::table::age;
use lockstep_plan::Settings;

use super::pods::count;
use super::stage::{self, Stage};
use super::store as judged;
use crate::facts::{Child, GeneratorFacts, LiveFailure, Looked, PushFacts, StoreSubject};
use crate::report::{Link, State};

/// Objects that are listed one by one.
const LISTED: usize = 8;

/// A store, its identity, its provider's answer, and who uses it.
pub(super) fn store(facts: &StoreSubject, settings: &Settings) -> Vec<Link> {
    let view = &facts.facts.record.view;
    let mut first = judged::readiness(&facts.facts);
    if view.is_foreign_to(&settings.class) {
        let class = view.class.as_deref().unwrap_or_default();
        first = Link {
            state: State::Warn,
            text: format!(
                "belongs to controller class {class:?}, not to {:?}",
                settings.class
            ),
            ..first
        };
    }
    let mut links = vec![first, judged::identity(&facts.facts)];
    links.push(live(facts.live.as_ref()));
    links.push(children("users", &facts.users, "uses this store"));
    links
}

/// What asking a store just now gave.
fn live(checked: Option<&Result<String, LiveFailure>>) -> Link {
    match checked {
        None => Link::new("answer", "", State::Unknown, "not asked; --live asks now"),
        Some(Ok(text)) => Link::new("answer", "", State::Good, text.clone()),
        Some(Err(failure)) => {
            let text = format!("{}: {}", failure.cause, failure.text);
            Link::new("answer", "", State::Bad, text)
                .remedy(failure.remedy.clone().unwrap_or_default())
        }
    }
}

/// Objects that depend on this one; those that fail are listed.
fn children(name: &str, children: &Looked<Vec<Child>>, verb: &str) -> Link {
    let children = match children {
        Looked::There(children) => children,
        Looked::Missing(text) | Looked::Failed(text) => {
            return Link::new(name, "", State::Unknown, "cannot be listed").remedy(text);
        }
    };
    if children.is_empty() {
        return Link::new(name, "", State::None, format!("nobody {verb}"));
    }
    let failing: Vec<&Child> = children
        .iter()
        .filter(|child| child.ready == Some(false))
        .collect();
    let unreported = children
        .iter()
        .filter(|child| child.ready.is_none())
        .count();
    let mut text = count(children.len(), "object");
    if !failing.is_empty() {
        text = format!("{text}, {} not ready", failing.len());
    }
    if unreported > 0 {
        text = format!("{text}, {unreported} without a report yet");
    }
    if failing.len() > LISTED {
        text = format!("{text}, {LISTED} are shown");
    }
    let parts = failing.iter().take(LISTED).map(|child| {
        let subject = format!("{}/{}", child.namespace, child.name);
        Link::new(child.kind, subject, State::Warn, child.message.clone())
    });
    Link::new(name, "", State::Good, text).with(parts.collect())
}

/// A PushSecret: its source, its stores and what was pushed.
pub(super) fn push_secret(facts: &PushFacts, settings: &Settings, now: Timestamp) -> Vec<Link> {
    let object = &facts.object;
    let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
    let conditions = object.status.as_ref().map(|status| &status.conditions[..]);
    let told = conditions.and_then(stage::told);
    let ready = conditions.and_then(|conditions| Condition::find(conditions, READY));
    let first = match (&told, ready) {
        (Some(told), _) if told.stage == Stage::Object => {
            Link::new("object", "", State::Bad, told.text.clone())
                .remedy(told.remedy.unwrap_or_default())
        }
        (Some(_), Some(ready)) => {
            let since = age(ready.last_transition_time.as_ref(), now);
            let text = format!("not ready since {since}; the chain below says where");
            Link::new("object", "", State::Warn, text)
        }
        (None, Some(ready)) => {
            let reason = ready.reason.as_deref().unwrap_or_default();
            Link::new("object", "", State::Good, format!("ready ({reason})"))
        }
        (_, None) => Link::new("object", "", State::Unknown, "no push was reported yet")
            .remedy("is the operator running? kubectl -n external-secrets get pods"),
    };
    let mut links = vec![first, source(facts)];
    for (key, found) in &facts.stores {
        let link = judged::link(key, found, (namespace, &facts.labels), settings);
        let has_live = facts.live.get(key);
        links.push(link);
        if let Looked::There(found) = found {
            links.push(judged::identity(found));
        }
        if has_live.is_some() {
            links.push(live(has_live));
        }
    }
    links.push(pushed(facts, told.as_ref()));
    links
}

fn source(facts: &PushFacts) -> Link {
    let Some((name, found)) = &facts.source else {
        let text = "a generator or labels select it; not looked at";
        return Link::new("source", "", State::Unknown, text);
    };
    let subject = format!("Secret {name}");
    let keys = match found {
        Looked::There(keys) => keys,
        Looked::Missing(_) => {
            return Link::new("source", subject, State::Bad, "does not exist")
                .remedy("create it, or correct spec.selector.secret.name");
        }
        Looked::Failed(text) => {
            return Link::new("source", subject, State::Unknown, "cannot be read").remedy(text);
        }
    };
    let wanted = facts.object.spec.data.iter();
    let mut wanted = wanted.filter_map(|data| data.match_.secret_key.as_deref());
    let templated = facts.object.spec.template.is_some();
    if let Some(key) = wanted.find(|key| !templated && !key.is_empty() && !keys.contains(*key)) {
        let known = keys.iter().map(String::as_str);
        let near = lockstep_toolbox::suggest::instead(key, known, "keys in it");
        return Link::new("source", subject, State::Bad, format!("has no key {key:?}"))
            .remedy(near);
    }
    Link::new("source", subject, State::Good, count(keys.len(), "key"))
}

fn pushed(facts: &PushFacts, told: Option<&stage::Told>) -> Link {
    let status = facts.object.status.as_ref();
    let record = status.map(|status| &status.synced_push_secrets);
    let places: usize = record.map_or(0, |record| {
        serde_json::to_value(record)
            .ok()
            .and_then(|value| Some(value.as_object()?.values().map(entries).sum()))
            .unwrap_or_default()
    });
    match told {
        Some(told) if !matches!(told.stage, Stage::Object | Stage::Store) => {
            Link::new("push", "", State::Bad, told.text.clone())
                .remedy(told.remedy.unwrap_or_default())
        }
        Some(_) => Link::new("push", "", State::Unknown, "was not reached"),
        None => {
            let text = format!("{} at the last push", count(places, "value"));
            Link::new("push", "", State::Good, text)
        }
    }
}

fn entries(store: &serde_json::Value) -> usize {
    store.as_object().map_or(0, serde_json::Map::len)
}

/// A ClusterExternalSecret and what it made.
pub(super) fn cluster_external_secret(
    object: &ClusterExternalSecret,
    made: &Looked<Vec<Child>>,
) -> Vec<Link> {
    let status = object.status.as_ref();
    let failed = status.map(|status| &status.failed_namespaces[..]);
    let filled = status.map_or(0, |status| status.provisioned_namespaces.len());
    fan_out(failed.unwrap_or_default(), filled, status.is_some(), made)
}

/// A ClusterPushSecret and what it made.
pub(super) fn cluster_push_secret(
    object: &ClusterPushSecret,
    made: &Looked<Vec<Child>>,
) -> Vec<Link> {
    let status = object.status.as_ref();
    let failed = status.map(|status| &status.failed_namespaces[..]);
    let filled = status.map_or(0, |status| status.provisioned_namespaces.len());
    fan_out(failed.unwrap_or_default(), filled, status.is_some(), made)
}

fn fan_out(
    failed: &[FailedNamespace],
    filled: usize,
    reported: bool,
    made: &Looked<Vec<Child>>,
) -> Vec<Link> {
    let parts = failed.iter().map(|failed| {
        let reason = failed.reason.clone().unwrap_or_default();
        Link::new("namespace", &*failed.namespace, State::Bad, reason)
    });
    let (state, text) = match (reported, filled) {
        (false, _) => (State::Unknown, "nothing was reported yet".to_owned()),
        (true, 0) => (State::Warn, "no namespace matches".to_owned()),
        (true, filled) => (
            State::Good,
            format!("{} filled", count(filled, "namespace")),
        ),
    };
    vec![
        Link::new("object", "", state, text).with(parts.collect()),
        children("made", made, "was made"),
    ]
}

/// A generator: what it needs, who uses it, and what it made.
pub(super) fn generator(facts: &GeneratorFacts) -> Vec<Link> {
    let parts: Vec<Link> = facts.credentials.iter().map(judged::credential).collect();
    let text = if parts.is_empty() {
        "names no credentials"
    } else {
        "takes its credentials from"
    };
    let states = match &facts.states {
        Looked::There(0) => Link::new("states", "", State::None, "no credential is kept track of"),
        Looked::There(states) => {
            let text = format!("{} to be taken back later", count(*states, "credential"));
            Link::new("states", "", State::Good, text)
        }
        Looked::Missing(text) | Looked::Failed(text) => {
            Link::new("states", "", State::Unknown, "cannot be listed").remedy(text)
        }
    };
    vec![
        Link::new("identity", "", State::Good, text).with(parts),
        children("users", &facts.users, "uses this generator"),
        states,
    ]
}
