//! Messages of `yandex.cloud.certificatemanager.v1.CertificateContentService`, kept by hand with the field
//! numbers of the published protocol. Fields that nobody here reads are left out; keys are never printed.

use prost::Message;

#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub(crate) struct GetRequest {
    #[prost(string, tag = "1")]
    pub(crate) certificate_id: String,
    #[prost(string, tag = "2")]
    pub(crate) version_id: String,
}

/// Of the ways to name a certificate, only that by folder is asked for here.
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
    pub(crate) certificate_name: String,
}

/// What both calls answer: they agree in the numbers of these fields.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
#[prost(skip_debug)]
pub(crate) struct Content {
    #[prost(string, repeated, tag = "3")]
    pub(crate) certificate_chain: Vec<String>,
    #[prost(string, tag = "4")]
    pub(crate) private_key: String,
}
