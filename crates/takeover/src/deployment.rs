//! Deployments as far as they tell which operator runs. The API's own type would add decoders of half a
//! megabyte for fields that nobody reads.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;

/// A Deployment.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Deployment {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: Option<DeploymentSpec>,
    pub(crate) status: Option<DeploymentStatus>,
}

impl k8s_openapi::Resource for Deployment {
    const API_VERSION: &'static str = "apps/v1";
    const GROUP: &'static str = "apps";
    const KIND: &'static str = "Deployment";
    const VERSION: &'static str = "v1";
    const URL_PATH_SEGMENT: &'static str = "deployments";
    type Scope = k8s_openapi::NamespaceResourceScope;
}

impl k8s_openapi::Metadata for Deployment {
    type Ty = ObjectMeta;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// What it wants.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct DeploymentSpec {
    pub(crate) replicas: Option<i32>,
    pub(crate) template: PodTemplate,
}

/// Its pods.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PodTemplate {
    pub(crate) spec: Option<PodSpec>,
}

/// What runs in them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PodSpec {
    pub(crate) containers: Vec<Container>,
}

/// One container.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Container {
    pub(crate) image: Option<String>,
    pub(crate) command: Option<Vec<String>>,
    pub(crate) args: Option<Vec<String>>,
}

/// What it has.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct DeploymentStatus {
    pub(crate) observed_generation: Option<i64>,
    pub(crate) replicas: Option<i32>,
    pub(crate) available_replicas: Option<i32>,
}
