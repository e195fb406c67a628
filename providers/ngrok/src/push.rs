//! Writes. Nobody can read a value back, so that an existing secret is always written, as upstream does; its
//! checksum goes into the metadata.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use lockstep_provider_api::json::{Html, to_json_strings};
use lockstep_provider_api::metadata;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::base64::{Encoding, encode};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::api::{Api, Content};
use crate::vault::Known;

const DESCRIPTION: &str = "Managed by External Secrets Operator";
const CHECKSUM: &str = "_sha256";

/// The entry's own `metadata`.
#[derive(Default, Deserialize)]
struct Wanted {
    #[serde(default)]
    description: String,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

/// Writes one key of a Secret, or all of them.
pub(crate) async fn push(api: &Api, vault: &Known, item: &PushItem) -> Result<Pushed> {
    let failed = "failed to verify vault name still matches ID";
    let id = vault.id(api).await.map_err(|error| error.context(failed))?;
    let id = id.ok_or_else(|| {
        let text = format!("{failed}: failed to refresh vault ID: vault does not exist");
        Error::invalid_spec(text)
    })?;
    let value = value(item)?;
    let wanted: Option<Wanted> = metadata::parse(item.metadata.as_ref())
        .map_err(|error| error.context("failed to parse push secret metadata"))?;
    let mut wanted = wanted.unwrap_or_default();
    let checksum = HEXLOWER.encode(&Sha256::digest(value.expose()));
    wanted.metadata.insert(CHECKSUM.to_owned(), checksum);
    let description = Some(wanted.description.as_str()).filter(|text| !text.is_empty());
    let content = Content {
        value: value.expose_utf8()?,
        metadata: &to_json_strings(&wanted.metadata, Html::Escaped),
        description: description.unwrap_or(DESCRIPTION),
    };
    let name = &item.target.remote_key;
    let held = api.secret(&id, name).await;
    match held.map_err(|error| error.context("failed to get secret"))? {
        None => {
            api.create(&id, name, &content).await?;
            Ok(Pushed::Created)
        }
        Some(secret) => {
            api.update(&secret.id, &content).await?;
            Ok(Pushed::Updated)
        }
    }
}

/// Deletes a secret; one that is gone already, or whose vault is, is no error.
pub(crate) async fn delete(api: &Api, vault: &Known, target: &PushTarget) -> Result<()> {
    let Some(id) = vault.id(api).await? else {
        return Ok(());
    };
    let Some(secret) = api.secret(&id, &target.remote_key).await? else {
        return Ok(());
    };
    match api.delete(&secret.id).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(()),
        deleted => deleted,
    }
}

/// Whether a secret is there.
pub(crate) async fn exists(api: &Api, vault: &Known, target: &PushTarget) -> Result<bool> {
    let Some(id) = vault.id(api).await? else {
        return Ok(false);
    };
    let held = api.secret(&id, &target.remote_key).await;
    let held = held.map_err(|error| error.context("error fetching secret"))?;
    Ok(held.is_some())
}

/// A whole Secret is JSON with values in base64, as upstream has it.
fn value(item: &PushItem) -> Result<SecretValue> {
    let Some(key) = item.wanted_key() else {
        let entries = item.source.iter();
        let entries: BTreeMap<String, String> = entries
            .map(|(key, value)| (key.to_owned(), encode(Encoding::Standard, value.expose())))
            .collect();
        return Ok(SecretValue::from(to_json_strings(&entries, Html::Escaped)));
    };
    let value = item.source.get(key).cloned();
    value.ok_or_else(|| Error::invalid_spec(format!("key {key} not found in secret")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_secret_is_json_with_values_in_base64() {
        let source = [("b", "2"), ("a", "1")].map(|(k, v)| (k.to_owned(), v.into()));
        let whole = PushItem::whole(PushTarget::key("r"), SecretMap::from_iter(source));
        let missing = PushItem {
            secret_key: Some("c".to_owned()),
            ..whole.clone()
        };

        assert_eq!(
            value(&whole).unwrap().expose(),
            br#"{"a":"MQ==","b":"Mg=="}"#
        );
        let error = value(&missing).unwrap_err();
        assert_eq!(error.to_string(), "key c not found in secret");
    }
}
