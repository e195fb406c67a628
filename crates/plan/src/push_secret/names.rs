//! Names by which pushed secrets are recorded in `status.syncedPushSecrets`.

use lockstep_api::PushSecret;
use lockstep_api::push_secret::{PushData, PushRemoteRef};
use lockstep_provider_api::PushTarget;

use crate::store::{StoreKey, StoreKind};

/// A store as the record names it: `<kind>/<name>`.
pub(super) fn store_word(key: &StoreKey) -> String {
    format!("{}/{}", key.kind, key.name)
}

/// The store that a word of the record means in `namespace`.
pub(super) fn store_of(word: &str, namespace: &str) -> Option<StoreKey> {
    let (kind, name) = word.split_once('/')?;
    if kind == StoreKind::SecretStore.as_str() {
        return Some(StoreKey::namespaced(namespace, name));
    }
    (kind == StoreKind::ClusterSecretStore.as_str()).then(|| StoreKey::cluster(name))
}

/// A place in a store as the record names it: `<remote key>[/<property>]`.
pub(super) fn entry_id(place: &PushRemoteRef) -> String {
    match property(place) {
        Some(property) => format!("{}/{property}", place.remote_key),
        None => place.remote_key.clone(),
    }
}

/// The place of an entry as providers take it. The metadata belongs to it, because it may say where
/// the value goes; the record keeps it for the deletion.
pub(super) fn target(entry: &PushData) -> PushTarget {
    let place = &entry.match_.remote_ref;
    PushTarget {
        remote_key: place.remote_key.clone(),
        property: property(place).map(str::to_owned),
        metadata: entry.metadata.clone(),
    }
}

/// The property, where one is given and not empty.
pub(super) fn property(place: &PushRemoteRef) -> Option<&str> {
    place.property.as_deref().filter(|text| !text.is_empty())
}

pub(super) fn namespace(object: &PushSecret) -> &str {
    object.metadata.namespace.as_deref().unwrap_or_default()
}
