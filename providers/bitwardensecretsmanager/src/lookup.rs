//! Which secret a key means: that of an id, or the one of a name in the store's project. Names are
//! not unique at Bitwarden, so that more than one is an error.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{missing, missing_kept};

use crate::api::{Api, Secret};

const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// The secret of a key; a missing one is an error that deletes nothing, as upstream has it.
pub(crate) async fn secret(api: &Api, key: &str) -> Result<Secret> {
    if is_id(key) {
        return of_id(api, key).await;
    }
    in_project(api, key).await?.ok_or_else(|| {
        missing(format!(
            "no secret found for project id {} and name {key}",
            api.project
        ))
    })
}

/// The secret of an id.
pub(crate) async fn of_id(api: &Api, id: &str) -> Result<Secret> {
    let secret = api.read(id).await.map_err(missing_kept);
    secret.map_err(|error| error.context("failed to get secret"))
}

/// The secret of a name in the store's project; `None` where there is none.
pub(crate) async fn in_project(api: &Api, name: &str) -> Result<Option<Secret>> {
    let found = named(api, name).await;
    let mut found = found
        .map_err(|error| error.context("failed to get secret"))?
        .into_iter();
    match (found.next(), found.next()) {
        (first, None) => Ok(first),
        _ => Err(Error::invalid_data(format!(
            "failed to get secret: more than one secret found for project {} with key {name}",
            api.project
        ))),
    }
}

/// All secrets of a name in the store's project.
pub(crate) async fn named(api: &Api, name: &str) -> Result<Vec<Secret>> {
    let listed = api.list().await;
    let listed = listed.map_err(|error| error.context("failed to get all secrets"))?;
    let mut found = Vec::new();
    for entry in listed.into_iter().filter(|entry| entry.key == name) {
        let secret = of_id(api, &entry.id).await?;
        if secret.is_of(&api.project) {
            found.push(secret);
        }
    }
    Ok(found)
}

/// Whether a key is an id: a UUID whose dashes may be left out.
pub(crate) fn is_id(key: &str) -> bool {
    let mut rest = key;
    for (at, length) in GROUPS.into_iter().enumerate() {
        if at > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        match rest.split_at_checked(length) {
            Some((group, after)) if group.bytes().all(|c| c.is_ascii_hexdigit()) => rest = after,
            _ => return false,
        }
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_id;

    #[test]
    fn an_id_may_have_dashes_or_not() {
        for id in [
            "0ccccccc-1111-4111-8111-000000000000",
            "0CCCCCCC-1111-4111-8111-000000000000",
            "0ccccccc111141118111000000000000",
        ] {
            assert!(is_id(id), "{id}");
        }
        for name in ["", "k", "0ccccccc-1111-4111-8111-00000000000g", "värde"] {
            assert!(!is_id(name), "{name}");
        }
        assert!(!is_id("0ccccccc-1111-4111-8111-0000000000000"));
    }
}
