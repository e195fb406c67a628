//! Whether a Secret still holds what an operator last wrote to it, by the hash it left there.

use k8s_openapi::api::core::v1::Secret;
use lockstep_api::keys::ANNOTATION_DATA_HASH;
use lockstep_golang::fmt::data_hash;

/// Whether a Secret no longer holds what was last written to it.
pub(crate) fn is_edited(secret: &Secret) -> bool {
    let annotations = secret.metadata.annotations.as_ref();
    let noted = annotations.and_then(|annotations| annotations.get(ANNOTATION_DATA_HASH));
    let data = secret.data.iter().flatten();
    let hash = data_hash(data.map(|(key, value)| (key.as_str(), value.0.as_slice())));
    noted.is_some_and(|noted| *noted != hash)
}
