//! Waits for a Deployment that was scaled up, and for the time in which its Secrets are watched.

use std::time::Duration;

use anyhow::Result;
use kube::Client;
use lockstep_runtime::api_object::{ApiObject, Written};
use lockstep_runtime::apply::Writer;
use lockstep_toolbox::cluster::failure;
use serde_json::json;

use crate::deployment::Deployment;

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

/// Whether a Deployment that was scaled up came up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rollout {
    /// A pod of it is available.
    Available,
    /// Patience ended before.
    TimedOut,
}

/// Waits until a pod of the Deployment is available.
pub(crate) async fn available(
    client: &Client,
    (namespace, name): (&str, &str),
    patience: Duration,
) -> Result<Rollout> {
    let target = ApiObject::of::<Deployment>(Some(namespace), name);
    let mut waited = Duration::ZERO;
    loop {
        let read = target.require::<Deployment>(client).await;
        let doing = format!("read deployment {namespace}/{name}");
        let deployment = read.map_err(|error| failure(&doing, &error))?;
        if is_available(&deployment) {
            return Ok(Rollout::Available);
        }
        if waited >= patience {
            return Ok(Rollout::TimedOut);
        }
        tokio::time::sleep(LOOK).await;
        waited += LOOK;
    }
}

/// Whether a pod is available. A status of an older spec says nothing about this one.
fn is_available(deployment: &Deployment) -> bool {
    let Some(status) = &deployment.status else {
        return false;
    };
    let is_current = status.observed_generation >= deployment.metadata.generation;
    is_current && status.available_replicas.unwrap_or(0) > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_counts_once_it_is_about_the_present_spec() {
        let deployment = |observed: i64, pods: i32| {
            let deployment = json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"generation": 2},
                "status": {"observedGeneration": observed, "availableReplicas": pods},
            });
            serde_json::from_value::<Deployment>(deployment).unwrap()
        };

        assert!(is_available(&deployment(2, 1)));
        assert!(!is_available(&deployment(1, 1)));
        assert!(!is_available(&deployment(2, 0)));
        assert!(!is_available(&Deployment::default()));
    }
}
