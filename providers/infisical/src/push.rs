//! Writes: a secret, or one property of a JSON object in it. Reads before it writes and leaves what is
//! equal alone. Writes name the project by its id, which is looked up once a connection.

use std::sync::{Mutex, PoisonError};

use lockstep_provider_api::json::to_json_object_escaped;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{self, Dots};
use lockstep_provider_kit::dialect::is_object;

use crate::address::SecretAddress;
use crate::api::{Imports, Write};
use crate::store::InfisicalStore;

/// The id of the store's project, once it is known.
#[derive(Default)]
pub(crate) struct Projects(Mutex<Option<String>>);

impl Projects {
    fn known(&self) -> Option<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, id: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = id;
    }
}

/// Writes a value or sets a property.
pub(crate) async fn push(store: &InfisicalStore, item: &PushItem) -> Result<Pushed> {
    let at = address(store, &item.target)?;
    let payload = payload(item)?;
    let existing = existing(store, &at).await?;
    let value = match item.target.wanted_property() {
        None => payload,
        Some(property) => {
            let base = existing.clone().unwrap_or_else(|| "{}".into());
            property::set(&base, property, &payload)?
        }
    };
    let Some(existing) = existing else {
        write(store, &at, || Write::Create(value.clone()), "create").await?;
        return Ok(Pushed::Created);
    };
    if existing == value {
        return Ok(Pushed::Unchanged);
    }
    write(store, &at, || Write::Update(value.clone()), "update").await?;
    Ok(Pushed::Updated)
}

/// Removes a property, and the secret with its last one, or the whole secret.
pub(crate) async fn delete(store: &InfisicalStore, target: &PushTarget) -> Result<()> {
    let at = address(store, target)?;
    let Some(existing) = existing(store, &at).await? else {
        return Ok(());
    };
    if let Some(property) = target.wanted_property() {
        check_object(&existing, &at, property, "delete")?;
        if property::try_find(&existing, property, Dots::Raw)?.is_none() {
            return Ok(());
        }
        let left = property::remove(&existing, property)?;
        if !lockstep_provider_api::json::json_object(&left)?.is_empty() {
            return write(store, &at, || Write::Update(left.clone()), "update").await;
        }
    }
    match write(store, &at, || Write::Delete, "delete").await {
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Whether the secret, or the property of it, is there.
pub(crate) async fn exists(store: &InfisicalStore, target: &PushTarget) -> Result<bool> {
    let at = address(store, target)?;
    let Some(existing) = existing(store, &at).await? else {
        return Ok(false);
    };
    let Some(property) = target.wanted_property() else {
        return Ok(true);
    };
    check_object(&existing, &at, property, "check")?;
    Ok(property::try_find(&existing, property, Dots::Raw)?.is_some())
}

fn address(store: &InfisicalStore, target: &PushTarget) -> Result<SecretAddress> {
    if target.remote_key.is_empty() {
        return Err(Error::invalid_spec(
            "remoteKey is required to push a secret to Infisical",
        ));
    }
    Ok(store.address(&target.remote_key))
}

fn payload(item: &PushItem) -> Result<SecretValue> {
    let Some(key) = item.wanted_key() else {
        return Ok(to_json_object_escaped(&item.source));
    };
    item.source.get(key).cloned().ok_or_else(|| {
        Error::invalid_spec(format!("secret key {key:?} not found in the source secret"))
    })
}

async fn existing(store: &InfisicalStore, at: &SecretAddress) -> Result<Option<SecretValue>> {
    match store.api.read(at, Imports::LeftOut).await {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn check_object(value: &SecretValue, at: &SecretAddress, property: &str, verb: &str) -> Result<()> {
    if is_object(value) {
        return Ok(());
    }
    let name = &at.name;
    Err(Error::invalid_data(format!(
        "secret {name:?} value is not a JSON object; cannot {verb} property {property:?}"
    )))
}

/// Sends a write with the project's id. A 404 with an id that was known before may mean another
/// project of the same slug, so it is looked up once more.
async fn write(
    store: &InfisicalStore,
    at: &SecretAddress,
    write: impl Fn() -> Write,
    verb: &str,
) -> Result<()> {
    let known = store.projects.known();
    let first = match &known {
        Some(id) => id.clone(),
        None => resolved(store).await?,
    };
    let mut sent = store.api.write(write(), at, &first).await;
    let gone = |sent: &Result<()>| matches!(sent, Err(e) if e.kind() == &ErrorKind::NotFound);
    if known.is_some() && gone(&sent) {
        store.projects.set(None);
        let again = resolved(store).await?;
        sent = store.api.write(write(), at, &again).await;
    }
    sent.map_err(|error| error.context(format!("failed to {verb} secret {:?}", at.name)))
}

async fn resolved(store: &InfisicalStore) -> Result<String> {
    let id = store.api.project().await?;
    store.projects.set(Some(id.clone()));
    Ok(id)
}
