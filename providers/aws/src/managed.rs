//! The mark of what the operator made: a tag that upstream sets and looks for too. Without it an
//! object is somebody else's and is neither changed nor deleted.

use std::collections::BTreeMap;

use lockstep_provider_api::lifecycle::{OtherTags, differing};
use lockstep_provider_api::prelude::*;

/// Name of the tag.
pub(crate) const KEY: &str = "managed-by";
/// Its value.
pub(crate) const VALUE: &str = "external-secrets";
/// Description of what is made without one.
pub(crate) const DESCRIPTION: &str = "secret 'managed-by:external-secrets'";

/// Tags by name.
pub(crate) type Tags = BTreeMap<String, String>;

/// Whether an object with these tags is ours.
pub(crate) fn is_ours(tags: &Tags) -> bool {
    tags.get(KEY).is_some_and(|value| value == VALUE)
}

/// Refuses to change what is somebody else's.
pub(crate) fn require(tags: &Tags, what: &str) -> Result<()> {
    if is_ours(tags) {
        return Ok(());
    }
    let text = format!(
        "{what} not managed by external-secrets (to hand it over, tag it {KEY}={VALUE}; or choose another \
         remoteKey)"
    );
    Err(Error::new(ErrorKind::Conflict, text).advised())
}

/// The tags that a push wants: the manifest's and the mark.
pub(crate) fn wanted(own: &Tags) -> Result<Tags> {
    if own.contains_key(KEY) {
        return Err(Error::invalid_spec(
            "error parsing tags in metadata: Cannot specify a 'managed-by' tag",
        ));
    }
    let mut tags = own.clone();
    tags.insert(KEY.to_owned(), VALUE.to_owned());
    Ok(tags)
}

/// Names of tags that are there and have to go, and whether any wanted one is missing or different.
pub(crate) fn changes(there: &Tags, wanted: &Tags, others: OtherTags) -> (Vec<String>, bool) {
    let surplus = there
        .keys()
        .filter(|key| others == OtherTags::Remove && !wanted.contains_key(*key));
    let differs = !differing(there, wanted).is_empty();
    (surplus.cloned().collect(), differs)
}
