//! Which secret a key means: that of an id, or the one of a name in the store's project. Names are
//! not unique at Bitwarden, so that more than one is an error.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{missing, missing_kept};
use lockstep_provider_kit::ids::is_uuid;

use crate::api::{Api, Secret};

/// The secret of a key; a missing one is an error that deletes nothing, as upstream has it.
pub(crate) async fn secret(api: &Api, key: &str) -> Result<Secret> {
    if is_uuid(key) {
        let found = api.read(key).await.map_err(missing_kept);
        return found.map_err(|error| error.context("failed to get secret"));
    }
    let found = in_project(api, key).await;
    found
        .map_err(|error| error.context("failed to get secret"))?
        .ok_or_else(|| {
            missing(format!(
                "no secret found for project id {} and name {key}",
                api.project
            ))
        })
}

/// The same for writes; `None` where there is none.
pub(crate) async fn existing(api: &Api, key: &str) -> Result<Option<Secret>> {
    if !is_uuid(key) {
        return in_project(api, key).await;
    }
    match api.read(key).await {
        Ok(secret) => Ok(Some(secret)),
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

async fn in_project(api: &Api, name: &str) -> Result<Option<Secret>> {
    let mut found = named(api, name).await?.into_iter();
    match (found.next(), found.next()) {
        (first, None) => Ok(first),
        _ => Err(Error::invalid_data(format!(
            "more than one secret found for project {} with key {name}",
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
        match api.read(&entry.id).await {
            Ok(secret) if secret.project_id.as_deref() == Some(&api.project) => found.push(secret),
            // Of another project, or deleted since the list.
            Ok(_) => {}
            Err(error) if error.kind() == &ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}
