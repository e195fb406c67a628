//! Judges the target of an ExternalSecret: is it there, ours, untouched, and which keys has it?

use jiff::Timestamp;
use lockstep_api::external_secret::CreationPolicy;
use lockstep_local::table::age;
use lockstep_plan::external_secret::ObservedTarget;

use super::answer::{broken, was_synced};
use super::pods::keys;
use super::stage::{Stage, Told, stage_of};
use crate::facts::{ExternalSecretFacts, Looked, TargetFacts};
use crate::report::{Link, State};

/// The target.
pub(super) fn link(facts: &ExternalSecretFacts, told: Option<&Told>, now: Timestamp) -> Link {
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
