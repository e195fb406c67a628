//! Messages of Yandex Cloud's API, kept by hand with the field numbers of its published protocol
//! (`yandex.cloud.endpoint`, `yandex.cloud.iam.v1`). Fields that nobody here reads are left out.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(super) struct GetApiEndpointRequest {
    #[prost(string, tag = "1")]
    pub(super) api_endpoint_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ListApiEndpointsRequest {
    #[prost(int64, tag = "1")]
    pub(super) page_size: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ListApiEndpointsResponse {
    #[prost(message, repeated, tag = "1")]
    pub(super) endpoints: Vec<ApiEndpoint>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ApiEndpoint {
    #[prost(string, tag = "1")]
    pub(super) id: String,
    #[prost(string, tag = "2")]
    pub(super) address: String,
}

#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(super) struct CreateIamTokenRequest {
    #[prost(string, tag = "2")]
    pub(super) jwt: String,
}

#[derive(Clone, PartialEq, Message)]
#[prost(skip_debug)]
pub(super) struct CreateIamTokenResponse {
    #[prost(string, tag = "1")]
    pub(super) iam_token: String,
    #[prost(message, optional, tag = "2")]
    pub(super) expires_at: Option<Moment>,
}

/// `google.protobuf.Timestamp`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Message)]
pub(super) struct Moment {
    #[prost(int64, tag = "1")]
    pub(super) seconds: i64,
    #[prost(int32, tag = "2")]
    pub(super) nanos: i32,
}
