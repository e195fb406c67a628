//! Runs jobs. ExternalSecrets run several at once, and those that failed run again after others would have
//! written something they may have waited for, as they would in a cluster.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, stream};
use k8s_openapi::api::core::v1::Secret;
use kube::core::Selector;
use lockstep_api::conditions::Condition;
use lockstep_api::keys::LABEL_OWNER;
use lockstep_api::{ExternalSecret, PushSecret};
use lockstep_index::ObjectKey;
use lockstep_plan::external_secret::{created_by, store_keys};
use lockstep_plan::push_secret::StoreUses;
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{Cause, Failure, StoreKey};

use super::{Applied, Change, Job, Jobs, Ran, RanPush};
use crate::decided::Decided;
use crate::deletion_guard::DeletionGuard;
use crate::engine::{Engine, Run};
use crate::intent::Intent;

/// Objects run at once.
const AT_ONCE: usize = 8;
/// Times that objects run which failed while others would have written.
const ROUNDS: usize = 3;
/// Times that other objects of a store are looked at before a deletion; the operator stops sooner.
const LOOKS: usize = 20;

/// Checks the stores that the manifests change.
pub(super) async fn check_changed_stores(engine: &Engine, applied: &Applied) {
    let change = |store: &StoreRecord| applied.stores.get(&store.key);
    let is_news = |store: &StoreRecord| change(store).is_some_and(Change::is_news);
    check_stores(engine, is_news).await;
}

/// Checks the stores of these objects that nobody checked yet.
pub(super) async fn check_used_stores(
    engine: &Engine,
    jobs: &Jobs<ExternalSecret>,
    push_jobs: &Jobs<PushSecret>,
) {
    let objects = jobs.values().map(|job| &job.object);
    let read: BTreeSet<StoreKey> = objects.flat_map(store_keys).collect();
    let pushes = push_jobs.values().map(|job| StoreUses::of(&job.object));
    let pushes: Vec<StoreUses> = pushes.collect();
    let is_used = |store: &StoreRecord| {
        read.contains(&store.key) || pushes.iter().any(|uses| uses.pushes_to(&store.view))
    };
    check_stores(engine, |store| store.ready().is_none() && is_used(store)).await;
}

async fn check_stores(engine: &Engine, is_wanted: impl Fn(&StoreRecord) -> bool) {
    let stores = engine.scene.records().into_iter();
    stream::iter(stores.filter(|store| is_wanted(store)))
        .for_each_concurrent(AT_ONCE, |store| async move {
            engine.check_store(&store).await;
        })
        .await;
}

/// Runs ExternalSecrets, in the order of their names.
pub(super) async fn external_secrets(engine: &Engine, jobs: Jobs<ExternalSecret>) -> Vec<Ran> {
    let mut waiting = jobs;
    let mut done = Jobs::<ExternalSecret>::new();
    let mut runs = BTreeMap::new();
    for _ in 0..ROUNDS {
        let before = engine.scene.writes();
        runs.append(&mut round(engine, &waiting).await);
        let failed = |key: &ObjectKey| {
            let run: Option<&Run> = runs.get(key);
            run.is_some_and(|run| run.failure.is_some() && !run.would_generate())
        };
        let again: Jobs<ExternalSecret> = waiting
            .iter()
            .filter(|(key, _)| failed(key))
            .map(|(key, job)| (key.clone(), job.clone()))
            .collect();
        done.append(&mut waiting);
        waiting = again;
        if waiting.is_empty() || engine.scene.writes() == before {
            break;
        }
    }
    let ran = runs.into_iter().map(|(key, run)| {
        let job = done.get(&key);
        let status = job.and_then(|job| job.object.status.as_ref());
        Ran {
            causes: job.map(|job| job.causes.clone()).unwrap_or_default(),
            failed_before: status.is_some_and(|status| is_failed(&status.conditions)),
            key,
            run,
        }
    });
    ran.collect()
}

/// Runs objects, and those again for which the deletion guard wanted to look at others first.
async fn round(engine: &Engine, jobs: &Jobs<ExternalSecret>) -> BTreeMap<ObjectKey, Run> {
    let mut runs = once(engine, jobs.iter().collect()).await;
    for _ in 0..LOOKS {
        let waited = engine.look_at_others().await;
        let waited = waited.iter().filter_map(|key| jobs.get_key_value(key));
        let waited: Vec<_> = waited.collect();
        if waited.is_empty() {
            break;
        }
        runs.append(&mut once(engine, waited).await);
    }
    let deletions = engine.scene.deletions.as_ref();
    let undecided = deletions.map(DeletionGuard::take_undecided);
    for (key, store) in undecided.into_iter().flatten() {
        if let Some(run) = runs.get_mut(&key) {
            run.failure = Some(deletion_waits(store));
        }
    }
    runs
}

async fn once(
    engine: &Engine,
    jobs: Vec<(&ObjectKey, &Job<ExternalSecret>)>,
) -> BTreeMap<ObjectKey, Run> {
    let runs = jobs.into_iter().map(|(key, job)| async move {
        let mut run = engine.run(job.object.clone(), job.look).await;
        if job.object.metadata.deletion_timestamp.is_some() {
            collect_garbage(engine, &job.object, &mut run).await;
        }
        (key.clone(), run)
    });
    stream::iter(runs).buffered(AT_ONCE).collect().await
}

/// Adds what the garbage collector of a cluster deletes together with an object.
async fn collect_garbage(engine: &Engine, object: &ExternalSecret, run: &mut Run) {
    run.decided = Decided::Released;
    let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
    let label = (LABEL_OWNER.to_owned(), created_by(object));
    let selector = Selector::from_iter(BTreeMap::from([label]));
    let uid = object.metadata.uid.as_deref();
    // The run of the object itself reports one that cannot be listed.
    let owned = engine.scene.secrets(namespace, &selector).await;
    for secret in owned.unwrap_or_default() {
        if is_owned(&secret, uid) {
            let key = ObjectKey::of(&secret.metadata);
            engine.scene.write(key.clone(), None);
            run.intents.push(Intent::Secret {
                key,
                before: Some(Box::new(secret)),
                after: None,
            });
        }
    }
}

/// The failure of an object whose deletion can be neither made nor held.
fn deletion_waits(store: StoreKey) -> Failure {
    let text = format!(
        "its remote secrets are absent, and other objects of {store} cannot be read, so its Secret \
         stays until they can"
    );
    Failure::new("could not delete", Cause::DELETION_HELD, text)
}

fn is_owned(secret: &Secret, uid: Option<&str>) -> bool {
    let mut owners = secret.metadata.owner_references.iter().flatten();
    owners.any(|owner| Some(owner.uid.as_str()) == uid)
}

fn is_failed(conditions: &[Condition]) -> bool {
    lockstep_plan::conditions::is_ready(conditions) == Some(false)
}

/// Runs PushSecrets one after another, in the order of their names.
pub(super) async fn push_secrets(engine: &Engine, jobs: Jobs<PushSecret>) -> Vec<RanPush> {
    let mut runs = Vec::with_capacity(jobs.len());
    for (key, job) in jobs {
        let Job {
            object,
            look,
            causes,
        } = job;
        let status = object.status.as_ref();
        let failed_before = status.is_some_and(|status| is_failed(&status.conditions));
        let run = engine.run_push(object, look).await;
        runs.push(RanPush {
            key,
            causes,
            failed_before,
            run,
        });
    }
    runs
}
