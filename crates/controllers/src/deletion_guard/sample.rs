//! Looks at other objects of a store before something of it is deleted: reads what they read, now, and
//! tells the guard. Neither the objects nor their Secrets are touched. What follows is decided in
//! `lockstep-scheduling`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt, stream};
use lockstep_index::ObjectKey;
use lockstep_plan::StoreKey;
use lockstep_reconcile::external_secret;
use lockstep_remote::StoreRecord;
use lockstep_runtime::supervise::{Outcome, spawn, supervise};
use lockstep_scheduling::deletion::Sight;

use crate::context::Context;

/// Objects looked at at once.
const AT_ONCE: usize = 5;
/// Longest time for a whole sample.
const DEADLINE: Duration = Duration::from_secs(50);

/// Picks objects that read through a store, but none of `seen` nor `but`. Ready objects come first;
/// after an outage or a denial none may be ready, and the others are looked at.
pub(super) fn pick(
    context: &Context,
    store: &StoreKey,
    (number, but): (usize, &ObjectKey),
    seen: &BTreeSet<ObjectKey>,
) -> Vec<ObjectKey> {
    let rows = context.index.external_secrets();
    let (ready, others) = rows.users_by_readiness(store);
    let mut picked = Vec::new();
    for candidates in [ready, others] {
        let unseen = candidates
            .into_iter()
            .filter(|key| *key != but && !seen.contains(*key));
        picked.extend(fastrand::choose_multiple(unseen, number - picked.len()));
    }
    picked.into_iter().cloned().collect()
}

/// Looks at these objects, and then lets those run that wait for it.
pub(super) fn start(context: &Arc<Context>, store: Arc<StoreRecord>, picked: Vec<ObjectKey>) {
    let context = Arc::clone(context);
    spawn("deletion sample", async move {
        let looks = stream::iter(picked).map(|key| look(&context, &store, key).boxed());
        let looks = looks.buffer_unordered(AT_ONCE).collect::<Vec<()>>();
        if !matches!(supervise(DEADLINE, looks).await, Outcome::Done(_)) {
            tracing::warn!(store = %store.key.qualified(), "reading other objects of the store was aborted");
        }
        let waiting = context.schedule.deletions.sample_ended(&store.key);
        let now = context.now();
        tracing::debug!(store = %store.key.qualified(), waiting = waiting.len(), "looked at other objects");
        context.input_changed(waiting.into_iter().collect(), now);
    });
}

async fn look(context: &Arc<Context>, store: &Arc<StoreRecord>, key: ObjectKey) {
    let sight = sight(context, store, &key).await;
    context
        .schedule
        .deletions
        .sampled(&store.key, &key, sight, context.now());
}

/// Whether an object still has what it reads through a store.
async fn sight(context: &Arc<Context>, store: &Arc<StoreRecord>, key: &ObjectKey) -> Sight {
    let object = context.index.external_secrets().object(key);
    let Some(object) = object else {
        return Sight::Void;
    };
    let target = ObjectKey::new(key.namespace(), object.target_name());
    if context.index.targets().get(&target).is_none() {
        return Sight::Void;
    }
    external_secret::sight(&context.remote, store, &object, context.now()).await
}
