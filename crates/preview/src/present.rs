//! The state that is there now: an API server, of which lists were taken and single objects are read live,
//! or a folder of manifests. Reads only.

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Client;
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, Selector, SelectorExt};
use kube::discovery::pinned_kind;
use lockstep_index::ObjectKey;
use lockstep_plan::manifest_target::{Object, ObjectRef};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use lockstep_runtime::api_object::{ApiObject, list};

use crate::objects::Objects;

/// What is there.
pub(crate) struct Present {
    /// What was listed, or all objects of the folder.
    pub(crate) objects: Objects,
    /// The API server; `None` for a folder.
    pub(crate) client: Option<Client>,
}

impl Present {
    /// Reads a Secret.
    pub(crate) async fn secret(&self, key: &ObjectKey) -> Result<Option<Secret>, ApiError> {
        match &self.client {
            None => Ok(self.objects.secrets.get(key).cloned()),
            Some(client) => {
                let object = ApiObject::of::<Secret>(Some(key.namespace()), key.name());
                object.get(client).await
            }
        }
    }

    /// Reads the Secrets of a namespace that a selector matches.
    pub(crate) async fn secrets(
        &self,
        namespace: &str,
        selector: &Selector,
    ) -> Result<Vec<Secret>, ApiError> {
        if let Some(client) = &self.client {
            return list(client, namespace, selector).await;
        }
        let here = self.objects.secrets.iter().filter(|(key, secret)| {
            let labels = secret.metadata.labels.clone().unwrap_or_default();
            key.namespace() == namespace && selector.matches(&labels)
        });
        Ok(here.map(|(_, secret)| secret.clone()).collect())
    }

    /// Reads a ConfigMap.
    pub(crate) async fn config_map(&self, key: &ObjectKey) -> Result<Option<ConfigMap>, ApiError> {
        match &self.client {
            None => Ok(self.objects.config_maps.get(key).cloned()),
            Some(client) => {
                let object = ApiObject::of::<ConfigMap>(Some(key.namespace()), key.name());
                object.get(client).await
            }
        }
    }

    /// Reads a generator by the API version, kind and plural of its resource.
    pub(crate) async fn generator(
        &self,
        (group, version, kind, plural): (&str, &str, &str, &str),
        (namespace, name): (Option<&str>, &str),
    ) -> Result<Option<serde_json::Value>, ApiError> {
        let Some(client) = &self.client else {
            let key = ObjectKey::new(namespace.unwrap_or_default(), name);
            return Ok(self
                .objects
                .generators
                .get(&(kind.to_owned(), key))
                .cloned());
        };
        let of_kind = GroupVersionKind::gvk(group, version, kind);
        let resource = ApiResource::from_gvk_with_plural(&of_kind, plural);
        let object = ApiObject::dynamic(&resource, namespace, name);
        let read: Option<DynamicObject> = object.get(client).await?;
        Ok(read.and_then(|mut object| {
            object.metadata.managed_fields = None;
            serde_json::to_value(object).ok()
        }))
    }

    /// Reads a target that is no Secret.
    pub(crate) async fn object(&self, target: &ObjectRef) -> Result<Option<Object>, ApiError> {
        let Some(client) = &self.client else {
            let text = format!("targets of kind {} need a cluster", target.kind);
            return Err(ApiError::new(ApiErrorKind::Invalid, text));
        };
        let (group, version) = target
            .api_version
            .split_once('/')
            .unwrap_or(("", &target.api_version));
        let wanted = GroupVersionKind::gvk(group, version, &target.kind);
        let resource = match pinned_kind(client, &wanted).await {
            Ok((resource, _)) => resource,
            Err(kube::Error::Discovery(_)) => {
                let text = format!("there is no kind {}", target.kind);
                return Err(ApiError::new(ApiErrorKind::NotFound, text));
            }
            Err(error) => return Err(ApiError::from(error)),
        };
        let object = ApiObject::dynamic(&resource, Some(&target.namespace), &target.name);
        object.get(client).await
    }
}
