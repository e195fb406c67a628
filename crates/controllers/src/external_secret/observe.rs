//! Collects what a reconcile of an ExternalSecret knows before it decides: its row, its target's row, the
//! labels of its namespace, and how old an answer may be.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lockstep_api::ExternalSecret;
use lockstep_index::{Memory, ObjectKey};
use lockstep_plan::external_secret::{
    Observed, ObservedTarget, TemplateSources, created_by, tolerance,
};
use lockstep_plan::manifest_target::ObjectRef;
use lockstep_reconcile::external_secret::{ExternalSecretWorld, observe_manifest_target};
use lockstep_runtime::schedule::{Job, Lane};

use crate::namespace_labels::{NamespaceLabels, labels};
use crate::watch::watch_kind;
use crate::world::ClusterWorld;

/// What is known before a reconcile.
pub(super) struct Seen<'a> {
    pub(super) observed: Observed<'a>,
    pub(super) memory: Memory,
    pub(super) labels: NamespaceLabels,
}

/// Collects it; `None` when the object is gone.
pub(super) async fn observe<'a>(
    world: &ClusterWorld<'a>,
    job: &Job<ObjectKey>,
    now: Timestamp,
) -> Option<Seen<'a>> {
    let (context, key) = (world.context, &job.key);
    let shared_reads = &context.schedule.shared_reads;
    let (object, memory) = context.index.external_secrets().snapshot(key)?;
    let last_refresh = memory.refreshed.max(shared_reads.refreshed(key));
    if memory.target_changed() {
        // Its next refresh has to look at the target, so it cannot be left to shared reads.
        let mut rows = context.index.external_secrets();
        rows.note_refresh(key, last_refresh);
        drop(rows);
        shared_reads.leave(key);
    }
    let stores = context.index.external_secrets().stores_named(key);
    let labels = labels(context, key.namespace(), &stores).await;
    let target = target(world, &object, &memory).await;
    let made_by = created_by(&object);
    let former_targets = context.index.targets().made_by(key.namespace(), &made_by);
    // Whoever failed wants to know how it is now.
    let tolerated = if memory.ready {
        tolerance(&object)
    } else {
        Duration::ZERO
    };
    let observed = Observed {
        namespace_labels: labels.labels.clone(),
        stores: &context.index,
        target,
        former_targets,
        last_refresh,
        inputs_changed: memory.inputs_changed(),
        asked: asked(job, memory.asked, tolerated, now),
        sources: TemplateSources::new(),
        jitter: fastrand::f64(),
        object,
    };
    Some(Seen {
        observed,
        memory,
        labels,
    })
}

/// Answers to reads that began earlier do not count.
fn asked(job: &Job<ObjectKey>, asked: Timestamp, tolerated: Duration, now: Timestamp) -> Timestamp {
    // Nobody asks in the future, but for a clock that was set back.
    let asked = asked.min(now);
    match job.lane {
        Lane::Fresh => asked,
        Lane::Due => asked.max(due_since(job.waited + tolerated, now)),
    }
}

fn due_since(waited: Duration, now: Timestamp) -> Timestamp {
    let waited = SignedDuration::try_from(waited).unwrap_or_default();
    now.saturating_sub(waited).unwrap_or(now)
}

/// What is known of the target, read live only where the index cannot have it.
async fn target(
    world: &ClusterWorld<'_>,
    object: &ExternalSecret,
    memory: &Memory,
) -> ObservedTarget {
    let context = world.context;
    let generic = context.settings.current().generic_targets;
    if let Some(target) = ObjectRef::of(object).filter(|_| generic) {
        watch_kind(context, &target).await;
        let read = context.api.read_object(&target);
        return observe_manifest_target(object, &target, read).await;
    }
    let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
    let key = ObjectKey::new(namespace, object.target_name());
    let row = context.index.targets().get(&key);
    match row {
        Some(row) => ObservedTarget::Row(row),
        None if memory.awaits_target && exists(world, &key).await => ObservedTarget::Unlabelled,
        None => ObservedTarget::Absent,
    }
}

async fn exists(world: &ClusterWorld<'_>, target: &ObjectKey) -> bool {
    let found = world.read_secret(target.namespace(), target.name()).await;
    matches!(found, Ok(Some(_)))
}
