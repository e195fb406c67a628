//! The finalizer of a store: it stays while a PushSecret may still have to delete something through
//! the store, and goes with the last of them.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::keys::FINALIZER_STORE;
use serde_json::Value;

use crate::meta;

/// Whether the store waits for PushSecrets.
pub fn has_finalizer(store: &ObjectMeta) -> bool {
    meta::has_finalizer(store, FINALIZER_STORE)
}

/// Merge patch that makes the finalizer as it should be; `None` when it is. A store that is being
/// deleted gets none any more.
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

    #[test]
    fn nothing_is_written_when_all_is_as_it_should_be() {
        assert_eq!(settle_finalizer(&store(&[FINALIZER_STORE]), true), None);
        assert_eq!(settle_finalizer(&store(&[]), false), None);
    }
}
