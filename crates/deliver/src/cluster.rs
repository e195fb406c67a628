//! ExternalSecrets of a cluster: reads the Secrets that the operator keeps for them. Asks no backend and
//! writes nothing; an object whose last sync failed is delivered with its last good values, and said.

use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use lockstep_api::ExternalSecret;
use lockstep_api::conditions::{Condition, READY};
use lockstep_provider_api::{SecretMap, SecretValue};
use lockstep_runtime::api_object::{ApiObject, list_all};
use lockstep_toolbox::cluster::{Cluster, failure};
use lockstep_toolbox::console;

use crate::source::{Delivered, Supply};

/// Time between two looks at a cluster. Secrets change at the refresh interval, which is longer.
const LOOK: Duration = Duration::from_secs(10);

/// The ExternalSecrets of one namespace.
pub(crate) struct ClusterSource {
    cluster: Cluster,
    /// Failures that were said already.
    said: Vec<String>,
}

impl ClusterSource {
    pub(crate) fn new(cluster: Cluster) -> Self {
        Self {
            cluster,
            said: Vec::new(),
        }
    }

    pub(crate) async fn changed(&mut self) -> anyhow::Result<Supply> {
        tokio::time::sleep(LOOK).await;
        self.read().await
    }

    pub(crate) async fn read(&mut self) -> anyhow::Result<Supply> {
        let (client, namespace) = (&self.cluster.client, self.cluster.namespace.as_str());
        let objects: Vec<ExternalSecret> = list_all(client, Some(namespace))
            .await
            .map_err(|error| failure(&format!("list externalsecrets of {namespace}"), &error))?;
        let (mut supply, mut troubles) = (Supply::default(), Vec::new());
        for object in objects {
            let name = object.metadata.name.clone().unwrap_or_default();
            let target = object.target_name();
            let secret = ApiObject::of::<Secret>(Some(namespace), target);
            let secret: Option<Secret> = secret
                .get(client)
                .await
                .map_err(|error| failure(&format!("read secret {namespace}/{target}"), &error))?;
            if let Some(trouble) = trouble(&object) {
                let keeps = if secret.is_some() {
                    "; its last good values are used"
                } else {
                    ""
                };
                troubles.push(format!(
                    "warning: externalsecret {namespace}/{name} is not ready: {trouble}{keeps}\n"
                ));
            }
            match secret {
                Some(secret) => supply.objects.push(Delivered {
                    namespace: namespace.to_owned(),
                    name,
                    data: values(secret),
                }),
                None => supply.failed.push(format!("{namespace}/{name}")),
            }
        }
        for trouble in troubles.iter().filter(|one| !self.said.contains(one)) {
            console::fail(trouble);
        }
        self.said = troubles;
        Ok(supply)
    }
}

/// Why an object is not ready.
fn trouble(object: &ExternalSecret) -> Option<String> {
    let conditions = object.status.as_ref().map(|status| &status.conditions);
    let ready = conditions.and_then(|conditions| Condition::find(conditions, READY));
    match ready {
        Some(ready) if ready.is_true() => None,
        Some(ready) => Some(ready.message.clone().unwrap_or_default()),
        None => Some("it was not synced yet".to_owned()),
    }
}

fn values(secret: Secret) -> SecretMap {
    let data = secret.data.unwrap_or_default().into_iter();
    data.map(|(key, value)| (key, SecretValue::new(value.0)))
        .collect()
}
