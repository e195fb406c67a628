//! Reads and writes targets that are no Secrets. Decides nothing about their contents.

use lockstep_api::keys::FIELD_MANAGER;
use lockstep_plan::external_secret::TargetDelete;
use lockstep_plan::manifest_target::{Object, ObjectRef};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use lockstep_runtime::api_object::{ApiObject, Written};

use super::ApiServer;

impl ApiServer {
    async fn located(&self, target: &ObjectRef) -> Result<ApiObject, ApiError> {
        let resource = self.kinds.resource(&self.client, target).await?;
        let namespace = Some(target.namespace.as_str());
        Ok(ApiObject::dynamic(&resource, namespace, &target.name))
    }

    /// Reads a target.
    pub(crate) async fn read_object(&self, target: &ObjectRef) -> Result<Option<Object>, ApiError> {
        let located = self.located(target).await?;
        located.get(&self.client).await
    }

    /// Creates a target.
    pub(crate) async fn create_object(
        &self,
        target: &ObjectRef,
        object: &Object,
    ) -> Result<(), ApiError> {
        let located = self.located(target).await?;
        let manager = Some(FIELD_MANAGER);
        let created = self.writer.create(&located, object, manager).await;
        created.map(|_: Written| ()).inspect_err(|error| {
            if error.is(ApiErrorKind::NotFound) {
                self.kinds.forget(target);
            }
        })
    }

    /// Writes a target in place of the version it carries, and tells whether that changed anything.
    pub(crate) async fn replace_object(
        &self,
        target: &ObjectRef,
        object: &Object,
    ) -> Result<bool, ApiError> {
        let located = self.located(target).await?;
        let manager = Some(FIELD_MANAGER);
        let written = self.writer.replace(&located, object, manager).await;
        let written: Written = written?;
        Ok(Some(written.resource_version) != object.metadata().resource_version)
    }

    /// Deletes a target, if it is still the one that was seen.
    pub(crate) async fn delete_object(
        &self,
        target: &ObjectRef,
        delete: &TargetDelete,
    ) -> Result<(), ApiError> {
        let located = self.located(target).await?;
        let version = Some(delete.resource_version.as_str());
        self.writer.delete(&located, &delete.uid, version).await
    }
}
