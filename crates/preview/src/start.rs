//! What the operator would write if it were started now: every object as it stands, not as if it were due.
//! `lockstep takeover` asks this before it lets the operator begin.

use anyhow::Result;
use futures_util::{StreamExt, stream};
use jiff::Timestamp;
use lockstep_toolbox::cluster::Cluster;

use crate::decided::Decided;
use crate::engine::{Engine, Run};
use crate::intent::Intent;
use crate::lists;
use crate::objects::Objects;
use crate::observe::Look;
use crate::present::Present;
use crate::scene::Scene;
use crate::{Edges, OperatorFlags};

/// Objects run at once.
const AT_ONCE: usize = 8;

/// What a start would do about one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtStart {
    /// Kind, namespace and name.
    pub object: String,
    /// What becomes of it.
    pub verdict: Verdict,
}

/// What becomes of one object at a start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No Secret is written, no value generated, nothing pushed.
    Quiet,
    /// It belongs to another controller class.
    Foreign,
    /// These would be written, generated or pushed.
    Writes(Vec<String>),
    /// It would fail, and write no Secret; the failure stands in its condition already, or is new.
    Fails {
        /// What fails.
        message: String,
        /// Whether its Ready condition is False already.
        failed_before: bool,
    },
}

/// Runs every object of the cluster as a start of the operator would, and writes nothing.
pub async fn survey(
    cluster: &Cluster,
    namespace: Option<&str>,
    edges: Edges,
    operator: &OperatorFlags,
) -> Result<Vec<AtStart>> {
    let objects = lists::load(&cluster.client, namespace).await?;
    let present = Present {
        objects,
        client: Some(cluster.client.clone()),
    };
    let mut engine = Engine::new(Scene::as_it_is(present), edges, operator)?;
    // Refreshes that were missed meanwhile are spread after a start, and not made at once.
    engine.settings.started = Some(engine.now());
    let held = &engine.scene.present.objects;
    let mut found = external_secrets(&engine, held).await;
    found.extend(push_secrets(&engine, held).await);
    Ok(found)
}

async fn external_secrets(engine: &Engine, held: &Objects) -> Vec<AtStart> {
    let runs = held
        .external_secrets
        .iter()
        .map(|(key, object)| async move {
            let run = engine.run(object.clone(), Look::AsItStands).await;
            let status = object.status.as_ref();
            let conditions = status.map(|status| status.conditions.as_slice());
            AtStart {
                object: format!("ExternalSecret {key}"),
                verdict: verdict(&run, is_failed(conditions.unwrap_or_default())),
            }
        });
    stream::iter(runs).buffered(AT_ONCE).collect().await
}

async fn push_secrets(engine: &Engine, held: &Objects) -> Vec<AtStart> {
    let mut found = Vec::new();
    for (key, object) in &held.push_secrets {
        let run = engine.run_push(object.clone(), Look::AsItStands).await;
        let status = object.status.as_ref();
        let conditions = status.map(|status| status.conditions.as_slice());
        let pushes = run.remote.iter().map(|intent| {
            let word = if intent.value.is_some() {
                "push"
            } else {
                "delete"
            };
            format!("{word} {} at {}", intent.remote_key, intent.store)
        });
        let mut writes: Vec<String> = pushes.collect();
        writes.extend(run.intents.iter().filter_map(named));
        let failure = run.failure.as_ref().filter(|_| !run.would_generate());
        let failed = is_failed(conditions.unwrap_or_default());
        found.push(AtStart {
            object: format!("PushSecret {key}"),
            verdict: told(writes, failure, failed),
        });
    }
    found
}

fn verdict(run: &Run, failed_before: bool) -> Verdict {
    if matches!(run.decided, Decided::Ignored(_)) {
        return Verdict::Foreign;
    }
    let writes = run.intents.iter().filter_map(named).collect();
    let failure = run.failure.as_ref().filter(|_| !run.would_generate());
    told(writes, failure, failed_before)
}

fn told(
    writes: Vec<String>,
    failure: Option<&lockstep_plan::Failure>,
    failed_before: bool,
) -> Verdict {
    match failure {
        _ if !writes.is_empty() => Verdict::Writes(writes),
        Some(failure) => Verdict::Fails {
            message: failure.to_string(),
            failed_before,
        },
        None => Verdict::Quiet,
    }
}

/// A write by its name; the object's own status and finalizers are no news.
fn named(intent: &Intent) -> Option<String> {
    match intent {
        Intent::Finalizers | Intent::Status => None,
        Intent::Secret { key, before, after } => Some(match (before, after) {
            (None, _) => format!("create Secret {key}"),
            (Some(_), Some(_)) => format!("change Secret {key}"),
            (Some(_), None) => format!("delete Secret {key}"),
        }),
        Intent::Object { target, .. } => {
            let (kind, name) = (&target.kind, &target.name);
            Some(format!("write {kind} {}/{name}", target.namespace))
        }
        Intent::Generate { kind, name } => Some(format!("generate {kind} {name}")),
    }
}

fn is_failed(conditions: &[lockstep_api::conditions::Condition]) -> bool {
    lockstep_plan::conditions::is_ready(conditions) == Some(false)
}

/// The present moment, for callers that wait between two looks.
pub fn now() -> Timestamp {
    lockstep_provider_api::context::Time::now(&lockstep_runtime::clock::SystemTime)
}
