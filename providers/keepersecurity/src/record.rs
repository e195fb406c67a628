//! A record as users see it: fields, custom fields and files by their names, the whole as Go's JSON.
//! Works on an envelope that holds all a read needs, so that one read serves every property.

use std::collections::BTreeMap;

use lockstep_provider_api::json::{Value, decode};
use lockstep_provider_api::prelude::*;
use serde::{Deserialize, Serialize};

use crate::crypto;
use crate::field::{Field, fields, invalid, list, string, text};

/// All that a read of a record gave.
#[derive(Deserialize, Serialize)]
pub(crate) struct Envelope {
    /// The record's JSON as it is kept.
    pub(crate) record: String,
    pub(crate) files: Vec<File>,
}

/// A file of a record.
#[derive(Deserialize, Serialize)]
pub(crate) struct File {
    pub(crate) title: String,
    /// Its bytes in base64, or why they could not be loaded.
    pub(crate) content: std::result::Result<String, String>,
}

/// A record with its files.
pub(crate) struct Secret {
    pub(crate) title: String,
    kind: String,
    fields: Option<Vec<Field>>,
    custom: Option<Vec<Field>>,
    files: Vec<File>,
}

impl Envelope {
    /// As a value, for reads that share it.
    pub(crate) fn to_value(&self) -> Result<SecretValue> {
        let json = serde_json::to_vec(self).map_err(|_| Error::invalid_data("no JSON form"))?;
        Ok(SecretValue::new(json))
    }
}

impl Secret {
    /// Reads an envelope.
    pub(crate) fn new(envelope: &SecretValue) -> Result<Self> {
        let envelope: Envelope =
            serde_json::from_slice(envelope.expose()).map_err(|_| invalid("it is no record"))?;
        let record = decode(&SecretValue::from(envelope.record))
            .map_err(|error| invalid(&error.to_string()))?;
        let Value::Object(members) = record else {
            return Err(invalid("it is no JSON object"));
        };
        let secret = Self {
            title: text(members.get("title"))?,
            kind: text(members.get("type"))?,
            fields: fields(members.get("fields"))?,
            custom: fields(members.get("custom"))?,
            files: envelope.files,
        };
        secret.check_names()?;
        Ok(secret)
    }

    /// The whole record as JSON.
    pub(crate) fn whole(&self) -> Result<SecretValue> {
        let fields = list(self.fields.as_deref(), |field| {
            field.json(field.label.is_empty())
        });
        let custom = list(self.custom.as_deref(), |field| field.json(false));
        let mut files = Vec::new();
        for file in &self.files {
            let content = file.bytes()?;
            let content = String::from_utf8_lossy(content.expose()).into_owned();
            files.push(format!(
                r#"{{"type":{},"content":{}}}"#,
                string(&file.title),
                string(&content)
            ));
        }
        let files = if files.is_empty() {
            "null".to_owned()
        } else {
            format!("[{}]", files.join(","))
        };
        Ok(SecretValue::from(format!(
            r#"{{"title":{},"type":{},"fields":{fields},"custom":{custom},"files":{files}}}"#,
            string(&self.title),
            string(&self.kind),
        )))
    }

    /// The value of a field, a custom field or a file.
    pub(crate) fn property(&self, name: &str) -> Result<SecretValue> {
        let mut fields = self.fields.iter().flatten();
        let field =
            fields.find(|field| field.name() == name && field.is_property() && field.has_value());
        let mut custom = self.custom.iter().flatten();
        let custom = || custom.find(|field| field.label == name && field.has_value());
        if let Some(field) = field.or_else(custom) {
            return Ok(field.bytes());
        }
        if let Some(file) = self.files.iter().find(|file| file.title == name) {
            return file.bytes();
        }
        let title = &self.title;
        Err(lockstep_provider_kit::error::missing(format!(
            "invalid Property. Secret {title} does not have any key matching {name}"
        )))
    }

    /// All fields, custom fields and files.
    pub(crate) fn members(&self) -> Result<SecretMap> {
        let mut map = SecretMap::new();
        for field in self
            .fields
            .iter()
            .flatten()
            .filter(|field| field.has_value())
        {
            map.insert(field.name(), field.bytes());
        }
        for field in self
            .custom
            .iter()
            .flatten()
            .filter(|field| field.has_value())
        {
            map.insert(&field.label, field.bytes());
        }
        for file in &self.files {
            map.insert(&file.title, file.bytes()?);
        }
        if map.is_empty() {
            let title = &self.title;
            return Err(Error::invalid_data(format!(
                "invalid Secret. Secret {title} does not contain any valid field/file"
            )));
        }
        Ok(map)
    }

    /// Of two fields with one name nobody can say which is meant.
    fn check_names(&self) -> Result<()> {
        let fields = self.fields.iter().flatten().map(Field::name);
        let custom = self.custom.iter().flatten().map(|field| &*field.label);
        let files = self.files.iter().map(|file| &*file.title);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in fields.chain(custom).chain(files) {
            *counts.entry(name).or_default() += 1;
        }
        let twice: Vec<&str> = counts
            .into_iter()
            .filter(|(_, count)| *count > 1)
            .map(|(name, _)| name)
            .collect();
        if twice.is_empty() {
            return Ok(());
        }
        let twice = twice.join(", ");
        Err(Error::invalid_data(format!(
            "invalid Secret. Following keys are duplicated {twice}"
        )))
    }
}

impl File {
    fn bytes(&self) -> Result<SecretValue> {
        match &self.content {
            Ok(content) => Ok(SecretValue::new(
                crypto::decode(content).unwrap_or_default(),
            )),
            Err(problem) => Err(Error::unreachable(format!(
                "file {} cannot be loaded: {problem}",
                self.title
            ))),
        }
    }
}

#[cfg(test)]
mod tests;
