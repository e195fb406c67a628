//! The API server: its client, the writer of objects, event recorders, and the kinds of targets found out
//! at run time. Reads and writes; knows no row.

mod generator;
mod manifest_kinds;
mod manifest_object;
mod recorders;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Client, Resource};
use lockstep_runtime::api_object::ApiObject;
use lockstep_runtime::apply::Writer;

pub(crate) use manifest_kinds::{ManifestKinds, kind_of};
pub(crate) use recorders::{Recorders, about};

/// Reads, writes and events.
pub(crate) struct ApiServer {
    pub(crate) client: Client,
    pub(crate) writer: Writer,
    pub(crate) recorders: Recorders,
    /// Kinds of targets that are no Secrets.
    pub(crate) kinds: ManifestKinds,
}

impl ApiServer {
    pub(crate) fn new(client: Client, recorders: Recorders) -> Self {
        Self {
            writer: Writer::new(client.clone()),
            client,
            recorders,
            kinds: ManifestKinds::default(),
        }
    }
}

/// The object that metadata names.
pub(crate) fn target<K: Resource<DynamicType = ()>>(metadata: &ObjectMeta) -> ApiObject {
    ApiObject::of::<K>(
        metadata.namespace.as_deref(),
        metadata.name.as_deref().unwrap_or_default(),
    )
}
