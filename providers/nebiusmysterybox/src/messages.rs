//! Messages of `nebius.iam.v1.TokenExchangeService` and `nebius.mysterybox.v1.PayloadService`, kept by hand
//! with the field numbers of the published protocol. Fields that nobody here reads are left out; tokens
//! and values are never printed.

use prost::{Message, Oneof};

#[derive(Clone, PartialEq, Eq, Hash, Message)]
#[prost(skip_debug)]
pub(crate) struct ExchangeTokenRequest {
    #[prost(string, tag = "1")]
    pub(crate) grant_type: String,
    #[prost(string, tag = "2")]
    pub(crate) requested_token_type: String,
    #[prost(string, tag = "3")]
    pub(crate) subject_token: String,
    #[prost(string, tag = "4")]
    pub(crate) subject_token_type: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
#[prost(skip_debug)]
pub(crate) struct CreateTokenResponse {
    #[prost(string, tag = "1")]
    pub(crate) access_token: String,
    #[prost(int64, tag = "4")]
    pub(crate) expires_in: i64,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub(crate) struct GetPayloadRequest {
    #[prost(string, tag = "1")]
    pub(crate) secret_id: String,
    #[prost(string, tag = "2")]
    pub(crate) version_id: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub(crate) struct GetPayloadByKeyRequest {
    #[prost(string, tag = "1")]
    pub(crate) secret_id: String,
    #[prost(string, tag = "2")]
    pub(crate) version_id: String,
    #[prost(string, tag = "3")]
    pub(crate) key: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
#[prost(skip_debug)]
pub(crate) struct SecretPayload {
    #[prost(message, repeated, tag = "2")]
    pub(crate) data: Vec<Entry>,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
#[prost(skip_debug)]
pub(crate) struct SecretPayloadEntry {
    #[prost(message, optional, tag = "2")]
    pub(crate) data: Option<Entry>,
}

/// `Payload` in the protocol.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
#[prost(skip_debug)]
pub(crate) struct Entry {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(oneof = "Value", tags = "12, 13")]
    pub(crate) value: Option<Value>,
}

#[derive(Clone, PartialEq, Eq, Hash, Oneof)]
#[prost(skip_debug)]
pub(crate) enum Value {
    #[prost(string, tag = "12")]
    Text(String),
    #[prost(bytes = "vec", tag = "13")]
    Binary(Vec<u8>),
}
