//! Writes: one field of a record that the operator made. The record is found by its title and type; what
//! others made is never touched.

use lockstep_provider_api::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::{Api, CLIENT_VERSION};
use crate::crypto::{Key, encode, encode_url, random, seal_to};
use crate::place::{Place, field_of, place};
use crate::vault::{Record, Vault};

/// Type of the records that are written and deleted.
const OUR_TYPE: &str = "externalSecrets";

#[derive(Default, Deserialize)]
#[serde(default)]
struct Deletions {
    records: Vec<Deletion>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Deletion {
    response_code: String,
    error_message: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Deleted<'a> {
    client_version: &'static str,
    client_id: &'a str,
    record_uids: [&'a str; 1],
}

/// Writes one key of a Secret.
pub(crate) async fn push(api: &Api, folder: &str, item: &PushItem) -> Result<Pushed> {
    if item.wanted_key().is_none() {
        return Err(Error::unsupported(
            "pushing the whole secret is not yet implemented",
        ));
    }
    let value = item.value()?;
    let value = value.expose_utf8()?;
    let (title, name) = parts(&item.target)?;
    let place = place(name);
    let vault = Vault::read(api, "GetSecretsByTitle", None).await?;
    let key = vault.folders.iter().find(|known| known.uid == folder);
    let key = key.map(|known| known.key.clone());
    match ours(vault, title)? {
        Some(record) => update(api, &record, title, place, value).await,
        None => create(api, (folder, key), title, place, value).await,
    }
}

/// Deletes the record of a target; one that is gone already is no error.
pub(crate) async fn delete(api: &Api, target: &PushTarget) -> Result<()> {
    let (title, _) = parts(target)?;
    let vault = Vault::read(api, "GetSecretsByTitle", None).await?;
    let Some(record) = ours(vault, title)? else {
        return Ok(());
    };
    let payload = Deleted {
        client_version: CLIENT_VERSION,
        client_id: &api.config.client_id,
        record_uids: [&record.uid],
    };
    let answer = api.post("DeleteSecrets", "delete_secret", &payload).await?;
    let answer: Deletions = serde_json::from_slice(answer.expose()).unwrap_or_default();
    match answer.records.iter().find(|one| one.response_code != "ok") {
        None => Ok(()),
        Some(refused) => Err(Error::new(
            ErrorKind::Denied,
            format!(
                "record {title} is not deleted: {}: {}",
                refused.response_code, refused.error_message
            ),
        )),
    }
}

/// Title and field of a remote key.
fn parts(target: &PushTarget) -> Result<(&str, &str)> {
    let key = &target.remote_key;
    match key.split('/').collect::<Vec<_>>()[..] {
        [title, field] => Ok((title, field)),
        _ => Err(Error::invalid_spec(format!(
            "match.remoteRef.remoteKey. Invalid format. Format should match secretName/key got {key}"
        ))),
    }
}

fn ours(vault: Vault, title: &str) -> Result<Option<Record>> {
    let mut found = vault
        .titled(title)
        .filter(|record| record.text("type").as_deref() == Some(OUR_TYPE));
    let first = found.next();
    if found.next().is_some() {
        let text = format!("more than 1 secret {title} found");
        return Err(Error::new(ErrorKind::Conflict, text));
    }
    Ok(first)
}

async fn create(
    api: &Api,
    (folder, folder_key): (&str, Option<Key>),
    title: &str,
    place: Place<'_>,
    value: &str,
) -> Result<Pushed> {
    let folder_key = folder_key.ok_or_else(|| {
        Error::invalid_spec(format!(
            "folder uid='{folder}' was not retrieved. If you are creating a record in a shared \
             folder that you know exists, make sure that at least one record is present in the \
             folder prior to adding a new record"
        ))
    })?;
    let owner = api.config.owner.as_deref().ok_or_else(|| {
        Error::invalid_spec(
            "unable to create record - App owner public key is missing. Looks like application \
             was created using outdated client (Web Vault or Commander)",
        )
    })?;
    let mut record = json!({ "type": OUR_TYPE, "title": title, "fields": [] });
    match place {
        Place::Typed(kind) => record["fields"] = json!([{ "type": kind, "value": [value] }]),
        Place::Custom(label) => {
            record["custom"] = json!([{ "type": "secret", "label": label, "value": [value] }]);
        }
    }
    let sealed = || {
        let key = Key::random()?;
        Some(json!({
            "clientVersion": CLIENT_VERSION,
            "clientId": api.config.client_id,
            "recordUid": encode_url(&new_uid()?),
            "recordKey": encode(&seal_to(owner, key.expose())?),
            "folderUid": folder,
            "folderKey": encode(&folder_key.seal(key.expose())?),
            "data": encode(&key.seal(record.to_string().as_bytes())?),
        }))
    };
    let payload = sealed().ok_or_else(|| {
        Error::invalid_spec("unable to create record - its key cannot be encrypted to the owner")
    })?;
    let call = "CreateSecretWithRecordData";
    api.post(call, "create_secret", &payload).await?;
    Ok(Pushed::Created)
}

async fn update(
    api: &Api,
    record: &Record,
    title: &str,
    place: Place<'_>,
    value: &str,
) -> Result<Pushed> {
    let (key, json) = record.opened()?;
    let mut members: Value = serde_json::from_slice(json.expose())
        .map_err(|_| Error::invalid_data("invalid secret. Invalid format: it is no JSON"))?;
    let field = field_of(&mut members, place).ok_or_else(|| {
        Error::invalid_data(match place {
            Place::Typed(kind) => {
                format!("secret {title} does not contain any field of type {kind}")
            }
            Place::Custom(label) => {
                format!("secret {title} does not contain any custom field with label {label}")
            }
        })
    })?;
    if field.pointer("/value/0").and_then(Value::as_str) == Some(value) {
        return Ok(Pushed::Unchanged);
    }
    match field.pointer_mut("/value/0") {
        Some(held) => *held = json!(value),
        None => field["value"] = json!([value]),
    }
    let sealed = key.seal(members.to_string().as_bytes());
    let sealed = sealed.ok_or_else(|| Error::invalid_data("the record cannot be encrypted"))?;
    let payload = json!({
        "clientVersion": CLIENT_VERSION,
        "clientId": api.config.client_id,
        "recordUid": record.uid,
        "revision": record.revision,
        "data": encode_url(&sealed),
    });
    api.post("Save", "update_secret", &payload).await?;
    Ok(Pushed::Updated)
}

/// A UID that does not begin with a dash, so that tools do not take it for a flag.
fn new_uid() -> Option<[u8; 16]> {
    let mut uid: [u8; 16] = random()?;
    if uid[0] & 0xf8 == 0xf8 {
        uid[0] &= 0x7f;
    }
    Some(uid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_key_has_a_title_and_a_field() {
        let target = PushTarget::key("app/login");

        assert_eq!(parts(&target).unwrap(), ("app", "login"));
        for key in ["app", "a/b/c", ""] {
            let text = parts(&PushTarget::key(key)).unwrap_err().to_string();
            assert!(
                text.ends_with(&format!("secretName/key got {key}")),
                "{text}"
            );
        }
    }
}
