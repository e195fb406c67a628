//! Judges stores, the kinds that fan out, and generators.

use lockstep_api::fan_out::FailedNamespace;
use lockstep_api::{ClusterExternalSecret, ClusterPushSecret};
use lockstep_plan::Settings;

use super::pods::count;
use super::store as judged;
use crate::facts::{Child, GeneratorFacts, LiveFailure, Looked, StoreSubject};
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
    links.push(children("users", &facts.users, USER));
    links
}

/// What asking a store just now gave.
pub(super) fn live(checked: Option<&Result<String, LiveFailure>>) -> Link {
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

/// What a link says about objects that depend on another one.
#[derive(Clone, Copy)]
struct Dependants {
    /// What nobody does.
    verb: &'static str,
    /// How one that fails is judged.
    failing: State,
}

/// Those who use a store may fail for reasons of their own.
const USER: Dependants = Dependants {
    verb: "uses this store",
    failing: State::Warn,
};

/// What a kind that fans out has made carries its chain on.
const MADE: Dependants = Dependants {
    verb: "was made",
    failing: State::Bad,
};

/// Objects that depend on this one; those that fail are listed.
fn children(name: &str, children: &Looked<Vec<Child>>, about: Dependants) -> Link {
    let children = match children {
        Looked::There(children) => children,
        Looked::Missing(text) | Looked::Failed(text) => {
            return Link::new(name, "", State::Unknown, "cannot be listed").remedy(text);
        }
    };
    if children.is_empty() {
        return Link::new(name, "", State::None, format!("nobody {}", about.verb));
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
        let link = Link::new(child.kind, subject, about.failing, child.message.clone());
        match about.failing {
            State::Bad => link.remedy(explain(child)),
            _ => link,
        }
    });
    Link::new(name, "", State::Good, text).with(parts.collect())
}

/// How to go on along the chain of a child.
fn explain(child: &Child) -> String {
    let kind = child.kind.to_lowercase();
    let Child {
        namespace, name, ..
    } = child;
    format!("lockstep explain {kind} {name} -n {namespace}")
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
    let object = match (reported, filled) {
        (false, _) => Link::new("object", "", State::Unknown, "nothing was reported yet")
            .remedy("is the operator running? kubectl -n external-secrets get pods"),
        (true, 0) if failed.is_empty() => {
            Link::new("object", "", State::Warn, "no namespace matches").remedy(
                "compare spec.namespaceSelectors with: kubectl get namespaces --show-labels",
            )
        }
        (true, filled) => {
            let text = format!("{} filled", count(filled, "namespace"));
            Link::new("object", "", State::Good, text)
        }
    };
    vec![object.with(parts.collect()), children("made", made, MADE)]
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
        children(
            "users",
            &facts.users,
            Dependants {
                verb: "uses this generator",
                ..USER
            },
        ),
        states,
    ]
}
