//! The looks at other objects that the deletion guard wants before it lets anything go: reads what they read,
//! and tells the guard. The operator does the same between two runs of an object.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use lockstep_index::ObjectKey;
use lockstep_plan::{StoreKey, StoreLookup};
use lockstep_reconcile::external_secret::sight;
use lockstep_runtime::supervise::{Outcome, supervise};
use lockstep_scheduling::deletion::Sight;

use crate::engine::Engine;

/// Objects looked at at once.
const AT_ONCE: usize = 5;
/// Longest time for one of them.
const DEADLINE: Duration = Duration::from_mins(1);

impl Engine {
    /// Looks at the objects that the guard wants to know about; returns those that waited for it.
    pub(crate) async fn look_at_others(&self) -> BTreeSet<ObjectKey> {
        let Some(deletions) = &self.scene.deletions else {
            return BTreeSet::new();
        };
        let samples = std::mem::take(&mut deletions.state.lock().samples);
        let mut waited = BTreeSet::new();
        for (store, picked) in samples {
            let looks = picked.into_iter().map(|key| {
                let store = &store;
                async move { (self.sight(store, &key).await, key) }
            });
            let looks: Vec<(Sight, ObjectKey)> =
                stream::iter(looks).buffered(AT_ONCE).collect().await;
            let (mut state, now) = (deletions.state.lock(), self.now());
            for (sight, key) in looks {
                state.guard.sampled(&store, &key, sight, now);
            }
            waited.extend(state.guard.sample_ended(&store));
        }
        waited
    }

    /// Whether an object still has what it reads through a store.
    async fn sight(&self, store: &StoreKey, key: &ObjectKey) -> Sight {
        let Some((object, store)) = self
            .scene
            .external_secret(key)
            .zip(self.scene.record(store))
        else {
            return Sight::Void;
        };
        let target = ObjectKey::new(key.namespace(), object.target_name());
        match self.scene.secret(&target).await {
            Ok(Some(_)) => {}
            Ok(None) => return Sight::Void,
            Err(_) => return Sight::Unknown,
        }
        let look = sight(&self.remote, &store, object, self.now());
        match supervise(DEADLINE, Box::pin(look)).await {
            Outcome::Done(sight) => sight,
            Outcome::Panicked(_) | Outcome::TimedOut => Sight::Unknown,
        }
    }
}
