//! Why a Secret would be written although no manifest says so. Pure.

use k8s_openapi::api::core::v1::Secret;

use crate::edited::is_edited;

/// The cause of a write that the manifests do not explain.
pub(super) fn of_itself(before: Option<&Secret>, after: Option<&Secret>) -> &'static str {
    match (before, after) {
        (None, _) => "its Secret is not there",
        (Some(_), None) => "the stores have no data for it",
        (Some(before), Some(_)) if is_edited(before) => {
            "its Secret was edited after the operator wrote it"
        }
        (Some(_), Some(_)) => "its refresh is due, and the stores have other values",
    }
}
