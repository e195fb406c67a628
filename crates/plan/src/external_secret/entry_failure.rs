//! Adds to a failure which entry of the spec it belongs to, for the event and for the condition.

use lockstep_api::ExternalSecret;

use crate::failure::Failure;
use crate::spec_entry::SpecEntry;
use crate::store_key::StoreKey;

/// Names the entry in the event and in the condition of a failure.
pub(super) fn fail_entry(entry: SpecEntry, object: &ExternalSecret, failure: Failure) -> Failure {
    let (label, described) = (entry.label(object), entry.described(object));
    failure
        .at_entry(entry)
        .with_event(|text| format!("error processing {label}, err: {text}"))
        .with_detail(|text| format!("{described}: {text}"))
}

/// Names the entry and the store it was read through, the store once.
pub(super) fn fail_entry_through(
    entry: SpecEntry,
    object: &ExternalSecret,
    store: &StoreKey,
    failure: Failure,
) -> Failure {
    let name = store.to_string();
    let failure = failure.from_store(store.clone());
    let named = failure.with_detail(|text| {
        if text.contains(&name) {
            text.to_owned()
        } else {
            format!("{name}: {text}")
        }
    });
    let origin = origin(entry, object, store);
    fail_entry(entry, object, named).with_event(|text| {
        if text.contains(&name) {
            text.to_owned()
        } else {
            format!("{text} ({origin})")
        }
    })
}

/// What an event adds to upstream's text, which names the key of `spec.data` alone and no store.
fn origin(entry: SpecEntry, object: &ExternalSecret, store: &StoreKey) -> String {
    let SpecEntry::DataFrom(at) = entry else {
        return store.to_string();
    };
    let written = object.spec.data_from.get(at);
    let extract = written.and_then(|entry| entry.extract.as_deref());
    match extract {
        Some(extract) => format!("key: {}, {store}", extract.key),
        None => store.to_string(),
    }
}
