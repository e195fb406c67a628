//! The middle of a run: fetch, plan, and write the target. A write that takes data away for want of
//! remote secrets asks the guard first.

use std::collections::BTreeSet;

use jiff::Timestamp;
use lockstep_pace::groups::Taken;
use lockstep_plan::external_secret::{
    Absent, Applied, FetchList, Observed, Payload, Plan, Source, TargetPlan, assemble,
    deletion_held, loses_data, plan,
};
use lockstep_plan::generic::ObjectPlan;
use lockstep_plan::{Failure, StoreKey};
use lockstep_provider::Error;

use super::{Engine, apply, namespace};
use crate::fetch::{Caller, Prepared, StoreSource, fetch};
use crate::reads::GroupKey;
use crate::world::{Deletion, World};

/// A deletion that waits for a second look.
pub(super) struct LookAgain(pub(super) Timestamp);

impl<W: World> Engine<'_, W> {
    /// Fetches, plans and applies. Returns also the shared reads, where all of them are.
    pub(super) async fn sync(
        &self,
        observed: &Observed<'_>,
        (list, prepared): (&FetchList, Vec<Prepared<'_>>),
        asked: Timestamp,
        now: Timestamp,
    ) -> (Result<Applied, LookAgain>, Option<Vec<Taken<GroupKey>>>) {
        let caller = Caller {
            namespace: namespace(observed.object),
            object: observed.object.metadata.name.as_deref(),
            asked,
        };
        let stores: (&dyn StoreSource, _) = (self.stores, self.reads);
        let fetched = fetch(prepared, caller, stores).await;
        let (mut answers, mut reads) = (Vec::with_capacity(fetched.len()), Some(Vec::new()));
        for one in fetched {
            answers.push(one.answer);
            reads = reads.zip(one.taken).map(|(mut reads, taken)| {
                reads.push(taken);
                reads
            });
        }
        (self.write(observed, list, answers, now).await, reads)
    }

    /// Plans what the answers mean, and applies it.
    async fn write(
        &self,
        observed: &Observed<'_>,
        list: &FetchList,
        answers: Vec<Result<Payload, Error>>,
        now: Timestamp,
    ) -> Result<Applied, LookAgain> {
        let lost = lost(list, &answers);
        let assembled = match assemble(observed.object, list, answers, self.settings, now) {
            Ok(assembled) => assembled,
            Err(failure) => return Ok(Applied::failed(failure)),
        };
        let events = assembled.events.clone();
        let absent = match () {
            () if assembled.data.is_empty() => Absent::All,
            () if lost.is_empty() => Absent::Nothing,
            () => Absent::Some,
        };
        let plan = match plan(observed, assembled, self.settings, now) {
            Ok(plan) => plan,
            Err(failure) => {
                return Ok(Applied {
                    events,
                    ..Applied::failed(failure)
                });
            }
        };
        if let Some(failure) = self.hold_loss(observed, (list, lost), &plan, absent)? {
            return Ok(Applied {
                events,
                ..Applied::failed(failure)
            });
        }
        Ok(apply::apply(self.world, observed.object, plan, self.settings).await)
    }

    /// Asks whether a plan that takes data away for want of remote secrets may be carried out; a
    /// failure says that it may not.
    fn hold_loss(
        &self,
        observed: &Observed<'_>,
        (list, lost): (&FetchList, BTreeSet<StoreKey>),
        plan: &Plan,
        absent: Absent,
    ) -> Result<Option<Failure>, LookAgain> {
        let object = observed.object;
        if !loses_data(observed, plan, absent, self.settings) {
            let gone = TargetPlan::Object(ObjectPlan::Gone);
            // Secrets that were absent before are no news, and no sign that the store has its data.
            if lost.is_empty() && plan.target != TargetPlan::Gone && plan.target != gone {
                self.world.present(object);
            }
            return Ok(None);
        }
        let stores = if lost.is_empty() { list.stores() } else { lost };
        match self.world.absent(object, &stores) {
            Deletion::Allowed => Ok(None),
            Deletion::LookAgain(at) => Err(LookAgain(at)),
            Deletion::Held(store) => Ok(Some(deletion_held(store))),
        }
    }
}

/// Stores that have something no longer which was to be read from them.
fn lost(list: &FetchList, answers: &[Result<Payload, Error>]) -> BTreeSet<StoreKey> {
    let absent = |answer: &Result<Payload, Error>| match answer {
        Ok(Payload::Map(found)) => found.is_empty(),
        Ok(Payload::Value(_)) => false,
        Err(error) => error.consequence().absent,
    };
    let answered = list.items.iter().zip(answers);
    let lost = answered.filter(|(_, answer)| absent(answer));
    lost.filter_map(|(item, _)| match &item.source {
        Source::Store { key, .. } => Some(key.clone()),
        Source::Generator(_) => None,
    })
    .collect()
}
