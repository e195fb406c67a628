//! Writes: a value that differs becomes a new version, and the version before is disabled. Upstream's
//! order of requests: the new value is readable before the old one is not.

use lockstep_provider_api::prelude::*;

use crate::api::Api;
use crate::key::Name;

const LATEST: &str = "latest";

/// Writes one key of a Secret.
pub(crate) async fn push(api: &Api, item: &PushItem) -> Result<Pushed> {
    if item.wanted_key().is_none() {
        return Err(Error::unsupported(
            "pushing the whole secret is not yet implemented",
        ));
    }
    let value = item.value()?;
    let name = Name::parse(&item.target.remote_key, "pushed")?;
    let Some(secret) = api.named(&name).await? else {
        let id = api.create(&name).await?;
        api.add_version(&id, &value).await?;
        return Ok(Pushed::Created);
    };
    let previous = match api.revision(&secret.id, LATEST).await {
        Ok(revision) => Some(revision),
        // A secret without a version: an earlier push may have ended between both requests.
        Err(error) if error.kind() == &ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(revision) = previous {
        let held = api.access(&secret.id, &revision.to_string()).await?;
        if held == value {
            return Ok(Pushed::Unchanged);
        }
    }
    api.add_version(&secret.id, &value).await?;
    if let Some(revision) = previous {
        api.disable(&secret.id, revision).await?;
    }
    Ok(Pushed::Updated)
}

/// Deletes a secret; one that is gone already is no error.
pub(crate) async fn delete(api: &Api, target: &PushTarget) -> Result<()> {
    let name = Name::parse(&target.remote_key, "deleted")?;
    let Some(secret) = api.named(&name).await? else {
        return Ok(());
    };
    match api.delete(&secret.id).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(()),
        deleted => deleted,
    }
}
