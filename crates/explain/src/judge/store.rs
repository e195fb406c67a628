//! Judges a store as one of its users sees it: is it there, ours, open to the namespace and ready, and
//! are the objects there that it takes its credentials from?

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_api::conditions::{Condition, READY};
use lockstep_plan::store::Denied;
use lockstep_plan::{Settings, StoreKey};

use super::stage;
use crate::facts::{CredentialFacts, Looked, StoreFacts};
use crate::report::{Link, State};

type Labels = Looked<Arc<BTreeMap<String, String>>>;

/// The store that an object of `namespace` names.
pub(super) fn link(
    key: &StoreKey,
    store: &Looked<StoreFacts>,
    (namespace, labels): (&str, &Labels),
    settings: &Settings,
) -> Link {
    let subject = subject(key);
    let facts = match store {
        Looked::There(facts) => facts,
        Looked::Missing(hint) => {
            let remedy = format!("create it, or correct the reference; {hint}");
            return Link::new("store", subject, State::Bad, "there is no such store")
                .remedy(remedy);
        }
        Looked::Failed(text) => {
            return Link::new("store", subject, State::Unknown, "cannot be read").remedy(text);
        }
    };
    let view = &facts.record.view;
    if view.is_foreign_to(&settings.class) {
        let class = view.class.as_deref().unwrap_or_default();
        let text = format!(
            "belongs to controller class {class:?}, not to {:?}",
            settings.class
        );
        return Link::new("store", subject, State::Bad, text)
            .remedy("name a store of this class, or ask with --controller-class");
    }
    match view
        .access
        .check(namespace, labels.there().map(|labels| &**labels))
    {
        Ok(()) => {}
        Err(Denied::NoMatch) => {
            let text = format!("its conditions do not admit namespace {namespace}");
            return Link::new("store", subject, State::Bad, text)
                .remedy("add the namespace, or a label it has, to spec.conditions of the store");
        }
        Err(Denied::Broken(text)) => {
            return Link::new("store", subject, State::Bad, text)
                .remedy("correct spec.conditions of the store");
        }
        Err(Denied::LabelsUnknown) => {
            let text = "it selects namespaces by labels, and they cannot be read";
            let remedy = match labels {
                Looked::Failed(text) => text.clone(),
                _ => String::new(),
            };
            return Link::new("store", subject, State::Unknown, text).remedy(remedy);
        }
    }
    readiness(facts)
}

/// Kind and name, as links name a store.
pub(super) fn subject(key: &StoreKey) -> String {
    match &key.namespace {
        Some(namespace) => format!("{} {namespace}/{}", key.kind, key.name),
        None => format!("{} {}", key.kind, key.name),
    }
}

/// What its own condition says.
pub(super) fn readiness(facts: &StoreFacts) -> Link {
    let record = &facts.record;
    let subject = subject(&record.key);
    if record.metadata.deletion_timestamp.is_some() {
        return Link::new("store", subject, State::Warn, "is being deleted");
    }
    let ready = Condition::find(&record.status.conditions, READY);
    let Some(ready) = ready else {
        return Link::new("store", subject, State::Unknown, "was not checked yet")
            .remedy("is the operator running? kubectl -n external-secrets get pods");
    };
    let reason = ready.reason.as_deref().unwrap_or_default();
    let message = ready.message.as_deref().unwrap_or_default();
    if ready.is_true() {
        return Link::new("store", subject, State::Good, format!("ready ({message})"));
    }
    let text = format!("{reason}: {message}");
    // A credential that is missing is the deeper fault, and has its own advice.
    if identity(facts).is_bad() {
        return Link::new("store", subject, State::Warn, text);
    }
    let told = stage::told(&record.status.conditions);
    let Some(remedy) = told.and_then(|told| told.remedy) else {
        return Link::new("store", subject, State::Bad, text).remedy(ask_now(&record.key));
    };
    // The message ends with the remedy, which has a line of its own here.
    let text = text.strip_suffix(&format!("; {remedy}")).unwrap_or(&text);
    Link::new("store", subject, State::Bad, text).remedy(remedy)
}

/// How to ask the provider of a store at once.
fn ask_now(key: &StoreKey) -> String {
    let kind = key.kind.as_str().to_lowercase();
    let namespace = key.namespace.as_ref();
    let place = namespace.map(|namespace| format!(" -n {namespace}"));
    format!(
        "correct the store, or ask its provider now: lockstep explain {kind} {}{} --live",
        key.name,
        place.unwrap_or_default()
    )
}

/// The identity with which a store is used: the provider, and the objects its credentials come from.
pub(super) fn identity(facts: &StoreFacts) -> Link {
    let provider = match facts.record.spec.provider.only() {
        Ok((provider, _)) => provider.to_owned(),
        Err(error) => {
            let text = format!("spec.provider names {} providers", error.found);
            return Link::new("identity", "", State::Bad, text)
                .remedy("name exactly one under spec.provider");
        }
    };
    let parts: Vec<Link> = facts.credentials.iter().map(credential).collect();
    let text = if parts.is_empty() {
        "names no credentials; where the backend asks for some, the operator's own identity is used"
    } else {
        "takes its credentials from"
    };
    Link::new("identity", provider, State::Good, text).with(parts)
}

/// An object that credentials come from.
pub(super) fn credential(facts: &CredentialFacts) -> Link {
    let CredentialFacts {
        kind,
        namespace,
        name,
        key,
        found,
    } = facts;
    let subject = format!("{namespace}/{name}");
    let kind: &str = kind;
    match found {
        Looked::Failed(text) => {
            Link::new(kind, subject, State::Unknown, "cannot be read").remedy(text)
        }
        Looked::Missing(_) => {
            Link::new(kind, subject, State::Bad, "does not exist").remedy(format!(
                "create it, or correct the name in the store: {}",
                create(facts)
            ))
        }
        Looked::There(keys) => match key {
            Some(key) if kind != "ServiceAccount" && !keys.contains(key) => {
                let known: Vec<&str> = keys.iter().map(String::as_str).collect();
                let near = lockstep_toolbox::suggest::instead(key, known, "keys in it");
                Link::new(kind, subject, State::Bad, format!("has no key {key:?}")).remedy(near)
            }
            Some(key) => Link::new(kind, subject, State::Good, format!("key {key}")),
            None => Link::new(kind, subject, State::Good, "exists"),
        },
    }
}

fn create(facts: &CredentialFacts) -> String {
    let CredentialFacts {
        kind,
        namespace,
        name,
        key,
        ..
    } = facts;
    match *kind {
        "Secret" => format!(
            "kubectl -n {namespace} create secret generic {name} --from-file={}=FILE",
            key.as_deref().unwrap_or("KEY")
        ),
        kind => format!(
            "kubectl -n {namespace} create {} {name}",
            kind.to_lowercase()
        ),
    }
}
