//! Soft-deleted and disabled objects of a vault: recovering, purging, enabling, and what purge
//! protection forbids. Key Vault works on after it has answered, so that each change is waited for.

use std::time::Duration;

use futures_util::future::BoxFuture;
use lockstep_provider_api::http::{Method, encode_component};
use lockstep_provider_api::lifecycle::{
    Backend, Description, Lifecycle, Purging, Shape, State, differing,
};
use lockstep_provider_api::prelude::*;
use serde_json::json;

use crate::api::{Call, Vault};
use crate::error::Failure;
use crate::object::{Kind, Object};
use crate::push::Tags;
use crate::store::AzureStore;
use crate::{find, managed, push};

/// How often, and how many times, a change is looked for.
const PAUSE: Duration = Duration::from_secs(1);
const LOOKS: u32 = 60;

mod look;

pub(crate) use look::is_protected;
use look::{deleted, describe, look, newest};

impl Lifecycle for AzureStore {
    fn backend(&self) -> Backend {
        Backend {
            name: "Azure Key Vault",
            shape: Shape::Any,
            window: None,
        }
    }

    fn describe<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Description>> {
        Box::pin(async move { describe(self.vault()?, &Object::to_push(key)?).await })
    }

    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            let mut names = find::names(self.vault()?, "GetSecrets", "secrets").await?;
            names.extend(find::names(self.vault()?, "GetDeletedSecrets", "deletedsecrets").await?);
            names.retain(|name| name.starts_with(prefix));
            names.sort();
            names.dedup();
            Ok(names)
        })
    }

    fn put<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Pushed>> {
        Box::pin(async move {
            let vault = self.vault()?;
            let object = Object::to_push(&item.target.remote_key)?;
            let (description, kept) = look(vault, &object).await?;
            let mut looks = 0;
            loop {
                let pushed = match description.state {
                    State::Disabled | State::Expired | State::NotYetValid => {
                        push::push_over(vault, item, self.path(), &kept).await
                    }
                    _ => push::push(vault, item, self.path(), &kept).await,
                };
                match pushed {
                    Err(error) if is_being_changed(&error) && looks < LOOKS => {
                        looks += 1;
                        vault.ctx().time().sleep(PAUSE).await;
                    }
                    other => return other,
                }
            }
        })
    }

    fn differing_tags<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            let wanted = push::named_tags(item)?;
            if wanted.is_empty() {
                return Ok(Vec::new());
            }
            let object = Object::to_push(&item.target.remote_key)?;
            let (_, present) = look(self.vault()?, &object).await?;
            Ok(differing(&present, &wanted))
        })
    }

    fn set_tags<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let object = Object::to_push(&item.target.remote_key)?;
            tag(self.vault()?, &object, push::named_tags(item)?).await
        })
    }

    fn adopt<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let mark = managed::tags(&Tags::new())?;
            tag(self.vault()?, &Object::to_push(key)?, mark).await
        })
    }

    fn delete<'a>(&'a self, key: &'a str, _: Option<u32>) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move { delete(self.vault()?, &Object::to_push(key)?).await })
    }

    fn restore<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move { restore(self.vault()?, &Object::to_push(key)?).await })
    }

    fn purge<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move { purge(self.vault()?, &Object::to_push(key)?).await })
    }
}

/// Whether a write met an operation that the vault has not finished.
fn is_being_changed(error: &Error) -> bool {
    *error.kind() == ErrorKind::Conflict && error.to_string().contains("ObjectIsBeing")
}

/// Sets tags of the newest version beside those that it has.
async fn tag(vault: &Vault, object: &Object, tags: Tags) -> Result<()> {
    let newest = newest(vault, object).await?;
    let mut all = newest.tags.unwrap_or_default();
    all.extend(tags);
    let body = json!({ "tags": all });
    patch(vault, object, &newest.version, &body).await
}

async fn patch(
    vault: &Vault,
    object: &Object,
    version: &str,
    body: &serde_json::Value,
) -> Result<()> {
    let path = format!(
        "{}/{}/{}",
        object.kind.path(),
        encode_component(&object.name),
        encode_component(version)
    );
    let call = call("UpdateSecret", object);
    vault.call(call, Method::PATCH, &path, Some(body)).await?;
    Ok(())
}

async fn delete(vault: &Vault, object: &Object) -> Result<State> {
    let path = format!("{}/{}", object.kind.path(), encode_component(&object.name));
    let call = call("DeleteSecret", object);
    match vault.call(call, Method::DELETE, &path, None).await {
        // Deleted already, or never there.
        Err(failure) if failure.is_missing() => {
            return Ok(describe(vault, object).await?.state);
        }
        Err(failure) => return Err(failure.into()),
        Ok(_) => {}
    }
    // Without soft deletion nothing is left to wait for.
    let state = wait(vault, || async {
        let state = describe(vault, object).await?.state;
        Ok((state != State::Available && state != State::Missing).then_some(state))
    });
    Ok(state.await?.unwrap_or(State::Missing))
}

async fn restore(vault: &Vault, object: &Object) -> Result<State> {
    let before = describe(vault, object).await?.state;
    if matches!(
        before,
        State::Disabled | State::Expired | State::NotYetValid
    ) {
        let newest = newest(vault, object).await?;
        let body = json!({ "attributes": { "enabled": true } });
        patch(vault, object, &newest.version, &body).await?;
        return Ok(describe(vault, object).await?.state);
    }
    let path = format!(
        "deleted{}/{}/recover",
        object.kind.path(),
        encode_component(&object.name)
    );
    let call = call("RecoverDeletedSecret", object);
    match vault.call(call, Method::POST, &path, None).await {
        // Another run was faster; what follows tells.
        Err(failure) if failure.is_missing() || is_conflict(&failure) => {}
        Err(failure) => return Err(failure.into()),
        Ok(_) => {}
    }
    let state = wait(vault, || async {
        let state = describe(vault, object).await?.state;
        let done = !matches!(
            state,
            State::Missing | State::PendingDeletion { .. } | State::PurgeBlocked { .. }
        );
        Ok(done.then_some(state))
    });
    Ok(state.await?.unwrap_or(State::Changing))
}

async fn purge(vault: &Vault, object: &Object) -> Result<State> {
    let description = describe(vault, object).await?;
    if description.purging == Purging::Blocked {
        return Err(Error::new(
            ErrorKind::Conflict,
            "purge protection of the vault forbids to purge it",
        )
        .advised());
    }
    match description.state {
        State::Missing => return Ok(State::Missing),
        State::PendingDeletion { .. } => {}
        _ => drop(delete(vault, object).await?),
    }
    let path = format!(
        "deleted{}/{}",
        object.kind.path(),
        encode_component(&object.name)
    );
    let call = call("PurgeDeletedSecret", object);
    match vault.call(call, Method::DELETE, &path, None).await {
        Err(failure) if failure.is_missing() => return Ok(State::Missing),
        Err(failure) => return Err(failure.into()),
        Ok(_) => {}
    }
    let gone = wait(vault, || async {
        Ok(deleted(vault, object).await?.is_none().then_some(()))
    });
    Ok(match gone.await? {
        Some(()) => State::Missing,
        None => State::Changing,
    })
}

fn is_conflict(failure: &Failure) -> bool {
    *failure.error.kind() == ErrorKind::Conflict
}

fn call<'a>(operation: &'static str, object: &'a Object) -> Call<'a> {
    Call {
        operation: match (object.kind, operation) {
            (Kind::Certificate, "DeleteSecret") => "DeleteCertificate",
            (Kind::Key, "DeleteSecret") => "DeleteKey",
            _ => operation,
        },
        kind: object.kind,
        name: &object.name,
    }
}

/// Looks until something is there; `None` when that takes too long.
async fn wait<T, F>(vault: &Vault, look: impl Fn() -> F + Send + Sync) -> Result<Option<T>>
where
    T: Send,
    F: Future<Output = Result<Option<T>>> + Send,
{
    for _ in 0..LOOKS {
        if let Some(seen) = look().await? {
            return Ok(Some(seen));
        }
        vault.ctx().time().sleep(PAUSE).await;
    }
    look().await
}
