//! The one place that writes to the API server. Creates and replacements carry a field manager and
//! are optimistic; patches are JSON merge patches; deletes always carry preconditions. What to write
//! is decided elsewhere.

use kube::Client;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::{Failure, FailureKind};
use crate::target::{Target, Written, WrittenObject, send};

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

    /// Creates an object. [`FailureKind::AlreadyExists`] when there is one of that name.
    pub async fn create(
        &self,
        target: &Target,
        object: &impl Serialize,
        manager: Option<&str>,
    ) -> Result<Written, Failure> {
        let request = target
            .collection()
            .create(&managed(manager), encode(object)?);
        self.write(request).await
    }

    /// Replaces an object whose `resourceVersion` is that of its last read;
    /// [`FailureKind::Conflict`] when it changed since.
    pub async fn replace(
        &self,
        target: &Target,
        object: &impl Serialize,
        manager: Option<&str>,
    ) -> Result<Written, Failure> {
        let body = encode(object)?;
        let collection = target.collection();
        self.write(collection.replace(target.name(), &managed(manager), body))
            .await
    }

    /// Merges a JSON merge patch into an object.
    pub async fn merge(
        &self,
        target: &Target,
        patch: &Value,
        manager: Option<&str>,
    ) -> Result<Written, Failure> {
        let params = PatchParams {
            field_manager: manager.map(str::to_owned),
            ..PatchParams::default()
        };
        let collection = target.collection();
        self.write(collection.patch(target.name(), &params, &Patch::Merge(patch)))
            .await
    }

    /// Sets the whole list of finalizers of the object with this uid.
    pub async fn set_finalizers(
        &self,
        target: &Target,
        uid: &str,
        finalizers: &[String],
    ) -> Result<Written, Failure> {
        let patch = json!({"metadata": {"uid": uid, "finalizers": finalizers}});
        self.merge(target, &patch, None).await
    }

    /// Merges a patch of the status of the object with this uid; see [`crate::status`].
    pub async fn patch_status(
        &self,
        target: &Target,
        uid: &str,
        status: &Value,
    ) -> Result<Written, Failure> {
        let patch = Patch::Merge(json!({"metadata": {"uid": uid}, "status": status}));
        let params = PatchParams::default();
        let collection = target.collection();
        self.write(collection.patch_subresource("status", target.name(), &params, &patch))
            .await
    }

    /// Deletes an object if it still has this uid and, where given, this version. Its absence is
    /// success.
    pub async fn delete(
        &self,
        target: &Target,
        uid: &str,
        resource_version: Option<&str>,
    ) -> Result<(), Failure> {
        let params = DeleteParams {
            preconditions: Some(Preconditions {
                uid: Some(uid.to_owned()),
                resource_version: resource_version.map(str::to_owned),
            }),
            ..DeleteParams::default()
        };
        let request = target.collection().delete(target.name(), &params);
        match send::<WrittenObject>(&self.client, request).await {
            Ok(_) => Ok(()),
            Err(failure) if failure.is(FailureKind::NotFound) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    async fn write(
        &self,
        request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> Result<Written, Failure> {
        let object: WrittenObject = send(&self.client, request).await?;
        Ok(object.metadata)
    }
}

fn managed(manager: Option<&str>) -> PostParams {
    PostParams {
        field_manager: manager.map(str::to_owned),
        ..PostParams::default()
    }
}

fn encode(object: &impl Serialize) -> Result<Vec<u8>, Failure> {
    Ok(serde_json::to_vec(object).map_err(kube::Error::SerdeError)?)
}
