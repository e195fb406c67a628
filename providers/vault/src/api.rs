//! The calls of the KV engine, in both of its versions, each under its own name. What an answer means
//! to a caller is decided elsewhere.

use std::collections::BTreeMap;
use std::sync::Mutex;

use jiff::Timestamp;
use lockstep_provider_api::http::{Method, encode_component};
use lockstep_provider_api::json::{Number, Value, marshal};
use lockstep_provider_api::prelude::*;

use crate::connection::Connection;
use crate::error::Failure;
use crate::path::Mount;
use crate::server::Ask;
use crate::spec::Version;

/// Members of a secret.
pub type Members = BTreeMap<String, Value>;
/// Custom metadata.
pub(crate) type Words = BTreeMap<String, String>;

/// A KV engine as one identity reaches it.
#[derive(Debug)]
pub struct Kv {
    pub(crate) connection: Connection,
    pub(crate) mount: Mount,
    /// What is known about the mount, and since when.
    pub(crate) engine: Mutex<Option<Timestamp>>,
}

/// A version of a secret.
#[derive(Debug, Default)]
pub struct Secret {
    /// Its members; `None` where the version was deleted or destroyed.
    pub data: Option<Members>,
    /// What is known beside; KV v2 only.
    pub state: State,
}

/// What the engine says about a version.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Its number.
    pub version: u64,
    /// Custom metadata of the secret.
    pub custom: Words,
    /// When it was or will be deleted; empty for never.
    pub deletion_time: String,
    /// Whether its data is gone for good.
    pub destroyed: bool,
}

impl Kv {
    /// An engine behind a connection.
    pub fn new(connection: Connection, mount: Mount) -> Self {
        Self {
            connection,
            mount,
            engine: Mutex::default(),
        }
    }

    /// The connection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Version of the engine.
    pub fn version(&self) -> Version {
        self.mount.version()
    }

    /// A version of a secret; the newest where none is named.
    pub async fn read(&self, key: &str, version: Option<&str>) -> Result<Secret, Failure> {
        let path = self.mount.data(key);
        let mut ask = Ask::new("ReadSecretData", Method::GET, &path);
        if self.version() == Version::V2 {
            ask.query = version.map(|version| format!("version={}", encode_component(version)));
        }
        let answer = self.connection.ask(ask).await?;
        Ok(secret(&answer, self.version()))
    }

    /// All metadata of a secret; KV v2 only.
    pub async fn metadata(&self, key: &str) -> Result<Value, Failure> {
        let path = self.mount.metadata(key).map_err(crate::error::unsent)?;
        let answer = self.connection.read("ReadSecretData", &path).await?;
        Ok(member(&answer, "data").cloned().unwrap_or_default())
    }

    /// Names in a folder; those that end in `/` are folders. None where there is nothing.
    pub async fn list(&self, folder: &str) -> Result<Vec<String>, Failure> {
        let path = self.mount.folder(folder).map_err(crate::error::unsent)?;
        let mut ask = Ask::new("ListSecrets", Method::GET, &path);
        ask.query = Some("list=true".to_owned());
        match self.connection.ask(ask).await {
            Ok(answer) => {
                let data = member(&answer, "data").cloned().unwrap_or_default();
                Ok(crate::error::texts(&data, "keys"))
            }
            Err(failure) if failure.is_missing() => Ok(Vec::new()),
            Err(failure) => Err(failure),
        }
    }

    /// Writes a secret; `replaces` names the version that must be the present one.
    pub async fn write(
        &self,
        key: &str,
        members: Members,
        replaces: Option<u64>,
    ) -> Result<(), Failure> {
        let path = self.mount.data(key);
        let body = match self.version() {
            Version::V1 => Value::Object(members),
            Version::V2 => {
                let mut body = Members::from([("data".to_owned(), Value::Object(members))]);
                if let Some(version) = replaces {
                    let number = Value::Number(Number::Text(version.to_string()));
                    let options = Members::from([("cas".to_owned(), number)]);
                    body.insert("options".to_owned(), Value::Object(options));
                }
                Value::Object(body)
            }
        };
        self.put(&path, &body).await
    }

    /// Replaces the custom metadata of a secret.
    pub async fn write_metadata(&self, key: &str, custom: &Words) -> Result<(), Failure> {
        let path = self.mount.metadata(key).map_err(crate::error::unsent)?;
        let custom = custom
            .iter()
            .map(|(name, value)| (name.clone(), Value::String(value.clone())));
        let custom = Value::Object(custom.collect());
        let body = Members::from([("custom_metadata".to_owned(), custom)]);
        self.put(&path, &Value::Object(body)).await
    }

    async fn put(&self, path: &str, body: &Value) -> Result<(), Failure> {
        let mut ask = Ask::new("WriteSecretData", Method::PUT, path);
        ask.body = Some(SecretValue::from(marshal(body)));
        self.connection.ask(ask).await.map(drop)
    }

    /// Deletes a secret with all its versions.
    pub async fn delete(&self, key: &str) -> Result<(), Failure> {
        let path = match self.version() {
            Version::V1 => self.mount.data(key),
            Version::V2 => self.mount.metadata(key).map_err(crate::error::unsent)?,
        };
        let ask = Ask::new("DeleteSecret", Method::DELETE, &path);
        match self.connection.ask(ask).await {
            Err(failure) if !failure.is_missing() => Err(failure),
            _ => Ok(()),
        }
    }
}

/// The secret in an answer.
pub(crate) fn secret(answer: &Value, version: Version) -> Secret {
    let data = member(answer, "data");
    match version {
        Version::V1 => Secret {
            data: data.and_then(Value::as_object).cloned(),
            state: State::default(),
        },
        Version::V2 => {
            let inner = data.and_then(|data| member(data, "data"));
            Secret {
                data: inner.and_then(Value::as_object).cloned(),
                state: data
                    .and_then(|data| member(data, "metadata"))
                    .map(State::read)
                    .unwrap_or_default(),
            }
        }
    }
}

impl State {
    /// Reads what stands beside a version.
    pub(crate) fn read(metadata: &Value) -> Self {
        Self {
            version: member(metadata, "version").map_or(0, number),
            custom: member(metadata, "custom_metadata")
                .map(words)
                .unwrap_or_default(),
            deletion_time: text(metadata, "deletion_time"),
            destroyed: member(metadata, "destroyed") == Some(&Value::Bool(true)),
        }
    }
}

/// A member of an object.
pub fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value
        .as_object()?
        .get(name)
        .filter(|member| **member != Value::Null)
}

/// A member that is a text; empty where it is not there.
pub fn text(value: &Value, name: &str) -> String {
    let found = member(value, name).and_then(Value::as_str);
    found.unwrap_or_default().to_owned()
}

pub(crate) fn number(value: &Value) -> u64 {
    match value {
        Value::Number(Number::Text(text)) => text.parse().unwrap_or_default(),
        _ => 0,
    }
}

/// The members of an object that are texts.
pub(crate) fn words(value: &Value) -> Words {
    let members = value.as_object().into_iter().flatten();
    let texts =
        members.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    texts.collect()
}
