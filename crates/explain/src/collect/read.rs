//! Reads that keep names and keys only, so that no value of a Secret outlives the answer it came in.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{ConfigMap, Secret, ServiceAccount};
use kube::api::{Api, ListParams};
use kube::core::DynamicObject;
use lockstep_runtime::api_error::ApiError;
use lockstep_runtime::api_object::ApiObject;
use lockstep_toolbox::cluster::told;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Collector;
use crate::facts::Looked;
use crate::kinds::Kind;

/// An object with data, of which the keys are kept.
#[derive(Deserialize)]
#[expect(
    clippy::zero_sized_map_values,
    reason = "values are on the wire, and are not to be kept"
)]
struct Keyed {
    #[serde(default)]
    data: Option<BTreeMap<String, IgnoredAny>>,
}

impl Collector<'_> {
    /// Keys of a Secret, ConfigMap or ServiceAccount; the latter has none.
    pub(super) async fn keys_of(
        &self,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Looked<BTreeSet<String>> {
        let object = match kind {
            "ConfigMap" => ApiObject::of::<ConfigMap>(Some(namespace), name),
            "ServiceAccount" => ApiObject::of::<ServiceAccount>(Some(namespace), name),
            _ => ApiObject::of::<Secret>(Some(namespace), name),
        };
        match object.get::<Keyed>(self.client).await {
            Ok(Some(keyed)) => Looked::There(keyed.data.unwrap_or_default().into_keys().collect()),
            Ok(None) => Looked::Missing(String::new()),
            Err(error) => Looked::Failed(told(&error)),
        }
    }

    /// Objects of a kind, in one namespace or in all.
    pub(super) async fn list(
        &self,
        kind: &Kind,
        namespace: Option<&str>,
    ) -> Result<Vec<DynamicObject>, ApiError> {
        let resource = kind.resource();
        let client = self.client.clone();
        let api: Api<DynamicObject> = match namespace {
            Some(namespace) => Api::namespaced_with(client, namespace, &resource),
            None => Api::all_with(client, &resource),
        };
        Ok(api.list(&ListParams::default()).await?.items)
    }

    /// Names of the objects of a kind.
    pub(super) async fn names(
        &self,
        kind: &Kind,
        namespace: Option<&str>,
    ) -> Result<Vec<String>, ApiError> {
        let found = self.list(kind, namespace).await?.into_iter();
        Ok(found.filter_map(|object| object.metadata.name).collect())
    }
}
