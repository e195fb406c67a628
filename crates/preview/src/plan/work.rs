//! What a plan runs, in which order: stores that are new are checked, parents give their children, then
//! ExternalSecrets run, and PushSecrets last, for their sources may be among the Secrets just made.

mod affected;
mod inputs;
mod parents;
mod prune;
mod run;

use std::collections::BTreeMap;

use anyhow::Result;
use lockstep_index::ObjectKey;

use super::apply::{Applied, Change};
use super::flags::PlanFlags;
use crate::engine::{Engine, PushRun, Run};
use crate::observe::Look;

use affected::Affected;

/// Everything a report is made from.
pub(super) struct Facts {
    pub(super) applied: Applied,
    /// Objects that would be deleted, as `Kind namespace/name`.
    pub(super) pruned: Vec<String>,
    /// Children that parents would write, as `Kind namespace/name`, with the cause.
    pub(super) children: Vec<(String, Change, String)>,
    pub(super) runs: Vec<Ran>,
    pub(super) pushes: Vec<RanPush>,
    /// Objects that would not be taken, and stores that would not become ready, with what is wrong.
    pub(super) refused: BTreeMap<String, String>,
    /// Kinds in the input that the operator does not look at.
    pub(super) others: BTreeMap<String, usize>,
}

/// A run of an ExternalSecret, and why it runs.
pub(super) struct Ran {
    pub(super) key: ObjectKey,
    pub(super) causes: Vec<String>,
    /// Whether it fails already.
    pub(super) failed_before: bool,
    pub(super) run: Run,
}

/// A run of a PushSecret, and why it runs.
pub(super) struct RanPush {
    pub(super) key: ObjectKey,
    pub(super) causes: Vec<String>,
    /// Whether it fails already.
    pub(super) failed_before: bool,
    pub(super) run: PushRun,
}

/// One object to run.
#[derive(Clone)]
pub(super) struct Job<T> {
    pub(super) object: T,
    pub(super) look: Look,
    pub(super) causes: Vec<String>,
}

type Jobs<T> = BTreeMap<ObjectKey, Job<T>>;

/// Runs everything the manifests concern.
pub(super) async fn collect(engine: &Engine, applied: Applied, flags: &PlanFlags) -> Result<Facts> {
    run::check_changed_stores(engine, &applied).await;
    let inputs = inputs::changed(engine).await?;
    let affected = Affected::new(&applied, inputs, flags.refresh);
    let scene = &engine.scene;
    let (mut jobs, mut push_jobs) = (Jobs::new(), Jobs::new());
    for (key, object) in &scene.given.external_secrets {
        jobs.insert(key.clone(), affected.given(object, &applied));
    }
    for (key, object) in &scene.given.push_secrets {
        push_jobs.insert(key.clone(), affected.given_push(object, &applied));
    }
    for (key, object) in &scene.present.objects.external_secrets {
        if !jobs.contains_key(key)
            && let Some(job) = affected.live(object)
        {
            jobs.insert(key.clone(), job);
        }
    }
    let mut written = Vec::new();
    parents::add_children(engine, (&applied, &mut written), &mut jobs, &mut push_jobs).await;
    let mut pruned = Vec::new();
    if let Some(labels) = &flags.prune {
        let selector = prune::selector(labels)?;
        let now = engine.now();
        prune::prune(
            &scene.present.objects,
            (&selector, now),
            &mut pruned,
            (&mut jobs, &mut push_jobs),
        );
    }
    run::check_used_stores(engine, &jobs, &push_jobs).await;
    let runs = run::external_secrets(engine, jobs).await;
    affected.sources(scene, &runs, &mut push_jobs);
    run::check_used_stores(engine, &Jobs::new(), &push_jobs).await;
    let pushes = run::push_secrets(engine, push_jobs).await;
    let faulty = scene.records().into_iter().filter_map(|store| {
        let fault = store.view.fault.clone()?;
        applied
            .stores
            .contains_key(&store.key)
            .then(|| (store_name(&store.key), fault))
    });
    Ok(Facts {
        refused: faulty.collect(),
        others: scene.given.others.clone(),
        applied,
        pruned,
        children: written,
        runs,
        pushes,
    })
}

/// Kind and name of a store, with the namespace of one that has one.
pub(super) fn store_name(key: &lockstep_plan::StoreKey) -> String {
    match &key.namespace {
        Some(namespace) => format!("{} {namespace}/{}", key.kind, key.name),
        None => format!("{} {}", key.kind, key.name),
    }
}

/// A job as the object stands.
fn job<T>(object: T, cause: &str) -> Job<T> {
    Job {
        object,
        look: Look::AsItStands,
        causes: vec![cause.to_owned()],
    }
}
