//! Collects what would be pushed to stores and deleted from them.

use std::sync::Arc;

use lockstep_plan::StoreKey;
use lockstep_provider_api::{PushItem, PushTarget, SecretValue};
use lockstep_remote::Rehearsal;
use parking_lot::Mutex;

use crate::intent::RemoteIntent;

/// What would be written to stores since the last look.
#[derive(Default)]
pub(crate) struct Pushes(Mutex<Vec<RemoteIntent>>);

impl Pushes {
    pub(crate) fn shared() -> Arc<Self> {
        Arc::default()
    }

    /// Hands out what was collected, in the order of places.
    pub(crate) fn take(&self) -> Vec<RemoteIntent> {
        let mut taken = std::mem::take(&mut *self.0.lock());
        taken.sort_by(|one, other| {
            let place = |intent: &RemoteIntent| {
                (
                    intent.store.clone(),
                    intent.remote_key.clone(),
                    intent.property.clone(),
                )
            };
            place(one).cmp(&place(other))
        });
        taken
    }

    fn note(
        &self,
        store: &StoreKey,
        target: &PushTarget,
        value: Option<SecretValue>,
        there: Option<bool>,
    ) {
        self.0.lock().push(RemoteIntent {
            store: store.clone(),
            remote_key: target.remote_key.clone(),
            property: target.property.clone(),
            value,
            there,
        });
    }
}

impl Rehearsal for Pushes {
    fn would_push(&self, store: &StoreKey, item: &PushItem, there: Option<bool>) {
        self.note(store, &item.target, Some(pushed(item)), there);
    }

    fn would_delete(&self, store: &StoreKey, target: &PushTarget, there: Option<bool>) {
        self.note(store, target, None, there);
    }
}

/// The value of an item. A whole Secret is shown by its keys and values one after another: it is only
/// measured and hashed.
fn pushed(item: &PushItem) -> SecretValue {
    if let Some(key) = &item.secret_key {
        return item.source.get(key).cloned().unwrap_or_else(|| "".into());
    }
    let mut bytes = Vec::new();
    for (key, value) in item.source.iter() {
        bytes.extend_from_slice(key.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(value.expose());
        bytes.push(0);
    }
    SecretValue::new(bytes)
}
