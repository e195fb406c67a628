//! The controllers of ClusterExternalSecrets and ClusterPushSecrets: collect what the index knows, carry
//! out what was decided namespace by namespace, and write what came of it. Decide nothing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use futures_util::{StreamExt, stream};
use k8s_openapi::api::core::v1::Namespace;
use kube::Resource;
use lockstep_api::keys::FIELD_MANAGER;
use lockstep_api::{ClusterExternalSecret, ClusterPushSecret, ExternalSecret, PushSecret, reasons};
use lockstep_index::{ObjectKey, ParentRow, Parents};
use lockstep_plan::fan_out::{
    Child, Decision, Observed, Outcome, Parent, Report, Step, Task, Trouble, Work, child,
    child_name, controls, decide, refused, report, status_patch,
};
use lockstep_plan::{EventNote, NextRun};
use lockstep_reconcile::WorldError;
use lockstep_runtime::api_object::{ApiObject, Written};
use lockstep_runtime::dispatch::Next;
use lockstep_runtime::events::Recorder;
use lockstep_runtime::metrics::{Family, Kind};
use parking_lot::MutexGuard;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::api::{target, world_error};
use crate::events;
use crate::shared::{Shared, nanos_since};

/// What the controllers of the two kinds differ in.
pub(crate) trait FanOut:
    Parent<
        Child: Resource<DynamicType = ()> + Serialize + DeserializeOwned + Send + Sync,
        Status: Send + Sync,
    > + Resource<DynamicType = ()>
    + DeserializeOwned
    + Clone
    + Send
    + Sync
    + 'static
{
    /// Rows of the kind.
    fn rows(shared: &Shared) -> MutexGuard<'_, Parents<Self>>;

    /// Records the events of the kind.
    fn recorder(shared: &Shared) -> &Recorder;

    /// Metric families of the kind.
    const SERIES: &'static [Family];

    /// The object of the child's kind with this name, whoever controls it.
    fn existing(shared: &Shared, key: &ObjectKey) -> Option<Self::Child>;
}

impl FanOut for ClusterExternalSecret {
    fn rows(shared: &Shared) -> MutexGuard<'_, Parents<Self>> {
        shared.index.cluster_external_secrets()
    }

    fn recorder(shared: &Shared) -> &Recorder {
        &shared.recorders.cluster_external_secret
    }

    const SERIES: &'static [Family] = &[
        Family {
            name: "clusterexternalsecret_status_condition",
            kind: Kind::Gauge,
            help: "The status condition of a ClusterExternalSecret",
        },
        Family {
            name: "clusterexternalsecret_reconcile_duration",
            kind: Kind::Gauge,
            help: "The duration of the last reconcile of a ClusterExternalSecret in nanoseconds",
        },
    ];

    fn existing(shared: &Shared, key: &ObjectKey) -> Option<ExternalSecret> {
        shared.index.external_secrets().object(key)
    }
}

impl FanOut for ClusterPushSecret {
    fn rows(shared: &Shared) -> MutexGuard<'_, Parents<Self>> {
        shared.index.cluster_push_secrets()
    }

    fn recorder(shared: &Shared) -> &Recorder {
        &shared.recorders.cluster_push_secret
    }

    const SERIES: &'static [Family] = &[
        Family {
            name: "clusterpushsecret_status_condition",
            kind: Kind::Gauge,
            help: "The status condition of a ClusterPushSecret",
        },
        Family {
            name: "clusterpushsecret_reconcile_duration",
            kind: Kind::Gauge,
            help: "The duration of the last reconcile of a ClusterPushSecret in nanoseconds",
        },
    ];

    fn existing(shared: &Shared, key: &ObjectKey) -> Option<PushSecret> {
        let read = shared.index.push_secrets().snapshot(key);
        read.map(|(object, _)| object)
    }
}

/// Namespaces of one object that are worked on at once.
const AT_ONCE: usize = 8;

/// Runs one object.
pub(crate) async fn run<P: FanOut>(shared: Arc<Shared>, name: String) -> Next {
    let clock = Instant::now();
    let next = match keep::<P>(&shared, &name).await {
        Ok(next) => next,
        Err(WorldError::NotFound) => Next::Idle,
        Err(WorldError::Failed(error)) => {
            tracing::warn!(kind = P::KIND, %name, %error, "reconcile failed");
            Next::Failed
        }
        Err(error) => {
            tracing::debug!(kind = P::KIND, %name, %error, "changed meanwhile");
            Next::Again
        }
    };
    let nanos = nanos_since(clock);
    P::rows(&shared).note_run(&name, nanos);
    next
}

async fn keep<P: FanOut>(shared: &Shared, name: &str) -> Result<Next, WorldError> {
    let known = P::rows(shared).get(name);
    let Some(mut row) = known else {
        return Ok(Next::Idle);
    };
    if let Decision::Claim(patch) = decide(&observe(shared, &row)) {
        row.object = Arc::new(patch_object(shared, &*row.object, &patch).await?);
    }
    let observed = observe(shared, &row);
    match decide(&observed) {
        Decision::Gone | Decision::Claim(_) => Ok(Next::Idle),
        Decision::Release(work, patch) => {
            let outcomes = carry_out(shared, &*row.object, work).await?;
            if let Some((namespace, trouble)) = first_trouble(&outcomes) {
                let text = format!("could not clean up namespace {namespace}: {trouble}");
                return Err(WorldError::Failed(text));
            }
            patch_object(shared, &*row.object, &patch).await?;
            Ok(Next::Idle)
        }
        Decision::Refuse(reason) => {
            let event = EventNote::warning(reasons::EVENT_INVALID_SELECTOR, reason.clone());
            let report = refused(&*row.object, reason, shared.settings());
            if report.status.is_some() {
                let about = (P::API_VERSION, P::KIND);
                events::about(P::recorder(shared), about, (row.object.metadata(), &event));
            }
            conclude(shared, &*row.object, &report).await
        }
        Decision::Keep(work) => {
            let now = shared.now();
            let outcomes = carry_out(shared, &*row.object, work).await?;
            let report = report(&*row.object, outcomes, shared.settings(), now);
            conclude(shared, &*row.object, &report).await
        }
    }
}

fn observe<'a, P: FanOut>(shared: &Shared, row: &'a ParentRow<P>) -> Observed<'a, P> {
    let object = row.object.as_ref();
    let name = object.metadata().name.as_deref().unwrap_or_default();
    let mark = object.mark();
    let (mut wanted, mut marked) = (BTreeMap::new(), BTreeMap::new());
    for (namespace, labels, metadata) in shared.index.namespaces().all() {
        let selected = row.wanted.as_ref().as_ref();
        if selected.is_ok_and(|selected| selected.contains(namespace, labels)) {
            wanted.insert(namespace.clone(), metadata.clone());
        } else if metadata
            .finalizers
            .iter()
            .flatten()
            .any(|one| Some(one) == mark.as_ref())
        {
            marked.insert(namespace.clone(), metadata.clone());
        }
    }
    let existing = wanted.keys().filter_map(|namespace| {
        let key = ObjectKey::new(namespace, child_name(object));
        Some((namespace.clone(), P::existing(shared, &key)?))
    });
    let existing = existing.collect();
    Observed {
        object,
        wanted: match row.wanted.as_ref() {
            Ok(_) => Ok(wanted),
            Err(reason) => Err(reason.clone()),
        },
        marked,
        existing,
        owned: P::rows(shared).children_of(name),
    }
}

/// Does the work in all namespaces. An error means that something changed meanwhile: what is seen by
/// then is decided upon again.
async fn carry_out<P: FanOut>(
    shared: &Shared,
    object: &P,
    work: Work<P::Child>,
) -> Result<BTreeMap<String, Outcome>, WorldError> {
    let tasks = work.into_iter().map(|(namespace, task)| async move {
        let outcome = perform(shared, object, &namespace, task).await;
        outcome.map(|outcome| (namespace, outcome))
    });
    let done: Vec<_> = stream::iter(tasks).buffered(AT_ONCE).collect().await;
    done.into_iter().collect()
}

async fn perform<P: FanOut>(
    shared: &Shared,
    object: &P,
    namespace: &str,
    task: Task<P::Child>,
) -> Result<Outcome, WorldError> {
    for step in task.steps {
        if let Step::Refuse(reason) = step {
            return Ok(Outcome::Failed(Trouble::Refused(reason)));
        }
        match take(shared, object, namespace, step).await {
            Ok(()) => {}
            // The namespace is gone.
            Err(WorldError::NotFound) => return Ok(Outcome::Left),
            Err(WorldError::Failed(text)) => return Ok(Outcome::Failed(Trouble::Failed(text))),
            Err(error) => return Err(error),
        }
    }
    Ok(if task.keeps {
        Outcome::Kept
    } else {
        Outcome::Left
    })
}

async fn take<P: FanOut>(
    shared: &Shared,
    object: &P,
    namespace: &str,
    step: Step<P::Child>,
) -> Result<(), WorldError> {
    let (writer, manager) = (&shared.writer, Some(FIELD_MANAGER));
    let named = |name: &str| ApiObject::of::<P::Child>(Some(namespace), name);
    let done = match step {
        Step::Refuse(_) => return Ok(()),
        Step::Delete(child) => writer.delete(&named(&child.name), &child.uid, None).await,
        Step::Mark(patch) => {
            let target = ApiObject::of::<Namespace>(None, namespace);
            let marked = writer.merge(&target, &patch, manager).await;
            marked.map(|namespace: Namespace| {
                // The next run must not see the namespace as it was.
                shared.index.namespaces().answered(namespace.metadata);
            })
        }
        Step::Create(child) => {
            let target = named(child_name(object));
            let created = writer.create(&target, child.as_ref(), manager).await;
            created.map(|_: Written| ())
        }
        Step::Update(name) => {
            return update(shared, object, (namespace, &named(&name))).await;
        }
    };
    done.map_err(world_error)
}

/// Rewrites a child from the one that exists now.
async fn update<P: FanOut>(
    shared: &Shared,
    object: &P,
    (namespace, target): (&str, &ApiObject),
) -> Result<(), WorldError> {
    let live: Option<P::Child> = target.get(&shared.client).await.map_err(world_error)?;
    let owner = live
        .as_ref()
        .and_then(|live| controls::<P>(Child::metadata(live)));
    if owner.as_deref() != object.metadata().name.as_deref() {
        return Err(WorldError::Conflict("another owner, or gone".to_owned()));
    }
    let right = child(object, namespace, live);
    let manager = Some(FIELD_MANAGER);
    let written = shared.writer.replace(target, &right, manager).await;
    written.map(|_: Written| ()).map_err(world_error)
}

fn first_trouble(outcomes: &BTreeMap<String, Outcome>) -> Option<(&str, &str)> {
    outcomes
        .iter()
        .find_map(|(namespace, outcome)| match outcome {
            Outcome::Failed(Trouble::Refused(text) | Trouble::Failed(text)) => {
                Some((namespace.as_str(), text.as_str()))
            }
            _ => None,
        })
}

async fn patch_object<P: FanOut>(
    shared: &Shared,
    object: &P,
    patch: &Value,
) -> Result<P, WorldError> {
    let target = target::<P>(object.metadata());
    let writer = &shared.writer;
    let patched = writer.merge(&target, patch, Some(FIELD_MANAGER)).await;
    let patched: P = patched.map_err(world_error)?;
    P::rows(shared).answered(patched.clone());
    Ok(patched)
}

/// Writes the status, if it is news, and tells when to run again.
async fn conclude<P: FanOut>(
    shared: &Shared,
    object: &P,
    report: &Report<P::Status>,
) -> Result<Next, WorldError> {
    let next = match report.next {
        NextRun::At(time) => Next::At(time),
        NextRun::OnChange => Next::Idle,
        _ => Next::Failed,
    };
    let Some(status) = &report.status else {
        return Ok(next);
    };
    let name = object.metadata().name.as_deref().unwrap_or_default();
    tracing::info!(kind = P::KIND, name, ready = report.ready, "status changed");
    let target = target::<P>(object.metadata());
    let uid = object.metadata().uid.as_deref().unwrap_or_default();
    let patch = status_patch(object.status(), status);
    let manager = Some(FIELD_MANAGER);
    let writer = &shared.writer;
    let written = writer.patch_status(&target, uid, &patch, manager).await;
    let written: P = written.map_err(world_error)?;
    let kept = written.status().and_then(P::observed_generation);
    shared.note_generation(P::observed_generation(status), kept);
    P::rows(shared).answered(written);
    Ok(next)
}
