//! Whether an object of a namespace may use a store: it must be of our class, admit the namespace
//! and be ready. One rule for reads and pushes.

use std::collections::BTreeMap;

use super::{Denied, StoreKey, StoreView};
use crate::settings::Settings;

/// Why a store may not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Stable word for the cause.
    pub(crate) cause: &'static str,
    /// Upstream's text.
    pub(crate) text: String,
}

/// Whether a store may be used from a namespace with these labels.
pub(crate) fn admit(
    store: &StoreView,
    caller: (&str, &BTreeMap<String, String>),
    settings: &Settings,
) -> Result<(), Refusal> {
    allow(store, caller, settings)?;
    if settings.flood_gate && store.ready != Some(true) {
        let text = format!("{} is not ready", store.key);
        return Err(refusal("StoreNotReady", text));
    }
    Ok(())
}

/// The same without asking whether the store is ready.
pub(crate) fn allow(
    store: &StoreView,
    (namespace, labels): (&str, &BTreeMap<String, String>),
    settings: &Settings,
) -> Result<(), Refusal> {
    if store.is_foreign_to(&settings.class) {
        let text = "can not reference unmanaged store";
        return Err(refusal("StoreForeign", text.to_owned()));
    }
    match store.access.check(namespace, labels) {
        Ok(()) => Ok(()),
        Err(Denied::Broken(text)) => Err(refusal("InvalidSpec", text)),
        Err(Denied::NoMatch) => {
            let text = format!(
                "using cluster store {:?} is not allowed from namespace {namespace:?}: denied by \
                 spec.condition",
                store.key.name,
            );
            Err(refusal("StoreDenied", text))
        }
    }
}

/// Text about a store that is not there.
pub(crate) fn not_found(key: &StoreKey) -> String {
    let StoreKey { kind, name, .. } = key;
    format!("could not get {kind} {name:?}, {kind}.external-secrets.io {name:?} not found")
}

fn refusal(cause: &'static str, text: String) -> Refusal {
    Refusal { cause, text }
}
