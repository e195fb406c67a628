//! What an installation uses that this build does not have: kinds, providers and generators of all objects
//! in the cluster, judged by `lockstep check`.

use anyhow::Result;
use kube::Client;
use kube::core::{ApiResource, GroupVersionKind};
use lockstep_api::external_secret::{GeneratorKind, GeneratorRef};
use lockstep_api::keys::{GENERATORS_GROUP, GROUP};
use lockstep_runtime::api_error::ApiErrorKind;
use lockstep_runtime::api_object::list_dynamic;
use lockstep_toolbox::check::not_served;
use lockstep_toolbox::cluster::failure;
use serde_json::Value;

/// Kinds of the operator beside generators: version, kind and plural.
pub(crate) const KINDS: [(&str, &str, &str); 6] = [
    ("v1", "ExternalSecret", "externalsecrets"),
    ("v1", "SecretStore", "secretstores"),
    ("v1", "ClusterSecretStore", "clustersecretstores"),
    ("v1", "ClusterExternalSecret", "clusterexternalsecrets"),
    ("v1alpha1", "PushSecret", "pushsecrets"),
    ("v1alpha1", "ClusterPushSecret", "clusterpushsecrets"),
];

/// What is in use and not served, each as a line that names its users.
pub(crate) async fn missing(client: &Client) -> Result<Vec<String>> {
    let mut objects = Vec::new();
    for (version, kind, plural) in KINDS {
        objects.extend(all(client, (GROUP, version, kind, plural)).await?);
    }
    let version = GeneratorRef::API_VERSION
        .rsplit('/')
        .next()
        .unwrap_or("v1alpha1");
    for kind in GeneratorKind::WORDS.iter().copied() {
        let plural = lockstep_generators::plural(kind);
        objects.extend(all(client, (GENERATORS_GROUP, version, kind, &plural)).await?);
    }
    Ok(not_served(&objects))
}

/// All objects of a kind, as JSON; none where there is no such kind.
pub(crate) async fn all(
    client: &Client,
    (group, version, kind, plural): (&str, &str, &str, &str),
) -> Result<Vec<Value>> {
    let of_kind = GroupVersionKind::gvk(group, version, kind);
    let resource = ApiResource::from_gvk_with_plural(&of_kind, plural);
    let listed = match list_dynamic(client, &resource, None).await {
        Err(error) if error.is(ApiErrorKind::NotFound) => return Ok(Vec::new()),
        listed => listed.map_err(|error| failure(&format!("list {plural}"), &error))?,
    };
    let objects = listed.into_iter().filter_map(|object| {
        let mut value = serde_json::to_value(object).ok()?;
        // Items of a list do not repeat them.
        value["apiVersion"] = format!("{group}/{version}").into();
        value["kind"] = kind.into();
        Some(value)
    });
    Ok(objects.collect())
}
