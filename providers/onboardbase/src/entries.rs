//! The entries of an environment as the backend answers them: names and values are encrypted. What a caller gets
//! out of them is decided in `store`.

use std::collections::BTreeMap;

use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::cipher::decrypt;
use crate::error::CLIENT_ERROR;

#[derive(Deserialize)]
struct Answered {
    #[serde(default)]
    data: Option<Data>,
}

#[derive(Default, Deserialize)]
struct Data {
    #[serde(default)]
    secrets: Option<Vec<Entry>>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    id: String,
    key: String,
    value: String,
}

/// Entries whose names are known.
pub(crate) struct Entries<'a> {
    named: BTreeMap<String, Entry>,
    passcode: &'a SecretValue,
}

impl<'a> Entries<'a> {
    /// Opens the names. One that cannot be decrypted fails all of them: nobody knows whose it is.
    pub(crate) fn open(body: &SecretValue, passcode: &'a SecretValue) -> Result<Self> {
        let answered: Answered = serde_json::from_slice(body.expose()).map_err(|error| {
            Error::invalid_data(format!(
                "{CLIENT_ERROR}: unable to unmarshal secret payload at line {} column {}",
                error.line(),
                error.column()
            ))
        })?;
        let entries = answered.data.unwrap_or_default().secrets;
        let mut named = BTreeMap::new();
        for entry in entries.unwrap_or_default() {
            let name = entry.decrypt(&entry.key, passcode)?;
            named.insert(name.expose_utf8()?.to_owned(), entry);
        }
        Ok(Self { named, passcode })
    }

    /// The value of a name; `None` where there is no such entry.
    pub(crate) fn value(&self, name: &str) -> Result<Option<SecretValue>> {
        let entry = self.named.get(name);
        entry
            .map(|entry| entry.decrypt(&entry.value, self.passcode))
            .transpose()
    }

    /// The values of all names that are wanted.
    pub(crate) fn select(&self, wanted: impl Fn(&str) -> bool) -> Result<SecretMap> {
        let selected = self.named.iter().filter(|(name, _)| wanted(name));
        let open = selected.map(|(name, entry)| {
            let value = entry.decrypt(&entry.value, self.passcode)?;
            Ok((name.clone(), value))
        });
        open.collect()
    }
}

impl Entry {
    fn decrypt(&self, text: &str, passcode: &SecretValue) -> Result<SecretValue> {
        decrypt(text, passcode).map_err(|error| {
            let id = &self.id;
            let hint = "is the passcode right?";
            error.map_message(|text| format!("{CLIENT_ERROR}: {text}: id {id:?}; {hint}"))
        })
    }
}
