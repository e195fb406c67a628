//! Reading one object: the vault's whole answer is read once, and everything a manifest can ask of
//! it (value, property, tags, members) is taken out of it here, without asking again.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lockstep_provider_api::json::json_object;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{self, Dots};
use lockstep_provider_api::read::mismatch;
use serde::Deserialize;

use crate::api::Vault;
use crate::metadata;
use crate::object::{Kind, Object};
use crate::spec::AzureSpec;
use crate::state;

mod jwk;

/// Which of the two clients of the original operator a store follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// The older one.
    Legacy,
    /// That of `useAzureSDK`.
    Sdk,
}

impl Path {
    pub(crate) fn of(spec: &AzureSpec) -> Self {
        if spec.use_azure_sdk {
            Self::Sdk
        } else {
            Self::Legacy
        }
    }
}

/// What a vault answers to a read of any kind of object, as far as it is used.
#[derive(Deserialize)]
pub(crate) struct Bundle {
    /// Value of a secret.
    pub(crate) value: Option<String>,
    #[serde(rename = "contentType")]
    pub(crate) content_type: Option<String>,
    /// Public part of a key.
    pub(crate) key: Option<serde_json::Map<String, serde_json::Value>>,
    /// The certificate in base64 of DER.
    pub(crate) cer: Option<String>,
    pub(crate) tags: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub(crate) attributes: Attributes,
}

/// Times are seconds since 1970.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Attributes {
    pub(crate) nbf: Option<i64>,
    pub(crate) exp: Option<i64>,
    pub(crate) created: Option<i64>,
    pub(crate) updated: Option<i64>,
    pub(crate) enabled: Option<bool>,
    /// Whether deleted objects can be recovered and purged.
    #[serde(rename = "recoveryLevel")]
    pub(crate) level: Option<String>,
    #[serde(rename = "recoverableDays")]
    pub(crate) recoverable_days: Option<u32>,
}

impl Bundle {
    /// Reads an answer. An error never holds the content.
    pub(crate) fn parse(raw: &SecretValue) -> Result<Self> {
        serde_json::from_slice(raw.expose()).map_err(|error| {
            Error::invalid_data(format!(
                "the answer of the vault is not the JSON expected at line {} column {}",
                error.line(),
                error.column()
            ))
        })
    }

    /// Its certificate in DER.
    pub(crate) fn certificate(&self) -> Result<Vec<u8>> {
        let text = self.cer.as_deref().unwrap_or_default();
        let der = STANDARD.decode(text);
        der.map_err(|_| Error::invalid_data("the certificate in the vault's answer is not base64"))
    }
}

/// The vault's whole answer to a reference.
pub(crate) async fn raw(vault: &Vault, reference: &RemoteRef) -> Result<SecretValue> {
    let object = Object::to_read(&reference.key)?;
    let version = reference.wanted_version();
    match vault.get(object.kind, &object.name, version).await {
        Ok(answer) => Ok(answer.into_secret()),
        Err(failure) if failure.is_missing() => Err(state::of_missing(vault, &object).await),
        Err(failure) => Err(failure.into()),
    }
}

/// The read of the whole answer that a read is a part of: one for all ways to write its key.
pub(crate) fn containing_read(read: &Read) -> Option<Read> {
    let reference = read.reference()?;
    let object = Object::to_read(&reference.key).ok()?;
    if matches!(read, Read::Map(_)) && object.kind != Kind::Secret {
        return None;
    }
    Some(Read::Raw(RemoteRef {
        key: format!("{}/{}", object.kind.prefix(), object.name),
        version: reference.wanted_version().map(str::to_owned),
        ..RemoteRef::default()
    }))
}

/// What a read gives, out of the outcome of its whole.
pub(crate) fn extract_from(
    read: &Read,
    containing: &Result<Payload>,
    path: Path,
) -> Result<Payload> {
    let raw = match containing {
        Ok(Payload::Value(raw)) => raw,
        Ok(Payload::Map(_)) => return Err(mismatch()),
        Err(error) => return Err(error.duplicate()),
    };
    match read {
        Read::Raw(_) => Ok(Payload::Value(raw.clone())),
        Read::Value(reference) => value(raw, reference, path).map(Payload::Value),
        Read::Map(reference) => members(raw, reference, path).map(Payload::Map),
        Read::Find(_) => Err(mismatch()),
    }
}

/// The value that a reference means.
pub(crate) fn value(raw: &SecretValue, reference: &RemoteRef, path: Path) -> Result<SecretValue> {
    let object = Object::to_read(&reference.key)?;
    let bundle = Bundle::parse(raw)?;
    if reference.metadata == MetadataPolicy::Fetch {
        return metadata::wanted(&bundle, reference, path);
    }
    match object.kind {
        Kind::Secret => {
            let value = bundle.value.unwrap_or_default().into();
            select(&value, reference.wanted_property(), &reference.key)
        }
        Kind::Certificate => bundle.certificate().map(SecretValue::new),
        Kind::Key => {
            let text = jwk::public(bundle.key.unwrap_or_default(), path)?;
            select(&text.into(), reference.wanted_property(), &reference.key)
        }
    }
}

/// The members of a value that must be a JSON object, or the tags by name.
fn members(raw: &SecretValue, reference: &RemoteRef, path: Path) -> Result<SecretMap> {
    let object = refuse_map(&reference.key)?;
    if reference.metadata == MetadataPolicy::Fetch {
        let wanted = value(raw, reference, path)?;
        let bundle = Bundle::parse(raw)?;
        return Ok(metadata::members(
            &bundle,
            &object.name,
            reference,
            wanted,
            path,
        ));
    }
    let value = value(raw, reference, path)?;
    json_object(&value).map_err(|error| error.context("error unmarshalling json data"))
}

/// Keys and certificates have no members.
pub(crate) fn refuse_map(key: &str) -> Result<Object> {
    let object = Object::to_read(key)?;
    let what = match object.kind {
        Kind::Secret => return Ok(object),
        Kind::Certificate => "certificate",
        Kind::Key => "key",
    };
    Err(Error::invalid_spec(format!(
        "cannot get use dataFrom to get {what} secret"
    )))
}

/// A property of a value. One that is missing fails; only a missing object is absence.
pub(crate) fn select(
    value: &SecretValue,
    property: Option<&str>,
    key: &str,
) -> Result<SecretValue> {
    let Some(property) = property else {
        return Ok(value.clone());
    };
    property::extract(value, property, Dots::RawThenEscaped).map_err(|_| {
        Error::invalid_data(format!("property {property} does not exist in key {key}"))
    })
}
