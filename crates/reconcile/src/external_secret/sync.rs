//! The middle of a run: fetch, plan, and write the target. A write that takes data away for want of
//! remote secrets asks the guard first.

use std::collections::BTreeSet;

use jiff::Timestamp;
use lockstep_plan::external_secret::{
    Absent, Applied, FetchList, Observed, Payload, Plan, Source, TargetPlan, assemble,
    deletion_held, loses_data, plan,
};
use lockstep_plan::manifest_target::ObjectPlan;
use lockstep_plan::{Budget, Failure, StoreKey, Work};
use lockstep_provider_api::Error;
use lockstep_remote::GroupKey;
use lockstep_scheduling::groups::Taken;

use super::fetch::{Caller, Prepared, fetch};
use super::world::{Deletion, ExternalSecretWorld};
use super::{Reconciler, apply, namespace};
use crate::generator_states;

/// Plans what the answers mean, or reports why nothing is written. Returns also whether no data was
/// found at all.
fn planned(
    observed: &Observed<'_>,
    (list, answers): (&FetchList, &[Result<Payload, Error>]),
    work: Work<'_>,
) -> Result<(Plan, bool), Box<Applied>> {
    let answers = answers.iter().map(|answer| match answer {
        Ok(payload) => Ok(payload.clone()),
        Err(error) => Err(error.duplicate()),
    });
    let assembled = assemble(&observed.object, list, answers.collect(), work)
        .map_err(|failure| Box::new(Applied::failed(failure)))?;
    let (events, is_empty) = (assembled.events.clone(), assembled.data.is_empty());
    match plan(observed, assembled, work) {
        Ok(plan) => Ok((plan, is_empty)),
        Err(failure) => Err(Box::new(Applied {
            events,
            ..Applied::failed(failure)
        })),
    }
}

/// A deletion that waits for a second look.
pub(super) struct LookAgain(pub(super) Timestamp);

impl<W: ExternalSecretWorld> Reconciler<'_, W> {
    /// Fetches, plans and applies. Returns also the shared reads, where all of them are.
    pub(super) async fn sync(
        &self,
        observed: &Observed<'_>,
        (list, prepared): (&FetchList, Vec<Prepared<'_>>),
        now: Timestamp,
    ) -> (Result<Applied, LookAgain>, Option<Vec<Taken<GroupKey>>>) {
        let caller = Caller {
            object: &observed.object,
            asked: observed.asked,
            keeps_states: self.settings.generator_states,
        };
        let around = (self.world, observed.stores, self.remote);
        let fetched = fetch((list, prepared), caller, around).await;
        let (mut answers, mut reads) = (Vec::with_capacity(fetched.len()), Some(Vec::new()));
        let (mut held, mut stored, mut expires) = (Vec::new(), Vec::new(), None);
        for one in fetched {
            held.push(one.held);
            stored.extend(one.stored);
            expires = earlier(expires, one.expires);
            answers.push(one.answer);
            reads = reads.zip(one.taken).map(|(mut reads, taken)| {
                reads.push(taken);
                reads
            });
        }
        let mut written = self.write(observed, list, answers, now).await;
        drop(held);
        match &mut written {
            Ok(applied) if applied.target.is_in_use() => {
                applied.expires = expires;
                generator_states::settle(self.world, &stored, self.settings, now).await;
            }
            _ => generator_states::roll_back(self.world, &stored, now).await,
        }
        (written, reads)
    }

    /// Plans what the answers mean, and applies it.
    async fn write(
        &self,
        observed: &Observed<'_>,
        list: &FetchList,
        answers: Vec<Result<Payload, Error>>,
        now: Timestamp,
    ) -> Result<Applied, LookAgain> {
        let missing = missing_from(list, &answers);
        let (settings, limits) = (self.settings, self.settings.template_limits);
        let make = |budget: &Budget| {
            let work = Work {
                settings,
                now,
                budget,
            };
            planned(observed, (list, &answers), work)
        };
        let planned = self
            .planning
            .make(namespace(&observed.object), limits, make);
        let (plan, is_empty) = match planned.await {
            Ok(planned) => planned,
            Err(applied) => return Ok(*applied),
        };
        let absent = match (is_empty, missing.is_empty()) {
            (true, _) => Absent::All,
            (false, true) => Absent::Nothing,
            (false, false) => Absent::Some,
        };
        if let Some(failure) = self.hold_loss(observed, (list, missing), &plan, absent)? {
            return Ok(Applied {
                events: plan.events,
                ..Applied::failed(failure)
            });
        }
        Ok(apply::apply(self.world, &observed.object, plan, self.settings).await)
    }

    /// Asks whether a plan that takes data away for want of remote secrets may be carried out; a
    /// failure says that it may not.
    fn hold_loss(
        &self,
        observed: &Observed<'_>,
        (list, missing): (&FetchList, BTreeSet<StoreKey>),
        plan: &Plan,
        absent: Absent,
    ) -> Result<Option<Failure>, LookAgain> {
        let object = &observed.object;
        if !loses_data(observed, plan, absent, self.settings) {
            let gone = TargetPlan::Object(ObjectPlan::Gone);
            // Secrets that were absent before are no news, and no sign that the store has its data.
            if missing.is_empty() && plan.target != TargetPlan::Gone && plan.target != gone {
                self.world.present(object);
            }
            return Ok(None);
        }
        let stores = if missing.is_empty() {
            list.stores()
        } else {
            missing
        };
        match self.world.absent(object, &stores) {
            Deletion::Allowed => Ok(None),
            Deletion::LookAgain(at) => Err(LookAgain(at)),
            Deletion::Held(store) => Ok(Some(deletion_held(store))),
        }
    }
}

fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.into_iter().chain(other).min()
}

/// Stores that have something no longer which was to be read from them.
fn missing_from(list: &FetchList, answers: &[Result<Payload, Error>]) -> BTreeSet<StoreKey> {
    let absent = |answer: &Result<Payload, Error>| match answer {
        Ok(Payload::Map(found)) => found.is_empty(),
        Ok(Payload::Value(_)) => false,
        Err(error) => error.consequence().absent,
    };
    let answered = list.items.iter().zip(answers);
    let missing = answered.filter(|(_, answer)| absent(answer));
    missing
        .filter_map(|(item, _)| match &item.source {
            Source::Store { key, .. } => Some(key.clone()),
            Source::Generator(_) => None,
        })
        .collect()
}
