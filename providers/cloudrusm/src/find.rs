//! Searching: the backend selects by name, path and labels; values are read one by one. What vanishes
//! under way is left out; everything else that fails ends the search.

use lockstep_provider_api::keys::convert_keys;
use lockstep_provider_api::prelude::*;

use crate::api::{Api, LATEST};

/// The selected secrets by their paths.
pub(crate) async fn find(api: &Api, find: &Find) -> Result<SecretMap> {
    let has_tags = find.tags.as_ref().is_some_and(|tags| !tags.is_empty());
    if !has_tags && find.name.is_none() && find.path.is_none() {
        return Err(Error::invalid_spec(
            "at least one of the following fields must be set: tags, name, path",
        ));
    }
    let mut found = SecretMap::new();
    for secret in api.search(find).await? {
        match api.read(&secret.id, LATEST).await {
            Ok(value) => drop(found.insert(secret.path, value)),
            Err(error) if error.kind() == &ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    convert_keys(found, find.conversion)
}
