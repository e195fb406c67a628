//! Judges a PushSecret: its source, its stores and what was pushed. A failure that its condition tells of
//! and no link accounts for stays with the object.

use jiff::Timestamp;
use lockstep_api::conditions::{Condition, READY};
use lockstep_local::table::age;
use lockstep_plan::Settings;

use super::others::live;
use super::pods::count;
use super::stage::{self, Stage, Told};
use super::store as judged;
use crate::facts::{Looked, PushFacts, PushSource};
use crate::report::{Link, State};

/// The chain.
pub(super) fn chain(facts: &PushFacts, settings: &Settings, now: Timestamp) -> Vec<Link> {
    let object = &facts.object;
    let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
    let conditions = object.status.as_ref().map(|status| &status.conditions[..]);
    let told = conditions.and_then(stage::told);
    let told = told.as_ref();
    let mut links = vec![object_link(facts, told, now), source(facts)];
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
    links.push(pushed(facts, told));
    // A failure that no link accounts for must not look like health.
    if let Some(told) = told.filter(|_| !links.iter().any(Link::is_bad)) {
        links[0] = failed(told);
    }
    links
}

fn failed(told: &Told) -> Link {
    Link::new("object", "", State::Bad, told.text.clone()).remedy(
        told.remedy
            .unwrap_or("correct the manifest, or see its events: kubectl describe pushsecret"),
    )
}

fn object_link(facts: &PushFacts, told: Option<&Told>, now: Timestamp) -> Link {
    let link = |state, text: &str| Link::new("object", "", state, text);
    let status = facts.object.status.as_ref();
    let ready = status.and_then(|status| Condition::find(&status.conditions, READY));
    match (told, ready) {
        (Some(_), Some(ready)) => {
            let since = age(ready.last_transition_time.as_ref(), now);
            let text = format!("not ready since {since}; the chain below says where");
            link(State::Warn, &text)
        }
        _ if facts.object.metadata.deletion_timestamp.is_some() => {
            link(State::Warn, "is being deleted")
        }
        (None, Some(ready)) => {
            let reason = ready.reason.as_deref().unwrap_or_default();
            link(State::Good, &format!("ready ({reason})"))
        }
        (_, None) => link(State::Unknown, "no push was reported yet")
            .remedy("is the operator running? kubectl -n external-secrets get pods"),
    }
}

fn source(facts: &PushFacts) -> Link {
    let (name, found) = match &facts.source {
        PushSource::Secret(name, found) => (name, found),
        PushSource::Generator(kind, name, found) => {
            return generator(format!("{kind} {name}"), found);
        }
        PushSource::Labels => {
            let text = "labels select it; not looked at";
            return Link::new("source", "", State::Unknown, text);
        }
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

fn generator(subject: String, found: &Looked<()>) -> Link {
    match found {
        Looked::There(()) => Link::new("source", subject, State::Good, "exists"),
        Looked::Missing(_) => Link::new("source", subject, State::Bad, "does not exist")
            .remedy("create it, or correct spec.selector.generatorRef"),
        Looked::Failed(text) => {
            Link::new("source", subject, State::Unknown, "cannot be read").remedy(text)
        }
    }
}

fn pushed(facts: &PushFacts, told: Option<&Told>) -> Link {
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
