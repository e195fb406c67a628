//! Writes: a value that differs becomes a new version of the secret. A secret that is not seen is made,
//! which the backend refuses where it is there after all.

use lockstep_provider_api::json::to_json_object_escaped;
use lockstep_provider_api::prelude::*;

use crate::api::{Api, Bundle};

/// Writes one key of a Secret, or all of them as JSON.
pub(crate) async fn push(api: &Api, item: &PushItem) -> Result<Pushed> {
    if !api.can_push() {
        return Err(Error::invalid_spec(
            "SecretStore must reference encryption key",
        ));
    }
    let value = match item.wanted_key() {
        Some(_) => item.value()?,
        None => to_json_object_escaped(&item.source),
    };
    let name = &item.target.remote_key;
    match seen(api, name).await? {
        None => {
            api.create(name, &value).await?;
            Ok(Pushed::Created)
        }
        Some(held) if held.value == value => Ok(Pushed::Unchanged),
        Some(held) => {
            api.update(&held.id, &value).await?;
            Ok(Pushed::Updated)
        }
    }
}

/// Schedules the deletion of a secret; one that is gone or going already is no error.
pub(crate) async fn delete(api: &Api, target: &PushTarget) -> Result<()> {
    match seen(api, &target.remote_key).await? {
        Some(held) if !held.is_ending => api.schedule_deletion(&held.id).await,
        _ => Ok(()),
    }
}

/// Whether a secret is seen.
pub(crate) async fn exists(api: &Api, target: &PushTarget) -> Result<bool> {
    Ok(seen(api, &target.remote_key).await?.is_some())
}

async fn seen(api: &Api, name: &str) -> Result<Option<Bundle>> {
    match api.read(name, None).await {
        Ok(held) => Ok(Some(held)),
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
