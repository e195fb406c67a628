//! The finalizer of a store: it stays while a PushSecret may still have to delete something through
//! the store, and goes with the last of them.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::keys::FINALIZER_STORE;
use serde_json::Value;

use super::StoreRecord;
use crate::meta;
use crate::settings::Settings;

/// What a reconcile of a store knows before it decides.
#[derive(Clone, Debug)]
pub struct StoreObserved {
    /// The store.
    pub store: Arc<StoreRecord>,
    /// Whether a PushSecret needs it; `None` while not all PushSecrets are known.
    pub needed: Option<bool>,
    /// The PushSecrets that its deletion waits for, as `namespace/name`, in order.
    pub holders: Vec<String>,
}

/// Whether the store waits for PushSecrets.
pub fn has_finalizer(store: &ObjectMeta) -> bool {
    meta::has_finalizer(store, FINALIZER_STORE)
}

/// Merge patch that makes the finalizer as it should be; `None` when it is, when the store belongs to
/// another controller class, or while not all PushSecrets are known. With PushSecrets switched off nobody
/// needs it.
pub fn finalizer_patch(observed: &StoreObserved, settings: &Settings) -> Option<Value> {
    let store = &observed.store;
    if store.view.is_foreign_to(&settings.class) {
        return None;
    }
    let needed = if settings.push_secrets {
        observed.needed?
    } else {
        false
    };
    settle_finalizer(&store.metadata, needed)
}

/// Whether a store that is being deleted was let go by the write that made `after` of it.
pub fn is_released(before: &StoreRecord, after: &StoreRecord) -> bool {
    after.view.deleting && has_finalizer(&before.metadata) && !has_finalizer(&after.metadata)
}

/// The same for metadata. A store that is being deleted gets no finalizer any more.
pub fn settle_finalizer(store: &ObjectMeta, needed: bool) -> Option<Value> {
    match (has_finalizer(store), needed) {
        (true, false) => Some(meta::remove_finalizer(store, FINALIZER_STORE)),
        (false, true) if store.deletion_timestamp.is_none() => {
            Some(meta::add_finalizer(store, FINALIZER_STORE))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use serde_json::json;

    use super::*;

    fn store(finalizers: &[&str]) -> ObjectMeta {
        ObjectMeta {
            finalizers: Some(finalizers.iter().map(|&name| name.to_owned()).collect()),
            resource_version: Some("7".to_owned()),
            ..ObjectMeta::default()
        }
    }

    #[test]
    fn a_store_in_use_gets_the_finalizer_beside_others() {
        let patch = settle_finalizer(&store(&["mine"]), true);

        let finalizers = ["mine", FINALIZER_STORE];
        let expected = json!({"metadata": {"finalizers": finalizers, "resourceVersion": "7"}});
        assert_eq!(patch, Some(expected));
    }

    #[test]
    fn a_store_nobody_needs_is_let_go_and_others_stay() {
        let patch = settle_finalizer(&store(&["mine", FINALIZER_STORE]), false);

        let expected = json!({"metadata": {"finalizers": ["mine"], "resourceVersion": "7"}});
        assert_eq!(patch, Some(expected));
    }

    #[test]
    fn a_store_that_is_being_deleted_gets_no_finalizer() {
        let mut store = store(&[]);
        store.deletion_timestamp = Some(Time(jiff::Timestamp::UNIX_EPOCH));

        assert_eq!(settle_finalizer(&store, true), None);
    }

    fn observed(needed: Option<bool>) -> StoreObserved {
        let store = crate::testing::ready_store("s");
        StoreObserved {
            store: Arc::new(StoreRecord::from(store)),
            needed,
            holders: Vec::new(),
        }
    }

    #[test]
    fn the_finalizer_waits_until_all_push_secrets_are_known() {
        let settings = Settings {
            push_secrets: true,
            ..Settings::default()
        };

        assert!(finalizer_patch(&observed(Some(true)), &settings).is_some());
        assert_eq!(finalizer_patch(&observed(None), &settings), None);
    }

    #[test]
    fn nobody_needs_a_store_while_push_secrets_are_off() {
        let settings = Settings {
            push_secrets: false,
            ..Settings::default()
        };
        let mut held = observed(None);
        let mut store = StoreRecord::clone(&held.store);
        store.metadata.finalizers = Some(vec![FINALIZER_STORE.to_owned()]);
        held.store = Arc::new(store);

        assert!(finalizer_patch(&held, &settings).is_some());
        assert_eq!(finalizer_patch(&observed(Some(true)), &settings), None);
    }

    #[test]
    fn nothing_is_written_when_all_is_as_it_should_be() {
        assert_eq!(settle_finalizer(&store(&[FINALIZER_STORE]), true), None);
        assert_eq!(settle_finalizer(&store(&[]), false), None);
    }
}
