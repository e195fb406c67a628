//! The parents among the manifests: which children they would write, as jobs of their own.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use lockstep_api::{ExternalSecret, PushSecret};

use super::{Applied, Change, Jobs, job};
use crate::engine::Engine;
use crate::fan_out::children;

/// Runs the parents among the manifests and adds their children to the jobs.
pub(super) async fn add_children(
    engine: &Engine,
    (applied, written): (&Applied, &mut Vec<(String, Change, String)>),
    jobs: &mut Jobs<ExternalSecret>,
    push_jobs: &mut Jobs<PushSecret>,
) {
    let (scene, means) = (&*engine.scene, (&engine.settings, engine.now()));
    let live = &scene.present.objects;
    for (name, parent) in &scene.given.cluster_external_secrets {
        let Some(cause) = parent_cause(
            "ClusterExternalSecret",
            name,
            applied.cluster_external_secrets.get(name),
        ) else {
            continue;
        };
        let found = children(scene, parent.clone(), &live.external_secrets, means).await;
        for (key, child) in found {
            let held = live.external_secrets.get(&key);
            let metadata = |held: &ExternalSecret| held.metadata.clone();
            let Some((child, change)) = settled(child, held, metadata, means.1) else {
                continue;
            };
            written.push((format!("ExternalSecret {key}"), change, cause.clone()));
            jobs.insert(key, job(child, &cause));
        }
    }
    for (name, parent) in &scene.given.cluster_push_secrets {
        let Some(cause) = parent_cause(
            "ClusterPushSecret",
            name,
            applied.cluster_push_secrets.get(name),
        ) else {
            continue;
        };
        let found = children(scene, parent.clone(), &live.push_secrets, means).await;
        for (key, child) in found {
            let held = live.push_secrets.get(&key);
            let metadata = |held: &PushSecret| held.metadata.clone();
            let Some((child, change)) = settled(child, held, metadata, means.1) else {
                continue;
            };
            written.push((format!("PushSecret {key}"), change, cause.clone()));
            push_jobs.insert(key, job(child, &cause));
        }
    }
}

fn parent_cause(kind: &str, name: &str, change: Option<&Change>) -> Option<String> {
    match change? {
        Change::Same => None,
        Change::New => Some(format!("{kind} {name} is new")),
        Change::Changed(_) => Some(format!("{kind} {name} changes")),
    }
}

/// Something with metadata.
trait Named: Clone {
    fn metadata_mut(&mut self) -> &mut ObjectMeta;
}

impl Named for ExternalSecret {
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

impl Named for PushSecret {
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// A child as the API server would keep it, and what becomes of it.
fn settled<T: Named>(
    child: Option<T>,
    held: Option<&T>,
    metadata: impl Fn(&T) -> ObjectMeta,
    now: Timestamp,
) -> Option<(T, Change)> {
    match (child, held) {
        (Some(mut child), None) => {
            let name = metadata(&child).name.unwrap_or_default();
            child.metadata_mut().uid = Some(format!("new-{name}"));
            child.metadata_mut().generation = Some(1);
            Some((child, Change::New))
        }
        (Some(mut child), Some(held)) => {
            let generation = metadata(held).generation.unwrap_or_default();
            child.metadata_mut().generation = Some(generation + 1);
            Some((child, Change::Changed(vec!["spec".to_owned()])))
        }
        (None, Some(held)) => {
            let mut gone = held.clone();
            gone.metadata_mut().deletion_timestamp = Some(Time(now));
            Some((gone, Change::Changed(vec!["deleted".to_owned()])))
        }
        (None, None) => None,
    }
}
