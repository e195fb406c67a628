//! What a plan runs, in which order: stores that are new are checked, parents give their children, then
//! ExternalSecrets run, and PushSecrets last, for their sources may be among the Secrets just made.

mod affected;
mod inputs;
mod run;

use std::collections::BTreeMap;

use anyhow::Result;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kube::core::{Selector, SelectorExt};
use lockstep_api::{ExternalSecret, PushSecret};
use lockstep_index::ObjectKey;
use lockstep_toolbox::exit::Failure;

use super::apply::{Applied, Change};
use super::flags::PlanFlags;
use crate::engine::{Engine, PushRun, Run};
use crate::fan_out::children;
use crate::objects::Objects;
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
    /// Stores that are not ready, with what they say.
    pub(super) faulty_stores: BTreeMap<String, String>,
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
    run::check_stores(engine, &applied).await;
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
    add_children(engine, (&applied, &mut written), &mut jobs, &mut push_jobs).await;
    let mut pruned = Vec::new();
    if let Some(labels) = &flags.prune {
        let selector = selector(labels)?;
        let now = engine.now();
        prune(
            &scene.present.objects,
            (&selector, now),
            &mut pruned,
            (&mut jobs, &mut push_jobs),
        );
    }
    let runs = run::external_secrets(engine, jobs).await;
    affected.sources(scene, &runs, &mut push_jobs);
    let pushes = run::push_secrets(engine, push_jobs).await;
    let faulty = scene.records().into_iter().filter_map(|store| {
        let fault = store.view.fault.clone()?;
        applied
            .stores
            .contains_key(&store.key)
            .then(|| (store_name(&store.key), fault))
    });
    Ok(Facts {
        faulty_stores: faulty.collect(),
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

/// Runs the parents among the manifests and adds their children to the jobs.
async fn add_children(
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

fn job<T>(object: T, cause: &str) -> Job<T> {
    Job {
        object,
        look: Look::AsItStands,
        causes: vec![cause.to_owned()],
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

/// Reads the labels of `--prune`.
fn selector(labels: &str) -> Result<Selector> {
    let mut wanted = BTreeMap::new();
    for pair in labels.split(',') {
        let Some((key, value)) = pair.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            let text =
                format!("--prune {labels}: write labels as KEY=VALUE, with commas between them");
            return Err(Failure::usage(text));
        };
        wanted.insert(key.trim().to_owned(), value.trim().to_owned());
    }
    Ok(Selector::from_iter(wanted))
}

/// Adds objects that are there, carry the labels and are not among the manifests, as deleted ones.
fn prune(
    live: &Objects,
    (selector, now): (&Selector, Timestamp),
    pruned: &mut Vec<String>,
    (jobs, push_jobs): (&mut Jobs<ExternalSecret>, &mut Jobs<PushSecret>),
) {
    let matches =
        |metadata: &ObjectMeta| selector.matches(&metadata.labels.clone().unwrap_or_default());
    for (key, object) in &live.external_secrets {
        if !jobs.contains_key(key) && matches(&object.metadata) {
            let mut object = object.clone();
            object.metadata.deletion_timestamp = Some(Time(now));
            let name = format!("ExternalSecret {key}");
            jobs.insert(key.clone(), job(object, &format!("{name} is pruned")));
            pruned.push(name);
        }
    }
    for (key, object) in &live.push_secrets {
        if !push_jobs.contains_key(key) && matches(&object.metadata) {
            let mut object = object.clone();
            object.metadata.deletion_timestamp = Some(Time(now));
            let name = format!("PushSecret {key}");
            push_jobs.insert(key.clone(), job(object, &format!("{name} is pruned")));
            pruned.push(name);
        }
    }
}
