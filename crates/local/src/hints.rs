//! What to do about a failure, by the word for its cause. The condition's message says what is wrong
//! and what helps anywhere; a hint adds only what the folder lets us know.

use std::collections::BTreeSet;

use lockstep_api::ExternalSecret;
use lockstep_plan::external_secret::store_keys;
use lockstep_plan::manifest_target::ObjectRef;
use lockstep_plan::{StoreKey, StoreKind};

use super::closest::closest;
use super::folder::State;
use super::manifests::Kind;
use super::name::Name;

/// The remedy for a store that is not ready.
pub(crate) fn store(cause: &str) -> Option<String> {
    let text = match cause {
        "UnknownProvider" | "NotInBuild" => return Some(providers()),
        "InvalidSpec" => "correct the store's manifest",
        other => credentials(other)?,
    };
    Some(text.to_owned())
}

/// The remedy for an ExternalSecret that is not ready.
pub(crate) fn object(
    cause: &str,
    object: &ExternalSecret,
    state: &State,
    broken: &BTreeSet<(Kind, Name)>,
) -> Option<String> {
    let text = match cause {
        "StoreNotFound" => return missing_store(object, state, broken),
        "StoreNotReady" => "fix the store first; its failure is in this list",
        "Unsupported" if ObjectRef::of(object).is_some() => {
            "local mode makes Secrets only; `lockstep render` shows targets of other kinds"
        }
        "InvalidSpec" | "Unsupported" => "correct the ExternalSecret's manifest",
        other => credentials(other)?,
    };
    Some(text.to_owned())
}

/// The remedy for failures at the backend.
fn credentials(cause: &str) -> Option<&'static str> {
    Some(match cause {
        "Unauthenticated" => {
            "check the credentials: the Secret manifest, or its LOCKSTEP_SECRET_… variable"
        }
        "Unreachable" => "the proxy variables of the environment apply here too",
        _ => return None,
    })
}

fn providers() -> String {
    let names = lockstep_provider_registry::registry()
        .iter()
        .map(lockstep_provider_registry::Entry::name);
    format!(
        "providers of this build: {}",
        names.collect::<Vec<_>>().join(", ")
    )
}

/// Why a store is not there, as far as the folder tells.
fn missing_store(
    object: &ExternalSecret,
    state: &State,
    broken: &BTreeSet<(Kind, Name)>,
) -> Option<String> {
    let wanted = store_keys(object)
        .into_iter()
        .find(|key| !state.stores.contains_key(key))?;
    let kind = match wanted.kind {
        StoreKind::SecretStore => Kind::SecretStore,
        StoreKind::ClusterSecretStore => Kind::ClusterSecretStore,
    };
    let name = Name::new(
        wanted.namespace.as_deref().unwrap_or_default(),
        &*wanted.name,
    );
    if broken.contains(&(kind, name)) {
        return Some(format!(
            "the manifest of {wanted} has a fault; fix it first"
        ));
    }
    if let Some(other) = state.stores.keys().find(|key| key.name == wanted.name) {
        return Some(match other.kind {
            StoreKind::ClusterSecretStore => {
                "there is a ClusterSecretStore of that name; set secretStoreRef.kind".to_owned()
            }
            StoreKind::SecretStore => format!(
                "the SecretStore of that name is in namespace {:?}; a SecretStore serves its own \
                 namespace only",
                other.namespace.as_deref().unwrap_or_default()
            ),
        });
    }
    let usable = |key: &&StoreKey| key.kind == wanted.kind && key.namespace == wanted.namespace;
    let names: Vec<&str> = state
        .stores
        .keys()
        .filter(usable)
        .map(|key| key.name.as_str())
        .collect();
    Some(match closest(&wanted.name, names.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None if names.is_empty() => format!("add a manifest of {wanted} to the folder"),
        None => format!("stores that can be used here: {}", names.join(", ")),
    })
}
