//! The middle of a reconcile: reads the source, pushes it, and deletes what is no longer pushed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use lockstep_api::push_secret::{PushDeletionPolicy, SyncedPushSecrets};
use lockstep_plan::push_secret::{
    Applied, Observed, Resolved, Settled, SourceState, obsolete, pending, plan, settle,
};
use lockstep_plan::{Budget, Failure, Work};

use super::fetch::Found;
use super::observe::templates;
use super::world::PushSecretWorld;
use super::{Reconciler, namespace};
use crate::generator_states::Stored;

/// Time after which no further entry is begun, so that what was pushed is recorded before the reconcile is
/// cut off.
const BUDGET: SignedDuration = SignedDuration::from_secs(60);

impl<W: PushSecretWorld> Reconciler<'_, W> {
    /// Reads the source, pushes it, and deletes what is no longer pushed.
    pub(super) async fn sync(
        &self,
        observed: &Observed<'_>,
        stores: Result<Resolved, Failure>,
        (matched, made_states): (&mut Option<BTreeSet<String>>, &mut Vec<Stored>),
        now: Timestamp,
    ) -> Result<Applied, Failure> {
        let until = now.saturating_add(BUDGET).unwrap_or(now);
        if let Ok(stores) = &stores
            && let Some((plan, done)) = self.all_exist(observed, stores, until).await
        {
            let (record, _) = settle(observed, stores, plan, done);
            return Ok(self
                .clean_up(observed, record, SourceState::There, now)
                .await);
        }
        let mut state = SourceState::There;
        let sources = match self.source(observed, made_states).await? {
            Found::Sources(sources) => sources,
            Found::Labelled(sources) => {
                *matched = Some(sources.keys().cloned().collect());
                if sources.is_empty() {
                    state = SourceState::Missing;
                }
                sources.into_values().collect()
            }
            Found::Gone(failure) if !observed.follows_source() => return Err(failure),
            Found::Gone(_) => {
                let missing = SourceState::Missing;
                let cleaned = self.clean_up(observed, BTreeMap::new(), missing, now);
                let applied = cleaned.await;
                return Ok(match applied.settled {
                    Settled::Synced if applied.pending.is_some() => Applied {
                        settled: Settled::SourceMissing,
                        ..applied
                    },
                    Settled::Synced => Applied {
                        settled: Settled::SourceDeleted,
                        ..applied
                    },
                    _ => applied,
                });
            }
        };
        let stores = stores?;
        let templates = templates(self.world, &observed.object).await;
        let (settings, limits) = (self.settings, self.settings.template_limits);
        let make = |budget: &Budget| {
            let work = Work {
                settings,
                now,
                budget,
            };
            plan(observed, &stores.ours, sources.clone(), &templates, work)
        };
        let planned = self
            .planning
            .make(namespace(&observed.object), limits, make);
        let plan = planned.await?;
        let done = self.push_all(observed, &plan, until).await;
        let (record, failure) = settle(observed, &stores, plan, done);
        Ok(match failure {
            Some(failure) => Applied {
                record,
                settled: Settled::Failed(failure),
                pending: None,
            },
            None => self.clean_up(observed, record, state, now).await,
        })
    }

    /// Deletes what the record held and `record` does not, where the policy says so and the grace time
    /// is over. What is still there stays in the record.
    async fn clean_up(
        &self,
        observed: &Observed<'_>,
        mut record: SyncedPushSecrets,
        state: SourceState,
        now: Timestamp,
    ) -> Applied {
        let object = &observed.object;
        let (mut failure, mut waits) = (None, None);
        if *object.spec.deletion_policy() == PushDeletionPolicy::Delete {
            let obsolete = obsolete(object, &record);
            waits = pending(observed, state, &obsolete, now);
            let kept = if waits.is_some() {
                obsolete
            } else {
                let (kept, first) = self.delete_all(observed, obsolete).await;
                failure = first;
                kept
            };
            for recorded in kept {
                recorded.keep_in(&mut record, object);
            }
        }
        Applied {
            record,
            settled: failure.map_or(Settled::Synced, Settled::Failed),
            pending: waits,
        }
    }
}
