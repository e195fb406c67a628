//! Judges the chain of an ExternalSecret: object, stores, identities, provider answer, pipeline, template,
//! target, pods. What a live read found goes before what the condition tells, because it is newer.

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_api::conditions::{Condition, READY};
use lockstep_api::external_secret::CreationPolicy;
use lockstep_api::keys::ANNOTATION_FORCE_SYNC;
use lockstep_local::table::age;
use lockstep_plan::Settings;
use lockstep_plan::external_secret::{ObservedTarget, SourceKind};

use super::pods::{count, keys};
use super::stage::{self, Stage, Told, stage_of};
use super::{pods, store};
use crate::facts::{ExternalSecretFacts, Live, LiveFailure, Looked, TargetFacts};
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
    links.push(answer(facts, told));
    links.push(pipeline(facts, told));
    links.push(template(facts, told));
    let target_name = facts.object.target_name();
    links.push(target(facts, told, now));
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
        return broken(link, failure);
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

fn broken(link: Link, failure: &LiveFailure) -> Link {
    let LiveFailure {
        cause,
        text,
        remedy,
    } = failure;
    let text = if text.contains(cause.as_str()) {
        text.clone()
    } else {
        format!("{cause}: {text}")
    };
    let link = Link {
        state: State::Bad,
        text,
        ..link
    };
    link.remedy(remedy.clone().unwrap_or_default())
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

fn answer(facts: &ExternalSecretFacts, told: Option<&Told>) -> Link {
    let link = |state, text: &str| Link::new("answer", "", state, text);
    if let Some(live) = &facts.live {
        if let Some(failure) = &live.refused {
            let link = link(State::Unknown, "nothing was read");
            return match stage_of(&failure.cause) {
                Stage::Store => link,
                _ => broken(link, failure),
            };
        }
        let parts = live.answers.iter().map(|answer| {
            let link = Link::new("entry", &*answer.entry, State::Good, "");
            match &answer.outcome {
                Ok(shape) => Link {
                    text: format!("{} answered with {shape}", answer.asked),
                    ..link
                },
                Err(failure) if failure.cause == "Unsupported" => Link {
                    state: State::Unknown,
                    text: failure.text.clone(),
                    ..link
                },
                Err(failure) => broken(link, failure),
            }
        });
        return link(State::Good, "read just now").with(parts.collect());
    }
    match told {
        Some(told) if told.stage == Stage::Provider => {
            link(State::Bad, &told.text).remedy(told.remedy.unwrap_or_default())
        }
        Some(told) if told.stage < Stage::Provider => link(State::Unknown, "was not reached"),
        _ if was_synced(facts) => link(
            State::Good,
            "was complete at the last sync; --live asks now",
        ),
        _ => link(State::Unknown, "none yet; --live asks now"),
    }
}

fn was_synced(facts: &ExternalSecretFacts) -> bool {
    let status = facts.object.status.as_ref();
    status.is_some_and(|status| status.refresh_time.is_some())
}

fn pipeline(facts: &ExternalSecretFacts, told: Option<&Told>) -> Link {
    let spec = &facts.object.spec;
    let entries = spec.data.len() + spec.data_from.len();
    let link = |state, text: String| Link::new("pipeline", "", state, text);
    let live = facts.live.as_ref().and_then(|live| live.pipeline.as_ref());
    match (live, told) {
        (Some(Ok(made)), _) => {
            let text = format!(
                "{} made of {}: {}",
                count(made.len(), "key"),
                count(entries, "entry").replace("entrys", "entries"),
                made.join(", ")
            );
            link(State::Good, text)
        }
        (Some(Err(failure)), _) => broken(link(State::Bad, String::new()), failure),
        (None, Some(told)) if told.stage == Stage::Pipeline => {
            link(State::Bad, told.text.clone()).remedy(told.remedy.unwrap_or_default())
        }
        (None, Some(told)) if told.stage < Stage::Pipeline => {
            link(State::Unknown, "was not reached".to_owned())
        }
        (None, _) => {
            let text = count(entries, "entry").replace("entrys", "entries");
            link(State::Good, format!("{text} of data and dataFrom"))
        }
    }
}

fn template(facts: &ExternalSecretFacts, told: Option<&Told>) -> Link {
    let target = facts.object.spec.target.as_ref();
    let link = |state, text: String| Link::new("template", "", state, text);
    let Some(template) = target.and_then(|target| target.template.as_ref()) else {
        return link(
            State::None,
            "none: values are delivered as they are".to_owned(),
        );
    };
    let sources = facts.sources.iter().map(|(key, found)| {
        let kind = match key.kind {
            SourceKind::ConfigMap => "ConfigMap",
            SourceKind::Secret => "Secret",
        };
        match found {
            Looked::There(keys) => {
                let text = count(keys.len(), "key");
                Link::new(kind, &*key.name, State::Good, text)
            }
            Looked::Missing(_) => Link::new(kind, &*key.name, State::Bad, "does not exist")
                .remedy("create it, or correct templateFrom"),
            Looked::Failed(text) => {
                Link::new(kind, &*key.name, State::Unknown, "cannot be read").remedy(text)
            }
        }
    });
    let sources: Vec<Link> = sources.collect();
    let live = facts.live.as_ref().and_then(|live| live.plan.as_ref());
    let failed = live.and_then(|plan| plan.as_ref().err());
    let failed = failed.filter(|failure| stage_of(&failure.cause) == Stage::Template);
    if let Some(failure) = failed {
        return broken(link(State::Bad, String::new()), failure).with(sources);
    }
    let link = match told {
        Some(told) if told.stage == Stage::Template => {
            link(State::Bad, told.text.clone()).remedy(told.remedy.unwrap_or_default())
        }
        Some(told) if told.stage < Stage::Template => {
            link(State::Unknown, "was not reached".to_owned())
        }
        _ => {
            let texts = template.data.len() + template.template_from.len();
            link(State::Good, count(texts, "text"))
        }
    };
    link.with(sources)
}

fn target(facts: &ExternalSecretFacts, told: Option<&Told>, now: Timestamp) -> Link {
    let object = &facts.object;
    let subject = format!("Secret {}", object.target_name());
    let link = |state, text: String| Link::new("target", subject.clone(), state, text);
    if let Some(manifest) = object
        .spec
        .target
        .as_ref()
        .and_then(|target| target.manifest.as_ref())
    {
        let subject = format!("{} {}", manifest.kind, object.target_name());
        return Link::new(
            "target",
            subject,
            State::Unknown,
            "is no Secret; not looked at",
        );
    }
    if *object.spec.creation_policy() == CreationPolicy::None {
        return link(
            State::None,
            "creationPolicy None: nothing is written".to_owned(),
        );
    }
    let live = facts.live.as_ref().and_then(|live| live.plan.as_ref());
    let failed = live.and_then(|plan| plan.as_ref().err());
    if let Some(failure) = failed.filter(|failure| stage_of(&failure.cause) == Stage::Target) {
        return broken(link(State::Bad, String::new()), failure);
    }
    if let Some(told) = told.filter(|told| told.stage == Stage::Target) {
        return link(State::Bad, told.text.clone()).remedy(told.remedy.unwrap_or_default());
    }
    let found = match &facts.target {
        Looked::There(found) => found,
        Looked::Failed(text) => {
            return link(State::Unknown, "cannot be read".to_owned()).remedy(text);
        }
        Looked::Missing(_) => {
            let text = "does not exist".to_owned();
            return if told.is_some() || !was_synced(facts) {
                link(
                    State::Bad,
                    format!("{text}, because the chain above is broken"),
                )
            } else {
                let text = format!("{text}, although the object says it was synced");
                link(State::Bad, text).remedy(
                    "somebody deleted it; the operator makes it again within seconds: see that it runs",
                )
            };
        }
    };
    seen(
        facts,
        found,
        live.and_then(|plan| plan.as_ref().ok()),
        (link, now),
    )
}

fn seen(
    facts: &ExternalSecretFacts,
    found: &TargetFacts,
    intent: Option<&String>,
    (link, now): (impl Fn(State, String) -> Link, Timestamp),
) -> Link {
    let object = &facts.object;
    let shown = keys(&found.keys);
    let ObservedTarget::Row(row) = &found.seen else {
        let text = format!("exists and is not ours: {shown}");
        let merges = *object.spec.creation_policy() == CreationPolicy::Merge;
        return link(if merges { State::Warn } else { State::Bad }, text)
            .remedy("delete it, name another target, or use creationPolicy Merge");
    };
    let uid = object.metadata.uid.as_deref().unwrap_or_default();
    let owns = *object.spec.creation_policy() == CreationPolicy::Owner;
    if owns && !row.is_controlled_by(uid) {
        return link(State::Bad, format!("belongs to somebody else: {shown}"))
            .remedy("two objects write the same Secret; give one of them another target.name");
    }
    if !row.is_untouched() {
        return link(State::Warn, format!("was edited by somebody else: {shown}"))
            .remedy("the operator puts it right at its next run");
    }
    let written = found.changed.map(|time| {
        let time = k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(time);
        format!(", written {} ago", age(Some(&time), now))
    });
    let intent = intent.map(|intent| format!("; {intent}"));
    link(
        State::Good,
        format!(
            "{shown}{}{}",
            written.unwrap_or_default(),
            intent.unwrap_or_default()
        ),
    )
}
