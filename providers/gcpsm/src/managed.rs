//! The mark of what the operator made: a label that upstream sets and looks for too. Without it a
//! secret is somebody else's; it is neither replaced nor deleted.

use std::collections::BTreeMap;

use lockstep_provider_api::prelude::*;

/// Name of the label.
pub(crate) const KEY: &str = "managed-by";
/// Its value.
pub(crate) const VALUE: &str = "external-secrets";

/// Labels or annotations.
pub(crate) type Words = BTreeMap<String, String>;

/// Whether a secret with these labels is ours.
pub(crate) fn is_ours(labels: &Words) -> bool {
    labels.get(KEY).is_some_and(|value| value == VALUE)
}

/// Refuses to change what is somebody else's.
pub(crate) fn require(labels: &Words, key: &str) -> Result<()> {
    if is_ours(labels) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Conflict,
        format!(
            "secret {key} is not managed by external secrets; \
             to hand it over, set its label {KEY}={VALUE}"
        ),
    )
    .advised())
}

/// The labels and the mark.
pub(crate) fn marked(mut labels: Words) -> Words {
    labels.insert(KEY.to_owned(), VALUE.to_owned());
    labels
}
