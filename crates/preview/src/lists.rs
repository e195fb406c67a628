//! Lists what an API server holds of the operator's kinds. A kind without its CRD counts as empty, so that
//! a plan can be made before the CRDs are there.

use anyhow::Result;
use k8s_openapi::api::core::v1::Namespace;
use kube::{Client, Resource};
use lockstep_api::{
    ClusterExternalSecret, ClusterPushSecret, ClusterSecretStore, ExternalSecret, PushSecret,
    SecretStore,
};
use lockstep_index::ObjectKey;
use lockstep_runtime::api_error::ApiErrorKind;
use lockstep_runtime::api_object::list_all;
use lockstep_toolbox::cluster::failure;
use serde::de::DeserializeOwned;

use crate::objects::Objects;

/// Everything of the operator's kinds, in one namespace or in all.
pub(crate) async fn load(client: &Client, namespace: Option<&str>) -> Result<Objects> {
    let mut objects = Objects::default();
    for one in listed::<ExternalSecret>(client, namespace).await? {
        let key = ObjectKey::of(&one.metadata);
        objects.external_secrets.insert(key, one);
    }
    for one in listed::<PushSecret>(client, namespace).await? {
        objects
            .push_secrets
            .insert(ObjectKey::of(&one.metadata), one);
    }
    for one in listed::<SecretStore>(client, namespace).await? {
        objects.add_store(one);
    }
    for one in listed::<ClusterSecretStore>(client, None).await? {
        objects.add_store(one);
    }
    for one in listed::<ClusterExternalSecret>(client, None).await? {
        let name = one.metadata.name.clone().unwrap_or_default();
        objects.cluster_external_secrets.insert(name, one);
    }
    for one in listed::<ClusterPushSecret>(client, None).await? {
        let name = one.metadata.name.clone().unwrap_or_default();
        objects.cluster_push_secrets.insert(name, one);
    }
    for one in listed::<Namespace>(client, None).await? {
        let name = one.metadata.name.clone().unwrap_or_default();
        objects.namespaces.insert(name, one);
    }
    Ok(objects)
}

async fn listed<K>(client: &Client, namespace: Option<&str>) -> Result<Vec<K>>
where
    K: Resource<DynamicType = ()> + DeserializeOwned,
{
    match list_all(client, namespace).await {
        Err(error) if error.is(ApiErrorKind::NotFound) => Ok(Vec::new()),
        listed => listed.map_err(|error| failure(&format!("list {}", K::plural(&())), &error)),
    }
}
