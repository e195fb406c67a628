//! What is to be done in which namespace. What is there is found by who owns it and by the marks on
//! namespaces, not by what the status remembers, so that a lost status leaks nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use super::child::{child, child_name, controls, is_right, name};
use super::{Child, Parent};
use crate::meta;

/// What a decision is made from.
pub struct Observed<P: Parent> {
    /// The object.
    pub object: Arc<P>,
    /// The namespaces it wants; an error says why that cannot be told.
    pub wanted: Result<BTreeMap<String, ObjectMeta>, String>,
    /// Other namespaces that carry its mark.
    pub marked: BTreeMap<String, ObjectMeta>,
    /// Objects of the children's kind and name in the wanted namespaces, whoever controls them.
    pub existing: BTreeMap<String, P::Child>,
    /// All children it controls.
    pub owned: Vec<OwnedChild>,
}

/// A child the object controls.
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
pub enum Decision<C> {
    /// Put the finalizer on the object by this patch, then decide again.
    Claim(Value),
    /// Keep the children.
    Keep(Work<C>),
    /// Clean up, then let the object go by this patch.
    Release(Work<C>, Value),
    /// Nothing can be done before the object is corrected: children stay as they are.
    Refuse(String),
    /// The object is being deleted, and is no longer ours.
    Gone,
}

/// Tasks by namespace.
pub type Work<C> = BTreeMap<String, Task<C>>;

/// What to do in one namespace, in order. The first step that fails ends it.
#[derive(Debug, PartialEq)]
pub struct Task<C> {
    /// Whether the namespace has its child when all is done.
    pub keeps: bool,
    /// The steps; none when all is as it should be.
    pub steps: Vec<Step<C>>,
}

impl<C> Default for Task<C> {
    fn default() -> Self {
        Self {
            keeps: false,
            steps: Vec::new(),
        }
    }
}

/// One write, or the reason for none.
#[derive(Debug, PartialEq)]
pub enum Step<C> {
    /// Delete a child.
    Delete(OwnedChild),
    /// Put the mark on the namespace, or take it away, by this patch.
    Mark(Value),
    /// Create the child.
    Create(Box<C>),
    /// Read the child of this name and write it as [`child`] says.
    Update(String),
    /// Nothing can be done.
    Refuse(String),
}

/// Decides what to do.
pub fn decide<P: Parent>(observed: &Observed<P>) -> Decision<P::Child> {
    let own = observed.object.metadata();
    let ours = P::FINALIZER.filter(|finalizer| meta::has_finalizer(own, finalizer));
    match (own.deletion_timestamp.is_some(), ours, P::FINALIZER) {
        (true, Some(finalizer), _) => {
            let patch = meta::remove_finalizer(own, finalizer);
            Decision::Release(clean_up(observed), patch)
        }
        (true, None, _) => Decision::Gone,
        (false, None, Some(finalizer)) => Decision::Claim(meta::add_finalizer(own, finalizer)),
        (false, ..) => match &observed.wanted {
            Ok(wanted) => Decision::Keep(keep(observed, wanted)),
            Err(reason) => Decision::Refuse(reason.clone()),
        },
    }
}

/// Every child goes, and every mark.
fn clean_up<P: Parent>(observed: &Observed<P>) -> Work<P::Child> {
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

fn keep<P: Parent>(
    observed: &Observed<P>,
    wanted: &BTreeMap<String, ObjectMeta>,
) -> Work<P::Child> {
    let mut work = Work::new();
    for owned in &observed.owned {
        let stays = wanted.contains_key(&owned.namespace);
        if !stays || owned.name != child_name(&*observed.object) {
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
fn fill<P: Parent>(
    task: &mut Task<P::Child>,
    observed: &Observed<P>,
    name: &str,
    namespace: &ObjectMeta,
) {
    let object = &*observed.object;
    let live = observed.existing.get(name);
    if live.is_some_and(|live| !is_ours(object, live)) {
        task.steps.push(Step::Refuse(P::CHILD_EXISTS.to_owned()));
        return;
    }
    task.keeps = true;
    let mark = object.mark();
    if let Some(mark) = mark.filter(|mark| !meta::has_finalizer(namespace, mark)) {
        let patch = meta::add_finalizer(namespace, &mark);
        task.steps.push(Step::Mark(patch));
    }
    match live {
        None => {
            let child = Box::new(child(object, name, None));
            task.steps.push(Step::Create(child));
        }
        // It is created again when it is gone.
        Some(live) if live.metadata().deletion_timestamp.is_some() => {}
        Some(live) if is_right(object, live) => {}
        Some(_) => task.steps.push(Step::Update(child_name(object).to_owned())),
    }
}

fn unmark<P: Parent>(
    work: &mut Work<P::Child>,
    observed: &Observed<P>,
    name: &str,
    namespace: &ObjectMeta,
) {
    let mark = observed.object.mark();
    if let Some(mark) = mark.filter(|mark| meta::has_finalizer(namespace, mark)) {
        let patch = meta::remove_finalizer(namespace, &mark);
        let task = work.entry(name.to_owned()).or_default();
        task.steps.push(Step::Mark(patch));
    }
}

/// Whether the object may write a child: it controls it.
fn is_ours<P: Parent>(object: &P, live: &P::Child) -> bool {
    controls::<P>(live.metadata()).is_some_and(|owner| owner == name(object))
}
