//! Writing: what is there is read first, and only what differs is written. Values of keys and
//! certificates are compared by their public part.

use std::collections::BTreeMap;

use lockstep_provider_api::http::{Method, encode_component};
use lockstep_provider_api::metadata;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use crate::api::{Call, Vault};
use crate::managed;
use crate::object::{Kind, Object};
use crate::read::{Bundle, Path};

mod certificate;
mod key;
mod secret;

/// Tags by name.
pub(crate) type Tags = BTreeMap<String, String>;

/// `metadata.spec` of a push entry.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Metadata {
    expiration_date: Option<String>,
    content_type: Option<String>,
    tags: Tags,
}

/// What a push writes beside the value.
struct Wanted {
    /// End of the value's life in seconds since 1970.
    expires: Option<i64>,
    content_type: Option<String>,
    tags: Tags,
}

/// Writes the value of a push entry. `kept` are tags that stay although the push does not name them.
pub(crate) async fn push(
    vault: &Vault,
    item: &PushItem,
    path: Path,
    kept: &Tags,
) -> Result<Pushed> {
    let wanted = wanted(item, kept)?;
    let object = Object::to_push(&item.target.remote_key)?;
    let value = item.value_or_empty();
    let there = there(vault, &object).await?;
    if let Some(there) = &there
        && !managed::may_change(there, object.kind, path)
    {
        return Err(managed::refused(&object, path));
    }
    let prepared = match object.kind {
        Kind::Secret => secret::prepare(&value, &wanted, there.as_ref(), path)?,
        Kind::Certificate => certificate::prepare(&value, &wanted, there.as_ref())?,
        Kind::Key => key::prepare(&value, &wanted, there.as_ref())?,
    };
    let Some(body) = prepared else {
        return Ok(Pushed::Unchanged);
    };
    write(vault, &object, &body).await?;
    Ok(match there {
        Some(_) => Pushed::Updated,
        None => Pushed::Created,
    })
}

/// Writes the value over a version that cannot be read and so not be compared with.
pub(crate) async fn push_over(
    vault: &Vault,
    item: &PushItem,
    path: Path,
    kept: &Tags,
) -> Result<Pushed> {
    let wanted = wanted(item, kept)?;
    let object = Object::to_push(&item.target.remote_key)?;
    let value = item.value_or_empty();
    let prepared = match object.kind {
        Kind::Secret => secret::prepare(&value, &wanted, None, path)?,
        Kind::Certificate => certificate::prepare(&value, &wanted, None)?,
        Kind::Key => key::prepare(&value, &wanted, None)?,
    };
    if let Some(body) = prepared {
        write(vault, &object, &body).await?;
    }
    Ok(Pushed::Updated)
}

/// What the vault has under a name; `None` for nothing.
async fn there(vault: &Vault, object: &Object) -> Result<Option<Bundle>> {
    match vault.get(object.kind, &object.name, None).await {
        Ok(answer) => Bundle::parse(&answer.into_secret()).map(Some),
        Err(failure) if failure.is_missing() => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

async fn write(vault: &Vault, object: &Object, body: &Value) -> Result<()> {
    let name = encode_component(&object.name);
    let (operation, method, path, verb) = match object.kind {
        Kind::Secret => ("SetSecret", Method::PUT, format!("secrets/{name}"), "set"),
        Kind::Key => ("ImportKey", Method::PUT, format!("keys/{name}"), "import"),
        Kind::Certificate => {
            let path = format!("certificates/{name}/import");
            ("ImportCertificate", Method::POST, path, "import")
        }
    };
    let call = Call {
        operation,
        kind: object.kind,
        name: &object.name,
    };
    match vault.call(call, method, &path, Some(body)).await {
        Ok(_) => Ok(()),
        Err(failure) => Err(Error::from(failure).context(format!(
            "could not {verb} {} {}",
            object.kind.noun(),
            object.name
        ))),
    }
}

/// The tags that a push names, without the mark.
pub(crate) fn named_tags(item: &PushItem) -> Result<Tags> {
    let tags = metadata_of(item)?.tags;
    managed::tags(&tags)?;
    Ok(tags)
}

fn metadata_of(item: &PushItem) -> Result<Metadata> {
    let metadata: Option<Metadata> = metadata::parse(item.metadata.as_ref())
        .map_err(|error| error.context("failed to parse push secret metadata"))?;
    Ok(metadata.unwrap_or_default())
}

fn wanted(item: &PushItem, kept: &Tags) -> Result<Wanted> {
    let metadata = metadata_of(item)?;
    let mut tags = kept.clone();
    tags.extend(managed::tags(&metadata.tags)?);
    let expires = metadata.expiration_date.as_deref();
    let expires = expires.filter(|date| !date.is_empty()).map(parse_date);
    Ok(Wanted {
        expires: expires.transpose()?,
        content_type: metadata.content_type.filter(|text| !text.is_empty()),
        tags,
    })
}

fn parse_date(text: &str) -> Result<i64> {
    let parsed: Result<jiff::Timestamp, _> = text.parse();
    parsed.map(jiff::Timestamp::as_second).map_err(|error| {
        Error::invalid_spec(format!(
            "error parsing expiration date in metadata: {error}. Expected format: \
             YYYY-MM-DDTHH:MM:SSZ (RFC3339). Example: 2024-12-31T20:00:00Z"
        ))
    })
}

/// Deletes what was pushed; what is somebody else's stays.
pub(crate) async fn delete(vault: &Vault, target: &PushTarget, path: Path) -> Result<()> {
    let object = Object::to_delete(&target.remote_key)?;
    let Some(there) = there(vault, &object).await? else {
        return Ok(());
    };
    if !managed::is_ours(&there) {
        let (noun, name) = (object.kind.noun(), &object.name);
        return match path {
            // The PushSecret keeps its finalizer, as upstream has it.
            Path::Legacy => Err(Error::new(
                ErrorKind::Conflict,
                format!("error getting {noun} {name}: not managed by external-secrets"),
            )),
            Path::Sdk => Ok(()),
        };
    }
    let call = Call {
        operation: match object.kind {
            Kind::Secret => "DeleteSecret",
            Kind::Certificate => "DeleteCertificate",
            Kind::Key => "DeleteKey",
        },
        kind: object.kind,
        name: &object.name,
    };
    let below = format!("{}/{}", object.kind.path(), encode_component(&object.name));
    match vault.call(call, Method::DELETE, &below, None).await {
        Err(failure) if failure.is_missing() => Ok(()),
        deleted => deleted.map(drop).map_err(Error::from),
    }
}

/// Whether there is something under a name.
pub(crate) async fn exists(vault: &Vault, target: &PushTarget) -> Result<bool> {
    let object = Object::to_delete(&target.remote_key)?;
    match vault.get(object.kind, &object.name, None).await {
        Ok(_) => Ok(true),
        Err(failure) if failure.is_missing() => Ok(false),
        Err(failure) => Err(failure.into()),
    }
}
