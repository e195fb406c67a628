//! Pods as far as they use Secrets. The API's own type would add decoders of half a megabyte for fields that
//! nobody judges.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use serde::Deserialize;

/// A pod.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Pod {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: Option<PodSpec>,
    pub(crate) status: Option<PodStatus>,
}

impl k8s_openapi::Resource for Pod {
    const API_VERSION: &'static str = "v1";
    const GROUP: &'static str = "";
    const KIND: &'static str = "Pod";
    const VERSION: &'static str = "v1";
    const URL_PATH_SEGMENT: &'static str = "pods";
    type Scope = k8s_openapi::NamespaceResourceScope;
}

impl k8s_openapi::Metadata for Pod {
    type Ty = ObjectMeta;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// When it started.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PodStatus {
    pub(crate) start_time: Option<Time>,
}

/// Where Secrets are named.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PodSpec {
    pub(crate) containers: Option<Vec<Container>>,
    pub(crate) init_containers: Option<Vec<Container>>,
    pub(crate) volumes: Option<Vec<Volume>>,
    pub(crate) image_pull_secrets: Option<Vec<SecretSource>>,
}

/// The environment of a container.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Container {
    pub(crate) env: Option<Vec<EnvVar>>,
    pub(crate) env_from: Option<Vec<EnvFrom>>,
}

/// Variables from a whole object.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct EnvFrom {
    pub(crate) secret_ref: Option<SecretSource>,
}

/// One variable.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct EnvVar {
    pub(crate) value_from: Option<ValueFrom>,
}

/// Where its value comes from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ValueFrom {
    pub(crate) secret_key_ref: Option<SecretKey>,
}

/// One key of a Secret.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SecretKey {
    pub(crate) name: String,
    pub(crate) key: String,
    pub(crate) optional: Option<bool>,
}

/// A whole Secret.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SecretSource {
    pub(crate) name: String,
    pub(crate) optional: Option<bool>,
}

/// A volume.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Volume {
    pub(crate) secret: Option<SecretVolume>,
    pub(crate) projected: Option<Projected>,
}

/// A volume of one Secret.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SecretVolume {
    pub(crate) secret_name: Option<String>,
    pub(crate) optional: Option<bool>,
    pub(crate) items: Option<Vec<Item>>,
}

/// One key in a volume.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Item {
    pub(crate) key: String,
}

/// A volume of several sources.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Projected {
    pub(crate) sources: Option<Vec<ProjectedSource>>,
}

/// One of them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ProjectedSource {
    pub(crate) secret: Option<SecretSource>,
}
