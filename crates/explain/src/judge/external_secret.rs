//! Judges the chain of an ExternalSecret: object, stores, identities, provider answer, pipeline, template,
//! target, pods. The links after the store are judged in files of their own.

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_api::conditions::{Condition, READY};
use lockstep_api::keys::ANNOTATION_FORCE_SYNC;
use lockstep_local::table::age;
use lockstep_plan::Settings;

use super::stage::{self, Stage, Told};
use super::{answer, pods, store, target};
use crate::facts::{ExternalSecretFacts, Live, Looked};
use crate::freshness::{Freshness, freshness};
use crate::report::{Link, State};

/// The chain.
pub(super) fn chain(facts: &ExternalSecretFacts, settings: &Settings, now: Timestamp) -> Vec<Link> {
    let status = facts.object.status.as_ref();
    let told = status.and_then(|status| stage::told(&status.conditions));
    // A live read that went through overrules an older failure at the same links.
    let told = told.filter(|told| !overruled(told, facts.live.as_ref()));
    let told = told.as_ref();
    let namespace = facts
        .object
        .metadata
        .namespace
        .as_deref()
        .unwrap_or_default();
    let mut links = vec![object(facts, told, now)];
    for (key, found) in &facts.stores {
        links.push(store::link(
            key,
            found,
            (namespace, &facts.labels),
            settings,
        ));
        if let Looked::There(found) = found {
            links.push(identity(store::identity(found), facts, told));
        }
    }
    for (kind, name, found) in &facts.generators {
        links.push(generator(kind, name, found));
    }
    let told_below = links
        .iter()
        .any(|link| link.name == "generator" && link.is_bad());
    if told_below && links[0].is_bad() {
        // The generator link names what is missing, with its own advice.
        links[0].state = State::Warn;
    }
    links.push(answer::answer(facts, told));
    links.push(answer::pipeline(facts, told));
    links.push(answer::template(facts, told));
    let target_name = facts.object.target_name();
    links.push(target::link(facts, told, now));
    links.push(pods::link(&facts.pods, &facts.target, target_name));
    // A failure that no link accounts for must not look like health.
    if let Some(told) = told.filter(|_| !links.iter().any(Link::is_bad)) {
        links[0] = Link::new("object", "", State::Bad, told.text.clone())
            .remedy(told.remedy.unwrap_or_default());
    }
    links
}

fn overruled(told: &Told, live: Option<&Live>) -> bool {
    live.is_some_and(|live| match told.stage {
        Stage::Identity | Stage::Provider => {
            !live.answers.is_empty() && live.answers.iter().all(|answer| answer.outcome.is_ok())
        }
        Stage::Pipeline => matches!(live.pipeline, Some(Ok(_))),
        Stage::Template => matches!(live.plan, Some(Ok(_))),
        Stage::Object | Stage::Store | Stage::Target => false,
    })
}

fn object(facts: &ExternalSecretFacts, told: Option<&Told>, now: Timestamp) -> Link {
    let object = &facts.object;
    let link = |state, text: String| Link::new("object", "", state, text);
    if object.metadata.deletion_timestamp.is_some() {
        return link(State::Warn, "is being deleted".to_owned());
    }
    if let Some(told) = told.filter(|told| told.stage == Stage::Object) {
        return link(State::Bad, told.text.clone()).remedy(told.remedy.unwrap_or(
            "correct the manifest, or see its events: kubectl describe externalsecret",
        ));
    }
    let status = object.status.as_ref();
    let ready = status.and_then(|status| Condition::find(&status.conditions, READY));
    match (ready, freshness(object, now)) {
        (None, _) => {
            let created = object.metadata.creation_timestamp.as_ref();
            let text = format!("made {} ago, no sync was reported yet", age(created, now));
            let old = created.is_some_and(|time| now.duration_since(time.0).as_secs() > 30);
            let state = if old { State::Bad } else { State::Unknown };
            link(state, text)
                .remedy("is the operator running? kubectl -n external-secrets get pods")
        }
        (Some(ready), Freshness::Failing) => {
            let reason = ready.reason.as_deref().unwrap_or_default();
            let since = age(ready.last_transition_time.as_ref(), now);
            if told.is_none() {
                // Only a live read can have overruled it.
                let text =
                    format!("not ready since {since} ({reason}), but a live read goes through");
                return link(State::Warn, text).remedy(force_sync(object));
            }
            let text = format!("not ready since {since} ({reason}); the chain below says where");
            link(State::Warn, text)
        }
        (Some(_), Freshness::Stale(since)) => {
            let text = format!("no refresh was noted since {since}, although one was due");
            link(State::Warn, text)
                .remedy("is the operator running? kubectl -n external-secrets get pods")
        }
        (Some(ready), _) => {
            let generation = object.metadata.generation;
            let observed = status.and_then(|status| status.observed_generation);
            if observed.is_some_and(|observed| Some(observed) != generation && observed >= 0) {
                let text = "its last change was not synced yet".to_owned();
                return link(State::Warn, text);
            }
            let reason = ready.reason.as_deref().unwrap_or_default();
            link(State::Good, format!("ready ({reason})"))
        }
    }
}

/// How to ask for a sync at once.
fn force_sync(object: &ExternalSecret) -> String {
    let name = object.metadata.name.as_deref().unwrap_or_default();
    let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
    format!(
        "sync at once: kubectl -n {namespace} annotate externalsecret {name} --overwrite \
         {ANNOTATION_FORCE_SYNC}=$(date +%s)"
    )
}

fn identity(link: Link, facts: &ExternalSecretFacts, told: Option<&Told>) -> Link {
    let live = facts.live.iter().flat_map(|live| &live.answers);
    let refused = live
        .filter_map(|answer| answer.outcome.as_ref().err())
        .find(|failure| failure.cause == "Unauthenticated");
    if let Some(failure) = refused {
        return answer::broken(link, failure);
    }
    match told {
        Some(told) if told.stage == Stage::Identity => Link {
            state: State::Bad,
            text: told.text.clone(),
            ..link
        }
        .remedy(told.remedy.unwrap_or_default()),
        _ => link,
    }
}

fn generator(kind: &str, name: &str, found: &Looked<()>) -> Link {
    let subject = format!("{kind} {name}");
    match found {
        Looked::There(()) => Link::new("generator", subject, State::Good, "exists"),
        Looked::Missing(_) => Link::new("generator", subject, State::Bad, "does not exist")
            .remedy("create it, or correct sourceRef.generatorRef"),
        Looked::Failed(text) => {
            Link::new("generator", subject, State::Unknown, "cannot be read").remedy(text)
        }
    }
}
