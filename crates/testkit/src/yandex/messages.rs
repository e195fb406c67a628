//! Messages of the stand-in, with the field numbers of Yandex Cloud's published protocol.

use std::collections::BTreeMap;

use prost::{Message, Oneof};

type Refusal = (u32, String);

#[derive(Clone, PartialEq, Message)]
pub(super) struct Endpoints {
    #[prost(message, repeated, tag = "1")]
    pub(super) endpoints: Vec<Endpoint>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct EndpointQuestion {
    #[prost(string, tag = "1")]
    pub(super) id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Endpoint {
    #[prost(string, tag = "1")]
    pub(super) id: String,
    #[prost(string, tag = "2")]
    pub(super) address: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TokenQuestion {
    #[prost(string, tag = "2")]
    pub(super) jwt: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Token {
    #[prost(string, tag = "1")]
    pub(super) iam_token: String,
    #[prost(message, optional, tag = "2")]
    pub(super) expires_at: Option<Moment>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(super) struct Moment {
    #[prost(int64, tag = "1")]
    pub(super) seconds: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PayloadQuestion {
    #[prost(string, tag = "1")]
    pub(super) secret_id: String,
    #[prost(string, tag = "2")]
    pub(super) version_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PayloadQuestionEx {
    #[prost(message, optional, tag = "2")]
    folder_and_name: Option<FolderAndName>,
    #[prost(string, tag = "21")]
    pub(super) version_id: String,
}

#[derive(Clone, PartialEq, Message)]
struct FolderAndName {
    #[prost(string, tag = "1")]
    folder: String,
    #[prost(string, tag = "2")]
    name: String,
}

/// Both services name things in a folder in the same way.
pub(super) type CertificateQuestionEx = PayloadQuestionEx;

impl PayloadQuestionEx {
    /// The name, where it is in this folder.
    pub(super) fn name_in(&self, folder: &str) -> Result<&str, Refusal> {
        match &self.folder_and_name {
            Some(named) if named.folder == folder => Ok(&named.name),
            _ => Err((7, "Permission denied".to_owned())),
        }
    }
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Payload {
    #[prost(message, repeated, tag = "2")]
    pub(super) entries: Vec<Entry>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PayloadEx {
    #[prost(btree_map = "string, bytes", tag = "3")]
    pub(super) entries: BTreeMap<String, Vec<u8>>,
}

/// An entry of a secret.
#[derive(Clone, PartialEq, Message)]
pub struct Entry {
    /// Its key.
    #[prost(string, tag = "1")]
    pub key: String,
    /// Its value.
    #[prost(oneof = "EntryValue", tags = "2, 3")]
    pub value: Option<EntryValue>,
}

/// The value of an entry.
#[derive(Clone, PartialEq, Oneof)]
pub enum EntryValue {
    /// A text.
    #[prost(string, tag = "2")]
    Text(String),
    /// Bytes.
    #[prost(bytes, tag = "3")]
    Binary(Vec<u8>),
}

impl Entry {
    /// An entry with a text, or with bytes where they are none.
    pub fn new(key: &str, value: &[u8]) -> Self {
        let value = match String::from_utf8(value.to_vec()) {
            Ok(text) => EntryValue::Text(text),
            Err(bytes) => EntryValue::Binary(bytes.into_bytes()),
        };
        Self {
            key: key.to_owned(),
            value: Some(value),
        }
    }

    pub(super) fn into_bytes(self) -> (String, Vec<u8>) {
        let bytes = match self.value {
            Some(EntryValue::Text(text)) => text.into_bytes(),
            Some(EntryValue::Binary(bytes)) => bytes,
            None => Vec::new(),
        };
        (self.key, bytes)
    }
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CertificateQuestion {
    #[prost(string, tag = "1")]
    pub(super) certificate_id: String,
    #[prost(string, tag = "2")]
    pub(super) version_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Certificate {
    #[prost(string, repeated, tag = "3")]
    pub(super) chain: Vec<String>,
    #[prost(string, tag = "4")]
    pub(super) private_key: String,
}
