//! The mark of what the operator made: a tag that upstream sets and looks for too. Without it an
//! object is somebody else's and is neither changed nor deleted.

use std::collections::BTreeMap;

use lockstep_provider_api::prelude::*;

use crate::object::{Kind, Object};
use crate::read::{Bundle, Path};

const KEY: &str = "managed-by";
const VALUE: &str = "external-secrets";

/// Whether a push may change an object. The newer client of the original operator takes keys and
/// certificates without any tag for its own.
pub(crate) fn may_change(bundle: &Bundle, kind: Kind, path: Path) -> bool {
    let untagged = bundle.tags.as_ref().is_none_or(BTreeMap::is_empty);
    is_ours(bundle) || (path == Path::Sdk && kind != Kind::Secret && untagged)
}

/// Whether the operator made an object.
pub(crate) fn is_ours(bundle: &Bundle) -> bool {
    has_mark(bundle.tags.as_ref())
}

/// Whether tags have the mark.
pub(crate) fn has_mark(tags: Option<&BTreeMap<String, String>>) -> bool {
    let tag = tags.and_then(|tags| tags.get(KEY));
    tag.is_some_and(|value| value == VALUE)
}

/// Somebody else's object must not be changed.
pub(crate) fn refused(object: &Object, path: Path) -> Error {
    let (noun, name) = (object.kind.noun(), &object.name);
    let text = match path {
        Path::Legacy => format!("cannot get {noun} {name}: not managed by external-secrets"),
        Path::Sdk => format!("{noun} {name} not managed by external-secrets"),
    };
    Error::new(ErrorKind::Conflict, text)
}

/// The tags that a push writes: the manifest's and the mark.
pub(crate) fn tags(own: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>> {
    if own.contains_key(KEY) {
        return Err(Error::invalid_spec(
            "error parsing tags in metadata: Cannot specify a 'managed-by' tag",
        ));
    }
    let mut tags = own.clone();
    tags.insert(KEY.to_owned(), VALUE.to_owned());
    Ok(tags)
}
