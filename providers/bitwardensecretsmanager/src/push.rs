//! Writes: a secret of the same name, note and project is changed where its value differs; otherwise
//! a new one is made. Deletes by id or by name in the store's project.

use lockstep_provider_api::prelude::*;

use crate::api::{Api, Draft};
use crate::lookup;

/// Writes one key of a Secret, or the whole of it as JSON.
pub(crate) async fn push(api: &Api, item: &PushItem) -> Result<Pushed> {
    let value = item.value()?;
    let draft = Draft {
        key: &item.target.remote_key,
        value: value.expose_utf8()?,
        note: note(item),
    };
    for secret in lookup::named(api, draft.key).await? {
        if secret.note != draft.note {
            continue;
        }
        if secret.value == draft.value {
            return Ok(Pushed::Unchanged);
        }
        api.update(&secret.id, &draft).await?;
        return Ok(Pushed::Updated);
    }
    api.create(&draft).await?;
    Ok(Pushed::Created)
}

/// Deletes a secret; one that is gone already is no error.
pub(crate) async fn delete(api: &Api, target: &PushTarget) -> Result<()> {
    let Some(secret) = lookup::existing(api, &target.remote_key).await? else {
        return Ok(());
    };
    match api.delete(&secret.id).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(()),
        deleted => deleted,
    }
}

/// The `note` of the entry's metadata.
fn note(item: &PushItem) -> &str {
    let metadata = item.metadata.as_ref().or(item.target.metadata.as_ref());
    let note = metadata.and_then(|metadata| metadata.get("note")?.as_str());
    note.unwrap_or_default()
}
