//! The ExternalSecret controller: collects what the index knows, lets the engine run, and turns the
//! outcome into the next wake-up. Decides nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use lockstep_index::{Memory, ObjectKey, Reader, SyncNote};
use lockstep_plan::NextRun;
use lockstep_plan::external_secret::{created_by, tolerance};
use lockstep_plan::manifest_target::ObjectRef;
use lockstep_reconcile::World;
use lockstep_reconcile::external_secret::{Engine, Observation, Outcome, Target};
use lockstep_runtime::dispatch::Next;
use lockstep_runtime::schedule::{Job, Lane};

use crate::callers::{self, CallerLabels};
use crate::manifest_targets;
use crate::refresh_floor;
use crate::shared::{Shared, nanos_since};
use crate::wake_up::wake_up;
use crate::world::ClusterWorld;

/// Time between two looks for a Secret that someone else is to make. It carries no label yet, so no
/// watch shows it.
const LOOK_FOR_TARGET: SignedDuration = SignedDuration::from_secs(15);

/// Runs one object.
pub(crate) async fn run(shared: Arc<Shared>, job: Job<ObjectKey>) -> Next {
    let (now, clock) = (shared.now(), Instant::now());
    let stores = || shared.index.external_secrets().stores_named(&job.key);
    if let Some(until) = shared.hold(&Reader::ExternalSecret(job.key.clone()), stores, now) {
        return Next::At(until);
    }
    let world = ClusterWorld { shared: &shared };
    let Some(Seen {
        observation,
        memory,
        labels,
    }) = observe(&shared, &world, &job, now).await
    else {
        return Next::Idle;
    };
    let generic = ObjectRef::of(&observation.object).filter(|_| shared.settings().generic_targets);
    if let Some(target) = generic {
        manifest_targets::watch_kind(&shared, &target).await;
    }
    let key = job.key;
    let engine = Engine {
        world: &world,
        stores: shared.as_ref(),
        reads: &shared.reads,
        settings: shared.settings(),
        planning: &shared.planning,
    };
    let mut outcome = engine.run(observation, now, fastrand::f64()).await;
    outcome.next = labels.next(outcome.next, outcome.failure.as_ref());
    if labels.unwatched {
        // Shared reads would go on after the namespace got labels that shut it out.
        outcome.shares = None;
    }
    log(&key, &outcome);
    let note = SyncNote {
        nanos: nanos_since(clock),
        failed: outcome.failure.is_some(),
        refreshed: outcome.refreshed,
        awaits_target: outcome.awaits_target,
    };
    let mut rows = shared.index.external_secrets();
    rows.note_run(&key, &note, &memory);
    drop(rows);
    let kept = share(&shared, &key, &mut outcome);
    match next(&shared, &outcome, now, kept) {
        Next::At(at) if outcome.refreshed.is_some() && !kept => {
            Next::At(refresh_floor::next_refresh(&shared, &key, at, now))
        }
        next => next,
    }
}

/// Lets shared reads keep the object fresh, where they can. Returns whether they do.
fn share(shared: &Shared, key: &ObjectKey, outcome: &mut Outcome) -> bool {
    let Some(reads) = outcome.shares.take() else {
        return shared.sharing.refreshed(key).is_some();
    };
    if !shared.sharing.subscribe(key, reads) {
        shared.input_changed(vec![key.clone()], shared.now());
    }
    if !shared.index.external_secrets().contains(key) {
        // It was deleted during its run.
        shared.sharing.leave(key);
    }
    true
}

/// What is known before a run.
struct Seen {
    observation: Observation,
    memory: Memory,
    labels: CallerLabels,
}

async fn observe(
    shared: &Shared,
    world: &ClusterWorld<'_>,
    job: &Job<ObjectKey>,
    now: Timestamp,
) -> Option<Seen> {
    let key = &job.key;
    let (object, memory) = shared.index.external_secrets().snapshot(key)?;
    let last_refresh = memory.refreshed.max(shared.sharing.refreshed(key));
    if memory.target_changed() {
        // Its next refresh has to look at the target, so it cannot be left to shared reads.
        let mut rows = shared.index.external_secrets();
        rows.note_refresh(key, last_refresh);
        drop(rows);
        shared.sharing.leave(key);
    }
    let stores = shared.index.external_secrets().stores_named(key);
    let labels = callers::labels(shared, key.namespace(), &stores).await;
    let target_key = ObjectKey::new(key.namespace(), object.target_name());
    let (row, former_targets) = {
        let targets = shared.index.targets();
        let former = targets.made_by(key.namespace(), &created_by(&object));
        (targets.get(&target_key), former)
    };
    let target = match row {
        Some(row) => Target::Known(row),
        None if memory.awaits_target && exists(world, &target_key).await => Target::Unlabelled,
        None => Target::Unknown,
    };
    // Nobody asks in the future, but for a clock that was set back.
    let asked = memory.asked.min(now);
    // Whoever failed wants to know how it is now.
    let tolerated = if memory.ready {
        tolerance(&object)
    } else {
        Duration::ZERO
    };
    let observation = Observation {
        namespace_labels: labels.labels.clone(),
        target,
        former_targets,
        last_refresh,
        inputs_changed: memory.inputs_changed(),
        asked: match job.lane {
            Lane::Fresh => asked,
            Lane::Due => asked.max(due_since(job.waited + tolerated, now)),
        },
        object,
    };
    Some(Seen {
        observation,
        memory,
        labels,
    })
}

fn due_since(waited: Duration, now: Timestamp) -> Timestamp {
    let waited = SignedDuration::try_from(waited).unwrap_or_default();
    now.saturating_sub(waited).unwrap_or(now)
}

async fn exists(world: &ClusterWorld<'_>, target: &ObjectKey) -> bool {
    let found = world.read_secret(target.namespace(), target.name()).await;
    matches!(found, Ok(Some(_)))
}

fn next(shared: &Shared, outcome: &Outcome, now: Timestamp, kept_fresh: bool) -> Next {
    let next = match outcome.next {
        // Shared reads come sooner; the object itself only notes now and then what they did.
        NextRun::At(time) if kept_fresh => Next::At(outcome.note_at.unwrap_or(time).max(time)),
        next => wake_up(shared, next, outcome.failure.as_ref(), now),
    };
    if outcome.awaits_target {
        let look = now.saturating_add(LOOK_FOR_TARGET);
        let look = look.unwrap_or(Timestamp::MAX);
        return match next {
            Next::At(time) => Next::At(time.min(look)),
            _ => Next::At(look),
        };
    }
    next
}

fn log(key: &ObjectKey, outcome: &Outcome) {
    match &outcome.failure {
        Some(failure) if outcome.condition_changed || outcome.condition_not_written => {
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
