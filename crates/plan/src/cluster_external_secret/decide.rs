//! What is to be done in which namespace. What is there is found by who owns it and by the marks on
//! namespaces, not by what the status remembers, so that a lost status leaks nothing.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::keys::{FINALIZER_CLUSTER_EXTERNAL_SECRET, namespace_finalizer};
use lockstep_api::{ClusterExternalSecret, ExternalSecret, messages};
use serde_json::Value;

use super::child::{child, child_name, controls, is_right, name};
use crate::meta;

/// What a decision is made from.
pub struct Observed<'a> {
    /// The object.
    pub object: &'a ClusterExternalSecret,
    /// The namespaces it wants; an error says why that cannot be told.
    pub wanted: Result<BTreeMap<String, ObjectMeta>, String>,
    /// Other namespaces that carry its mark.
    pub marked: BTreeMap<String, ObjectMeta>,
    /// ExternalSecrets of the children's name in the wanted namespaces, whoever controls them.
    pub existing: BTreeMap<String, ExternalSecret>,
    /// All ExternalSecrets it controls.
    pub owned: Vec<OwnedChild>,
}

/// An ExternalSecret the object controls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedChild {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its unique id.
    pub uid: String,
}

/// What to do.
#[derive(Debug, PartialEq)]
pub enum Decision {
    /// Put the finalizer on the object by this patch, then decide again.
    Claim(Value),
    /// Keep the children.
    Keep(Work),
    /// Clean up, then let the object go by this patch.
    Release(Work, Value),
    /// Nothing can be done before the object is mended: children stay as they are.
    Refuse(String),
    /// The object is being deleted, and is no longer ours.
    Gone,
}

/// Tasks by namespace.
pub type Work = BTreeMap<String, Task>;

/// What to do in one namespace, in order. The first step that fails ends it.
#[derive(Debug, Default, PartialEq)]
pub struct Task {
    /// Whether the namespace has its child when all is done.
    pub keeps: bool,
    /// The steps; none when all is as it should be.
    pub steps: Vec<Step>,
}

/// One write, or the reason for none.
#[derive(Debug, PartialEq)]
pub enum Step {
    /// Delete a child.
    Delete(OwnedChild),
    /// Put the mark on the namespace, or take it away, by this patch.
    Mark(Value),
    /// Create the child.
    Create(Box<ExternalSecret>),
    /// Read the child of this name and write it as [`child`] says.
    Update(String),
    /// Nothing can be done.
    Refuse(String),
}

/// Decides what to do.
pub fn decide(observed: &Observed<'_>) -> Decision {
    let own = &observed.object.metadata;
    let ours = meta::has_finalizer(own, FINALIZER_CLUSTER_EXTERNAL_SECRET);
    match (own.deletion_timestamp.is_some(), ours) {
        (true, true) => {
            let patch = meta::remove_finalizer(own, FINALIZER_CLUSTER_EXTERNAL_SECRET);
            Decision::Release(clean_up(observed), patch)
        }
        (true, false) => Decision::Gone,
        (false, false) => {
            Decision::Claim(meta::add_finalizer(own, FINALIZER_CLUSTER_EXTERNAL_SECRET))
        }
        (false, true) => match &observed.wanted {
            Ok(wanted) => Decision::Keep(keep(observed, wanted)),
            Err(reason) => Decision::Refuse(reason.clone()),
        },
    }
}

/// Every child goes, and every mark.
fn clean_up(observed: &Observed<'_>) -> Work {
    let mut work = Work::new();
    for child in &observed.owned {
        let task = work.entry(child.namespace.clone()).or_default();
        task.steps.push(Step::Delete(child.clone()));
    }
    let wanted = observed.wanted.iter().flatten();
    for (name, namespace) in wanted.chain(&observed.marked) {
        unmark(&mut work, observed, name, namespace);
    }
    work
}

fn keep(observed: &Observed<'_>, wanted: &BTreeMap<String, ObjectMeta>) -> Work {
    let mut work = Work::new();
    for owned in &observed.owned {
        let stays = wanted.contains_key(&owned.namespace);
        if !stays || owned.name != child_name(observed.object) {
            let task = work.entry(owned.namespace.clone()).or_default();
            task.steps.push(Step::Delete(owned.clone()));
        }
    }
    for (name, namespace) in &observed.marked {
        unmark(&mut work, observed, name, namespace);
    }
    for (name, namespace) in wanted {
        if namespace.deletion_timestamp.is_some() {
            // Its contents go with it.
            work.remove(name);
            unmark(&mut work, observed, name, namespace);
        } else {
            let task = work.entry(name.clone()).or_default();
            fill(task, observed, name, namespace);
        }
    }
    work
}

/// Makes a namespace have its child.
fn fill(task: &mut Task, observed: &Observed<'_>, name: &str, namespace: &ObjectMeta) {
    let object = observed.object;
    let live = observed.existing.get(name);
    if live.is_some_and(|live| !is_ours(object, live)) {
        task.steps
            .push(Step::Refuse(messages::CHILD_EXISTS.to_owned()));
        return;
    }
    task.keeps = true;
    let mark = mark(object);
    if !meta::has_finalizer(namespace, &mark) {
        let patch = meta::add_finalizer(namespace, &mark);
        task.steps.push(Step::Mark(patch));
    }
    match live {
        None => {
            let child = Box::new(child(object, name, None));
            task.steps.push(Step::Create(child));
        }
        // It is made anew when it is gone.
        Some(live) if live.metadata.deletion_timestamp.is_some() => {}
        Some(live) if is_right(object, live) => {}
        Some(_) => task.steps.push(Step::Update(child_name(object).to_owned())),
    }
}

fn unmark(work: &mut Work, observed: &Observed<'_>, name: &str, namespace: &ObjectMeta) {
    let mark = mark(observed.object);
    if meta::has_finalizer(namespace, &mark) {
        let patch = meta::remove_finalizer(namespace, &mark);
        let task = work.entry(name.to_owned()).or_default();
        task.steps.push(Step::Mark(patch));
    }
}

/// Whether the object may write an ExternalSecret: it controls it.
pub(super) fn is_ours(object: &ClusterExternalSecret, live: &ExternalSecret) -> bool {
    controls(&live.metadata).is_some_and(|owner| owner == name(object))
}

fn mark(object: &ClusterExternalSecret) -> String {
    namespace_finalizer(name(object))
}
