//! The ExternalSecret controller: collects what the mirror knows, lets the engine run, and turns the
//! outcome into the next wake-up. Decides nothing.

use std::sync::Arc;
use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use lockstep_engine::World;
use lockstep_engine::external_secret::{Engine, Observation, Outcome, Target};
use lockstep_plan::external_secret::{NextRun, created_by};
use lockstep_plan::generic::ObjectRef;
use lockstep_runtime::dispatch::Next;

use crate::generic;
use crate::key::ObjectKey;
use crate::shared::Shared;
use crate::sources;
use crate::world::ClusterWorld;

/// Time between two looks for a Secret that someone else is to make. It carries no label yet, so no
/// watch shows it.
const LOOK_FOR_TARGET: SignedDuration = SignedDuration::from_secs(15);
/// Time between two tries of a store that cannot be reached.
const PROBE: f64 = 10.0;

/// Runs one object.
pub(crate) async fn run(shared: Arc<Shared>, key: ObjectKey) -> Next {
    let (now, clock) = (shared.now(), Instant::now());
    let world = ClusterWorld { shared: &shared };
    let Some(observation) = observe(&shared, &world, &key).await else {
        return Next::Idle;
    };
    sources::note(&shared, &key, &observation.object);
    let generic = ObjectRef::of(&observation.object).filter(|_| shared.settings().generic_targets);
    if let Some(target) = generic {
        generic::watch_kind(&shared, &target).await;
    }
    let engine = Engine {
        world: &world,
        stores: shared.as_ref(),
        connections: &shared.connections,
        settings: shared.settings(),
    };
    let outcome = engine.run(observation, now, fastrand::f64()).await;
    log(&key, &outcome);
    let nanos = u64::try_from(clock.elapsed().as_nanos()).unwrap_or(u64::MAX);
    shared
        .mirror
        .external_secrets()
        .note_run(&key, nanos, &outcome);
    next(&outcome, now)
}

async fn observe(
    shared: &Shared,
    world: &ClusterWorld<'_>,
    key: &ObjectKey,
) -> Option<Observation> {
    let (object, memory) = shared.mirror.external_secrets().take(key)?;
    let namespace_labels = shared.mirror.namespaces().labels(key.namespace());
    let target_key = ObjectKey::new(key.namespace(), object.target_name());
    let (row, former_targets) = {
        let targets = shared.mirror.targets();
        let former = targets.made_by(key.namespace(), &created_by(&object));
        (targets.get(&target_key), former)
    };
    let target = match row {
        Some(row) => Target::Known(row),
        None if memory.awaits_target && exists(world, &target_key).await => Target::Unlabelled,
        None => Target::Unknown,
    };
    Some(Observation {
        object,
        namespace_labels,
        target,
        former_targets,
        last_refresh: memory.refreshed,
        inputs_changed: memory.inputs_changed,
    })
}

async fn exists(world: &ClusterWorld<'_>, target: &ObjectKey) -> bool {
    let found = world.read_secret(target.namespace(), target.name()).await;
    matches!(found, Ok(Some(_)))
}

fn next(outcome: &Outcome, now: Timestamp) -> Next {
    let failed = outcome.failure.is_some();
    let at = |delay: SignedDuration| now.saturating_add(delay).unwrap_or(Timestamp::MAX);
    let next = match outcome.next {
        NextRun::At(time) => Next::At(time),
        NextRun::After(delay) => {
            let time = at(SignedDuration::try_from(delay).unwrap_or(SignedDuration::MAX));
            if failed {
                Next::FailedUntil(time)
            } else {
                Next::At(time)
            }
        }
        NextRun::Backoff if failed => Next::Failed,
        NextRun::Backoff => Next::Again,
        NextRun::Breaker => {
            let delay = PROBE * (0.5 + fastrand::f64());
            Next::FailedUntil(at(
                SignedDuration::try_from_secs_f64(delay).unwrap_or_default()
            ))
        }
        NextRun::OnChange => Next::Idle,
    };
    if outcome.awaits_target {
        let look = at(LOOK_FOR_TARGET);
        return match next {
            Next::At(time) => Next::At(time.min(look)),
            _ => Next::At(look),
        };
    }
    next
}

fn log(key: &ObjectKey, outcome: &Outcome) {
    match &outcome.failure {
        Some(failure) if outcome.condition_changed => {
            tracing::warn!(external_secret = %key, error = %failure, "sync failed");
        }
        Some(failure) => {
            tracing::debug!(external_secret = %key, error = %failure, "sync failed again");
        }
        None if outcome.condition_changed => {
            tracing::info!(external_secret = %key, "reconciled secret");
        }
        None => tracing::debug!(external_secret = %key, next = ?outcome.next, "run ended"),
    }
}
