//! Whether an object of a namespace may use a store: it must be of our class, admit the namespace
//! and be ready. One rule for reads and pushes.

use std::collections::BTreeMap;

use lockstep_provider_api::error::Retry;

use super::{Denied, StoreKey, StoreKind, StoreView};
use crate::cause::Cause;
use crate::failure::Failure;
use crate::settings::Settings;

/// Why a store may not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Why, as one word.
    pub(crate) cause: Cause,
    /// Upstream's text.
    pub(crate) text: String,
    /// What the store's own condition says, for the object's condition.
    pub(crate) fault: Option<String>,
}

/// A namespace and its labels, where they are known.
pub(crate) type Caller<'a> = (&'a str, Option<&'a BTreeMap<String, String>>);

/// Whether a store may be used from a namespace with these labels.
pub(crate) fn admit(
    store: &StoreView,
    caller: Caller<'_>,
    settings: &Settings,
) -> Result<(), Refusal> {
    allow(store, caller, settings)?;
    if settings.flood_gate && !store.is_open() {
        let text = format!("{} is not ready", store.key);
        return Err(Refusal {
            fault: store.fault.clone(),
            ..refusal(Cause::STORE_NOT_READY, text)
        });
    }
    Ok(())
}

/// The same for pushes, which do not wait for a check that nobody is going to make.
pub(crate) fn admit_push(
    store: &StoreView,
    caller: Caller<'_>,
    settings: &Settings,
) -> Result<(), Refusal> {
    let is_checked = settings.secret_stores || store.key.kind != StoreKind::SecretStore;
    if store.ready.is_none() && !is_checked {
        return allow(store, caller, settings);
    }
    admit(store, caller, settings)
}

/// The same without asking whether the store is ready.
pub(crate) fn allow(
    store: &StoreView,
    (namespace, labels): Caller<'_>,
    settings: &Settings,
) -> Result<(), Refusal> {
    if store.is_foreign_to(&settings.class) {
        let text = "can not reference unmanaged store";
        return Err(refusal(Cause::STORE_FOREIGN, text.to_owned()));
    }
    match store.access.check(namespace, labels) {
        Ok(()) => Ok(()),
        Err(Denied::Broken(text)) => Err(refusal(Cause::INVALID_SPEC, text)),
        Err(Denied::NoMatch) => {
            let text = format!(
                "using cluster store {:?} is not allowed from namespace {namespace:?}: denied by \
                 spec.condition",
                store.key.name,
            );
            Err(refusal(Cause::STORE_DENIED, text))
        }
        Err(Denied::LabelsUnknown) => {
            let text = format!(
                "using cluster store {:?} is not allowed from namespace {namespace:?}: \
                 spec.conditions select by labels, and the labels of the namespace are not known",
                store.key.name,
            );
            Err(refusal(Cause::NAMESPACE_UNKNOWN, text))
        }
    }
}

/// Text about a store that is not there.
pub(crate) fn not_found(key: &StoreKey) -> String {
    let StoreKey { kind, name, .. } = key;
    format!("could not get {kind} {name:?}, {kind}.external-secrets.io {name:?} not found")
}

impl Refusal {
    /// Adds to the condition of a failure what the store's condition says; one that says nothing was
    /// not checked yet.
    pub(crate) fn explain(fault: Option<String>, failure: Failure) -> Failure {
        match fault {
            Some(fault) => failure
                .advised()
                .with_detail(|text| format!("{text}: {fault}")),
            None if failure.cause() == Cause::STORE_NOT_READY.as_str() => failure.awaiting_check(),
            None => failure,
        }
    }

    /// When to try again. Labels that are not known may be readable a moment later; all else changes
    /// with a manifest, which wakes the object.
    pub(crate) fn retry(&self) -> Retry {
        if self.cause == Cause::NAMESPACE_UNKNOWN {
            Retry::Slow
        } else {
            Retry::OnChange
        }
    }
}

fn refusal(cause: Cause, text: String) -> Refusal {
    Refusal {
        cause,
        text,
        fault: None,
    }
}
