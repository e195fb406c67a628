//! The mark of what the operator made: custom metadata that upstream sets and looks for too; KV v1
//! keeps it in the secret itself. Without it a secret is somebody else's.

use lockstep_provider_api::json::Value;
use lockstep_provider_api::prelude::*;

use crate::api::{Members, Words, words};

/// Name of the mark.
pub(crate) const KEY: &str = "managed-by";
/// Its value.
pub(crate) const VALUE: &str = "external-secrets";
/// Member of a KV v1 secret that stands for custom metadata.
pub(crate) const CUSTOM: &str = "custom_metadata";

/// Whether a secret with this custom metadata is ours.
pub(crate) fn is_ours(custom: &Words) -> bool {
    custom.get(KEY).is_some_and(|value| value == VALUE)
}

/// Refuses to change what is somebody else's.
pub(crate) fn require(custom: &Words) -> Result<()> {
    if is_ours(custom) {
        return Ok(());
    }
    let text = format!(
        "secret not managed by external-secrets (to hand it over, set its custom metadata \
         {KEY}={VALUE})"
    );
    Err(Error::new(ErrorKind::Conflict, text).advised())
}

/// Custom metadata with the mark.
pub(crate) fn marked(mut custom: Words) -> Words {
    custom.insert(KEY.to_owned(), VALUE.to_owned());
    custom
}

/// Takes the custom metadata out of a KV v1 secret.
pub(crate) fn take(members: &mut Members) -> Words {
    members
        .remove(CUSTOM)
        .map(|custom| words(&custom))
        .unwrap_or_default()
}

/// Puts custom metadata into a KV v1 secret.
pub(crate) fn put(members: &mut Members, custom: Words) {
    let custom = custom.into_iter();
    let custom = custom.map(|(name, value)| (name, Value::String(value)));
    members.insert(CUSTOM.to_owned(), Value::Object(custom.collect()));
}
