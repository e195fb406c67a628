//! The record after a push: what was written, what stays from before, and what was never ours.

use lockstep_api::push_secret::{PushDeletionPolicy, SyncedPushSecrets};

use super::names::store_word;
use super::plan::{Entry, PushPlan};
use super::stores::Resolved;
use super::{Observed, record};
use crate::failure::Failure;

/// How one entry ended.
#[derive(Clone, Debug)]
pub enum Done {
    /// The remote secret holds the value.
    Written,
    /// Something was there already and was left alone.
    Existed,
    /// It was not pushed.
    Failed(Failure),
}

/// The record after a push and the first failure in the order of the plan. `done` has the outcomes of
/// every store's entries, in order; stores and entries that failed in the plan have theirs there.
pub fn settle(
    observed: &Observed<'_>,
    stores: &Resolved,
    plan: PushPlan,
    done: Vec<Vec<Done>>,
) -> (SyncedPushSecrets, Option<Failure>) {
    let object = &observed.object;
    let old = record::of(object);
    let deletes = *object.spec.deletion_policy() == PushDeletionPolicy::Delete;
    let (mut new, mut first) = (SyncedPushSecrets::new(), None);
    for (push, done) in plan.stores.into_iter().zip(done) {
        let word = store_word(&push.store);
        let entries = match push.entries {
            Ok(entries) => entries,
            Err(failure) => {
                first.get_or_insert(failure);
                continue;
            }
        };
        let recorded = new.entry(word.clone()).or_default();
        let known = old.get(&word);
        for (Entry { id, data, .. }, done) in entries.into_iter().zip(done) {
            let before = known.and_then(|known| known.get(&id));
            match done {
                Done::Failed(failure) => {
                    first.get_or_insert(failure);
                }
                // What somebody else put there must not be deleted with the object.
                Done::Existed if deletes && before.is_none() => {}
                Done::Written | Done::Existed => {
                    recorded.insert(id, record::settled(before, data));
                }
            }
        }
    }
    new.retain(|_, entries| !entries.is_empty());
    if first.is_some() {
        record::keep_old(&mut new, old);
    } else {
        record::keep_old(&mut new, record::about(object, &stores.skipped));
    }
    (new, first)
}
