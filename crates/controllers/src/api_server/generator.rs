//! Reads generators from the API server when an ExternalSecret names one.

use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use lockstep_api::external_secret::GeneratorRef;
use lockstep_api::keys::GENERATORS_GROUP;
use lockstep_generators::{CLUSTER_KIND, plural, unwrap};
use lockstep_provider_api::{Error, ErrorKind};
use lockstep_reconcile::Generator;
use lockstep_runtime::api_error::ApiError;
use lockstep_runtime::api_object::ApiObject;
use serde_json::Value;

use super::ApiServer;

impl ApiServer {
    /// Reads the generator that `reference` means in `namespace`.
    pub(crate) async fn generator(
        &self,
        namespace: &str,
        reference: &GeneratorRef,
    ) -> Result<Generator, Error> {
        let api_version = reference.api_version();
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        if group != GENERATORS_GROUP {
            let text = format!("{api_version:?} is not of the group {GENERATORS_GROUP}");
            return Err(Error::invalid_spec(text));
        }
        let kind = reference.kind.as_str();
        let of_kind = GroupVersionKind::gvk(group, version, kind);
        let resource = ApiResource::from_gvk_with_plural(&of_kind, &plural(kind));
        let namespace = (kind != CLUSTER_KIND).then_some(namespace);
        let target = ApiObject::dynamic(&resource, namespace, &reference.name);
        let mut object: DynamicObject = target.require(&self.client).await.map_err(missing)?;
        let spec = object.data.get("spec").cloned().unwrap_or(Value::Null);
        if kind != CLUSTER_KIND {
            object.metadata.managed_fields = None;
            return Ok(Generator {
                kind: kind.to_owned(),
                metadata: serde_json::to_value(object.metadata).unwrap_or_default(),
                spec,
            });
        }
        let (kind, spec) = unwrap(&spec)?;
        Ok(Generator {
            kind,
            metadata: serde_json::json!({}),
            spec,
        })
    }
}

/// A generator that is not there must not read as a missing remote secret.
fn missing(failure: ApiError) -> Error {
    let error = Error::from(failure);
    let kind = match error.kind() {
        ErrorKind::NotFound => ErrorKind::InvalidSpec,
        kind => kind.clone(),
    };
    Error::new(kind, error.to_string())
}
