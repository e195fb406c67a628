//! One pass over all objects of a cluster: each is run as if it were due, those that differ once more,
//! because the original may have written between two of our reads.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use futures_util::{StreamExt, stream};
use k8s_openapi::api::core::v1::Secret;
use lockstep_api::ExternalSecret;
use lockstep_index::ObjectKey;
use lockstep_plan::external_secret::period;
use lockstep_toolbox::cluster::Cluster;
use lockstep_toolbox::redact::Redactor;

use super::ShadowFlags;
use super::judge::{self, Facts, Judged};
use super::savings::{Reads, Savings, savings};
use crate::Edges;
use crate::decided::Decided;
use crate::engine::{Engine, Run};
use crate::intent::Intent;
use crate::lists;
use crate::observe::Look;
use crate::present::Present;
use crate::scene::Scene;

/// Objects run at once.
const AT_ONCE: usize = 8;

/// What one pass saw.
pub(super) struct Pass {
    pub(super) objects: BTreeMap<ObjectKey, Seen>,
    /// PushSecrets that would push now, with the number of values.
    pub(super) pushes: BTreeMap<ObjectKey, Result<usize, String>>,
    pub(super) savings: Savings,
    /// Requests that this pass made to backends.
    pub(super) calls: u64,
}

/// What was seen of one object.
pub(super) struct Seen {
    pub(super) judged: Judged,
    /// How long the run took, from the read of the object to the Secret that would be written.
    pub(super) took: Duration,
}

/// Makes one pass.
pub(super) async fn make(
    cluster: &Cluster,
    flags: &ShadowFlags,
    edges: Edges,
    redactor: &Redactor,
) -> Result<Pass> {
    let namespace = flags.cluster.namespace.as_deref();
    let objects = lists::load(&cluster.client, namespace).await?;
    let present = Present {
        objects,
        client: Some(cluster.client.clone()),
    };
    let engine = Engine::new(Scene::as_it_is(present), edges, &flags.operator)?;
    let held = &engine.scene.present.objects;
    let looks = held
        .external_secrets
        .iter()
        .map(|(key, object)| look(&engine, key, object, redactor));
    let looks: Vec<_> = stream::iter(looks).buffered(AT_ONCE).collect().await;
    let calls = engine.calls.get();
    let mut reads = Vec::new();
    let mut seen = BTreeMap::new();
    for (key, one, read) in looks {
        reads.extend(read);
        seen.insert(key, one);
    }
    let mut pushes = BTreeMap::new();
    for (key, object) in &held.push_secrets {
        let run = engine.run_push(object.clone(), Look::AsItStands).await;
        let count = run.remote.len();
        let told = match run.failure.as_ref().filter(|_| !run.would_generate()) {
            Some(failure) => Err(failure.to_string()),
            None => Ok(count),
        };
        pushes.insert(key.clone(), told);
    }
    Ok(Pass {
        objects: seen,
        pushes,
        savings: savings(&reads),
        calls,
    })
}

async fn look(
    engine: &Engine,
    key: &ObjectKey,
    object: &ExternalSecret,
    redactor: &Redactor,
) -> (ObjectKey, Seen, Option<Reads>) {
    let run = engine.run(object.clone(), Look::Compared).await;
    let mut judged = judge::judge(&facts(&run, object, None), redactor, engine.now());
    let (took, mut last) = (run.took, run);
    if judged.is_difference() {
        // Once more, with what is there by now.
        let object = fresh(engine, key, object).await;
        let again = engine.run(object.clone(), Look::Compared).await;
        judged = judge::judge(&facts(&again, &object, Some(&last)), redactor, engine.now());
        last = again;
    }
    let reads = reads(&last, object);
    (key.clone(), Seen { judged, took }, reads)
}

/// The object as it is by now; the one that was listed where it cannot be read.
async fn fresh(engine: &Engine, key: &ObjectKey, object: &ExternalSecret) -> ExternalSecret {
    use lockstep_runtime::api_object::ApiObject;
    let Some(client) = &engine.scene.present.client else {
        return object.clone();
    };
    let target = ApiObject::of::<ExternalSecret>(Some(key.namespace()), key.name());
    match target.get(client).await {
        Ok(Some(fresh)) => fresh,
        _ => object.clone(),
    }
}

/// What a judgement is made from.
fn facts<'a>(run: &'a Run, object: &'a ExternalSecret, earlier: Option<&'a Run>) -> Facts<'a> {
    Facts {
        object,
        decided: &run.decided,
        write: written(run),
        generates: run.would_generate(),
        other_target: run.intents.iter().find_map(|intent| match intent {
            Intent::Object { target, .. } => Some(target),
            _ => None,
        }),
        failure: run.failure.as_ref(),
        rendered_before: earlier.and_then(written).and_then(|(_, after)| after),
    }
}

fn written(run: &Run) -> Option<(Option<&Secret>, Option<&Secret>)> {
    run.intents.iter().find_map(|intent| match intent {
        Intent::Secret { before, after, .. } => Some((before.as_deref(), after.as_deref())),
        _ => None,
    })
}

/// What an object reads, for the comparison of calls.
fn reads(run: &Run, object: &ExternalSecret) -> Option<Reads> {
    let Decided::Fetched { reads } = run.decided else {
        return None;
    };
    let interval = period(object)?;
    let groups = run.shares.iter().flat_map(|shares| &shares.reads);
    Some(Reads {
        interval,
        entries: reads,
        groups: groups.map(|taken| taken.group.clone()).collect(),
    })
}
