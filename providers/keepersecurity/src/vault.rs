//! What Keeper answers to a read: records, alone or in shared folders, each with keys that lead from
//! the application's key to its data. A folder that cannot be opened fails the read, because its
//! records would be missing.

use lockstep_provider_api::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::{Api, CLIENT_VERSION};
use crate::crypto::Key;

/// Records and folders that the application can see.
#[derive(Default)]
pub(crate) struct Vault {
    pub(crate) records: Vec<Record>,
    pub(crate) folders: Vec<Folder>,
}

/// A record.
pub(crate) struct Record {
    pub(crate) uid: String,
    pub(crate) revision: i64,
    /// Its key and its JSON; `None` where it cannot be decrypted.
    pub(crate) opened: Option<(Key, SecretValue)>,
    pub(crate) files: Vec<SealedFile>,
}

/// A shared folder.
pub(crate) struct Folder {
    pub(crate) uid: String,
    pub(crate) key: Key,
}

/// A file as it is sealed.
#[derive(Deserialize)]
pub(crate) struct SealedFile {
    #[serde(default, rename = "fileKey")]
    pub(crate) key: String,
    #[serde(default)]
    pub(crate) data: String,
    #[serde(default)]
    pub(crate) url: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Query<'a> {
    client_version: &'static str,
    client_id: &'a str,
    requested_records: Option<&'a [&'a str]>,
    requested_folders: Option<&'a [&'a str]>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    records: Option<Vec<SealedRecord>>,
    folders: Option<Vec<SealedFolder>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SealedRecord {
    #[serde(default)]
    record_uid: String,
    #[serde(default)]
    record_key: Option<String>,
    #[serde(default)]
    data: String,
    #[serde(default)]
    revision: i64,
    #[serde(default)]
    files: Option<Vec<SealedFile>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SealedFolder {
    #[serde(default)]
    folder_uid: String,
    #[serde(default)]
    folder_key: String,
    #[serde(default)]
    records: Option<Vec<SealedRecord>>,
}

impl Vault {
    /// The record with a UID, or all records. An empty answer has none, as at upstream.
    pub(crate) async fn read(api: &Api, call: &'static str, uid: Option<&str>) -> Result<Self> {
        let wanted = uid.map(|uid| [uid]);
        let query = Query {
            client_version: CLIENT_VERSION,
            client_id: &api.config.client_id,
            requested_records: wanted.as_ref().map(<[&str; 1]>::as_slice),
            requested_folders: None,
        };
        let answer = api.post(call, "get_secret", &query).await?;
        if answer.is_empty() {
            return Ok(Self::default());
        }
        Self::open(&answer, &api.config.app_key)
    }

    fn open(answer: &SecretValue, app_key: &Key) -> Result<Self> {
        let answer: Answer = serde_json::from_slice(answer.expose())
            .map_err(|_| Error::invalid_data("the decrypted answer is not the JSON expected"))?;
        let alone = answer.records.unwrap_or_default();
        let mut records: Vec<Record> = alone
            .into_iter()
            .map(|r| Record::open(r, app_key))
            .collect();
        let mut folders = Vec::new();
        for sealed in answer.folders.unwrap_or_default() {
            let key = app_key.open_text(&sealed.folder_key).and_then(Key::new);
            let key = key.ok_or_else(|| {
                Error::invalid_data(format!(
                    "error decrypting folder key of {}",
                    sealed.folder_uid
                ))
            })?;
            let inside = sealed.records.unwrap_or_default();
            records.extend(inside.into_iter().map(|record| Record::open(record, &key)));
            folders.push(Folder {
                uid: sealed.folder_uid.trim().to_owned(),
                key,
            });
        }
        Ok(Self { records, folders })
    }

    /// Records with a title. One that cannot be decrypted has none.
    pub(crate) fn titled(self, title: &str) -> impl Iterator<Item = Record> {
        let all = self.records.into_iter();
        all.filter(move |record| record.text("title").as_deref() == Some(title))
    }
}

impl Record {
    fn open(sealed: SealedRecord, above: &Key) -> Self {
        let key = match sealed.record_key.as_deref().map(str::trim) {
            // A record that is shared alone has the application's key.
            None | Some("") => Some(above.clone()),
            Some(text) => above.open_text(text).and_then(Key::new),
        };
        let opened = key.and_then(|key| {
            let json = key.open_text(&sealed.data)?;
            Some((key, json))
        });
        Self {
            uid: sealed.record_uid.trim().to_owned(),
            revision: sealed.revision,
            opened,
            files: sealed.files.unwrap_or_default(),
        }
    }

    /// Its key and its JSON.
    pub(crate) fn opened(&self) -> Result<&(Key, SecretValue)> {
        self.opened.as_ref().ok_or_else(|| {
            Error::invalid_data("invalid secret. Invalid format: the record cannot be decrypted")
        })
    }

    /// A text of its JSON, such as the title.
    pub(crate) fn text(&self, member: &str) -> Option<String> {
        let (_, json) = self.opened.as_ref()?;
        let members: Value = serde_json::from_slice(json.expose()).ok()?;
        Some(members.get(member)?.as_str()?.to_owned())
    }
}
