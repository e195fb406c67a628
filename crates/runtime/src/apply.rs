//! The one place that writes to the API server. Creates and replacements carry a field manager and
//! are optimistic; patches are JSON merge patches; deletes always carry preconditions. What to write
//! is decided elsewhere. Answers are decoded to what the caller wants of them: [`Written`] or the
//! whole object.

use kube::Client;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_object::{ApiObject, Written, send};

/// Writes objects.
#[derive(Clone)]
pub struct Writer {
    client: Client,
}

impl Writer {
    /// A writer over a client.
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    /// The client, for reads.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Creates an object. [`ApiErrorKind::AlreadyExists`] when there is one of that name.
    pub async fn create<A: DeserializeOwned>(
        &self,
        target: &ApiObject,
        object: &impl Serialize,
        manager: Option<&str>,
    ) -> Result<A, ApiError> {
        let request = target
            .collection()
            .create(&managed(manager), encode(object)?);
        self.write(request).await
    }

    /// Replaces an object whose `resourceVersion` is that of its last read;
    /// [`ApiErrorKind::Conflict`] when it changed since.
    pub async fn replace<A: DeserializeOwned>(
        &self,
        target: &ApiObject,
        object: &impl Serialize,
        manager: Option<&str>,
    ) -> Result<A, ApiError> {
        let body = encode(object)?;
        let collection = target.collection();
        self.write(collection.replace(target.name(), &managed(manager), body))
            .await
    }

    /// Merges a JSON merge patch into an object.
    pub async fn merge<A: DeserializeOwned>(
        &self,
        target: &ApiObject,
        patch: &Value,
        manager: Option<&str>,
    ) -> Result<A, ApiError> {
        let params = PatchParams {
            field_manager: manager.map(str::to_owned),
            ..PatchParams::default()
        };
        let collection = target.collection();
        self.write(collection.patch(target.name(), &params, &Patch::Merge(patch)))
            .await
    }

    /// Merges a status into that of the object with this uid.
    pub async fn patch_status<A: DeserializeOwned>(
        &self,
        target: &ApiObject,
        uid: &str,
        status: &impl Serialize,
        manager: Option<&str>,
    ) -> Result<A, ApiError> {
        let patch = Patch::Merge(json!({"metadata": {"uid": uid}, "status": status}));
        let params = PatchParams {
            field_manager: manager.map(str::to_owned),
            ..PatchParams::default()
        };
        let collection = target.collection();
        self.write(collection.patch_subresource("status", target.name(), &params, &patch))
            .await
    }

    /// Deletes an object if it still has this uid and, where given, this version. Its absence is
    /// success.
    pub async fn delete(
        &self,
        target: &ApiObject,
        uid: &str,
        resource_version: Option<&str>,
    ) -> Result<(), ApiError> {
        let params = DeleteParams {
            preconditions: Some(Preconditions {
                uid: Some(uid.to_owned()),
                resource_version: resource_version.map(str::to_owned),
            }),
            ..DeleteParams::default()
        };
        let request = target.collection().delete(target.name(), &params);
        match send::<Written>(&self.client, request).await {
            Ok(_) => Ok(()),
            Err(failure) if failure.is(ApiErrorKind::NotFound) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    async fn write<A: DeserializeOwned>(
        &self,
        request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> Result<A, ApiError> {
        send(&self.client, request).await
    }
}

fn managed(manager: Option<&str>) -> PostParams {
    PostParams {
        field_manager: manager.map(str::to_owned),
        ..PostParams::default()
    }
}

fn encode(object: &impl Serialize) -> Result<Vec<u8>, ApiError> {
    Ok(serde_json::to_vec(object).map_err(kube::Error::SerdeError)?)
}
