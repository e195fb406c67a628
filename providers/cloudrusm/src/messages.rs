//! Messages of Cloud.ru's IAM (`sbercloud.cp.iam.api.v1.auth`) and of both versions of its Secret Manager
//! (`sbercloud.secretmanager.v1`, `cloud.csm.core.v2`), kept by hand with the field numbers of the vendor's
//! SDK. Fields that nobody here reads are left out; credentials and values are never printed.

use std::collections::BTreeMap;

use prost::{Message, Oneof};

#[derive(Clone, PartialEq, Eq, Hash, Message)]
#[prost(skip_debug)]
pub(crate) struct GetTokenRequest {
    #[prost(string, tag = "1")]
    pub(crate) key_id: String,
    #[prost(string, tag = "2")]
    pub(crate) secret: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
#[prost(skip_debug)]
pub(crate) struct GetTokenResponse {
    #[prost(string, tag = "1")]
    pub(crate) access_token: String,
    #[prost(int32, tag = "4")]
    pub(crate) expires_in: i32,
}

/// Of version 1.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub(crate) struct AccessSecretVersionRequest {
    #[prost(string, tag = "1")]
    pub(crate) secret_id: String,
    #[prost(string, tag = "2")]
    pub(crate) secret_version_id: String,
}

/// Of version 1.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
#[prost(skip_debug)]
pub(crate) struct SecretPayload {
    #[prost(message, optional, tag = "1")]
    pub(crate) data: Option<BytesValue>,
}

/// `google.protobuf.BytesValue`.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
#[prost(skip_debug)]
pub(crate) struct BytesValue {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) value: Vec<u8>,
}

/// Of version 2.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub(crate) struct AccessSecretRequest {
    #[prost(string, tag = "1")]
    pub(crate) project_id: String,
    #[prost(string, tag = "2")]
    pub(crate) path: String,
    #[prost(int32, optional, tag = "3")]
    pub(crate) version: Option<i32>,
}

/// Of version 2.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
#[prost(skip_debug)]
pub(crate) struct AccessSecretResponse {
    #[prost(message, optional, tag = "3")]
    pub(crate) payload: Option<BytesValue>,
}

/// Of version 2.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct SearchSecretRequest {
    #[prost(string, tag = "1")]
    pub(crate) project_id: String,
    #[prost(string, tag = "2")]
    pub(crate) path: String,
    #[prost(int32, tag = "3")]
    pub(crate) depth: i32,
    #[prost(btree_map = "string, string", tag = "10")]
    pub(crate) labels: BTreeMap<String, String>,
    #[prost(oneof = "SearchName", tags = "11")]
    pub(crate) name: Option<SearchName>,
}

#[derive(Clone, PartialEq, Eq, Hash, Oneof)]
pub(crate) enum SearchName {
    #[prost(string, tag = "11")]
    Regex(String),
}

/// Of version 2.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub(crate) struct SearchSecretResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) secrets: Vec<Secret>,
}

/// Of version 2.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub(crate) struct Secret {
    #[prost(string, tag = "1")]
    pub(crate) id: String,
    #[prost(string, tag = "10")]
    pub(crate) path: String,
}
