//! Messages of `yandex.cloud.lockbox.v1.PayloadService`, kept by hand with the field numbers of the
//! published protocol. Fields that nobody here reads are left out; values are never printed.

use std::collections::BTreeMap;

use prost::{Message, Oneof};

#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub(crate) struct GetPayloadRequest {
    #[prost(string, tag = "1")]
    pub(crate) secret_id: String,
    #[prost(string, tag = "2")]
    pub(crate) version_id: String,
}

/// Of the ways to name a secret, only that by folder is asked for here.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub(crate) struct GetExRequest {
    #[prost(message, optional, tag = "2")]
    pub(crate) folder_and_name: Option<FolderAndName>,
    #[prost(string, tag = "21")]
    pub(crate) version_id: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub(crate) struct FolderAndName {
    #[prost(string, tag = "1")]
    pub(crate) folder_id: String,
    #[prost(string, tag = "2")]
    pub(crate) secret_name: String,
}

#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(crate) struct GetExResponse {
    #[prost(btree_map = "string, bytes", tag = "3")]
    pub(crate) entries: BTreeMap<String, Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(crate) struct Payload {
    #[prost(message, repeated, tag = "2")]
    pub(crate) entries: Vec<Entry>,
}

#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(crate) struct Entry {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(oneof = "Value", tags = "2, 3")]
    pub(crate) value: Option<Value>,
}

#[derive(Clone, PartialEq, Oneof)]
#[prost(skip_debug)]
pub(crate) enum Value {
    #[prost(string, tag = "2")]
    Text(String),
    #[prost(bytes = "vec", tag = "3")]
    Binary(Vec<u8>),
}
