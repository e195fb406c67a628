//! Waits for a Deployment that was scaled up, and for the time in which its Secrets are watched.

use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::apps::v1::Deployment;
use kube::Client;
use lockstep_runtime::api_object::{ApiObject, Written};
use lockstep_runtime::apply::Writer;
use lockstep_toolbox::cluster::failure;
use lockstep_toolbox::exit::Failure;
use serde_json::json;

/// Time between two looks.
const LOOK: Duration = Duration::from_secs(1);

/// Scales a Deployment.
pub(crate) async fn scale(
    client: &Client,
    (namespace, name): (&str, &str),
    replicas: i32,
) -> Result<()> {
    let target = ApiObject::of::<Deployment>(Some(namespace), name);
    let patch = json!({"spec": {"replicas": replicas}});
    let writer = Writer::new(client.clone());
    let scaled = writer.merge(&target, &patch, Some("lockstep")).await;
    let doing = format!("scale deployment {namespace}/{name}");
    scaled
        .map(|_: Written| ())
        .map_err(|error| failure(&doing, &error))
}

/// Waits until a pod of the Deployment is ready.
pub(crate) async fn ready(
    client: &Client,
    (namespace, name): (&str, &str),
    patience: Duration,
) -> Result<()> {
    let target = ApiObject::of::<Deployment>(Some(namespace), name);
    let mut waited = Duration::ZERO;
    loop {
        let read = target.require::<Deployment>(client).await;
        let doing = format!("read deployment {namespace}/{name}");
        let deployment = read.map_err(|error| failure(&doing, &error))?;
        let pods = deployment.status.and_then(|status| status.ready_replicas);
        if pods.unwrap_or(0) > 0 {
            return Ok(());
        }
        if waited >= patience {
            return Err(Failure::missing(format!(
                "no pod of deployment {namespace}/{name} became ready within {patience:?}; look at: \
                 kubectl --namespace {namespace} describe deployment {name}"
            )));
        }
        tokio::time::sleep(LOOK).await;
        waited += LOOK;
    }
}
