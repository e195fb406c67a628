//! Judges what the provider answered and what became of it: the answer entry by entry, the pipeline, the
//! template. What a live read found goes before what the condition tells, because it is newer.

use lockstep_plan::external_secret::SourceKind;

use super::pods::count;
use super::stage::{Stage, Told, stage_of};
use crate::facts::{ExternalSecretFacts, LiveFailure, Looked};
use crate::report::{Link, State};

/// The provider's answer.
pub(super) fn answer(facts: &ExternalSecretFacts, told: Option<&Told>) -> Link {
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

/// Whether values were ever fetched.
pub(super) fn was_synced(facts: &ExternalSecretFacts) -> bool {
    let status = facts.object.status.as_ref();
    status.is_some_and(|status| status.refresh_time.is_some())
}

/// Decoding and rewriting.
pub(super) fn pipeline(facts: &ExternalSecretFacts, told: Option<&Told>) -> Link {
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

/// The template and its sources.
pub(super) fn template(facts: &ExternalSecretFacts, told: Option<&Told>) -> Link {
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

/// A link that a live read found broken.
pub(super) fn broken(link: Link, failure: &LiveFailure) -> Link {
    let LiveFailure {
        cause,
        text,
        remedy,
    } = failure;
    // Names of a backend's own errors contain some of these words too.
    let is_named = text.starts_with(&format!("{cause}: "))
        || text.contains(&format!(": {cause}: "))
        || text.ends_with(&format!(" ({cause})"));
    let text = if is_named {
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
