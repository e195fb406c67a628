//! The middle of a run: fetch, plan, and write the target. A deletion for want of remote secrets asks
//! the guard first.

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_pace::groups::Taken;
use lockstep_plan::Failure;
use lockstep_plan::external_secret::{
    Applied, FetchList, Observed, Payload, Plan, TargetPlan, assemble, deletion_held, plan,
};
use lockstep_plan::generic::ObjectPlan;
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
        let assembled = match assemble(observed.object, list, answers, self.settings, now) {
            Ok(assembled) => assembled,
            Err(failure) => return Ok(Applied::failed(failure)),
        };
        let events = assembled.events.clone();
        let plan = match plan(observed, assembled, self.settings, now) {
            Ok(plan) => plan,
            Err(failure) => {
                return Ok(Applied {
                    events,
                    ..Applied::failed(failure)
                });
            }
        };
        if let Some(failure) = self.hold_deletion(observed.object, list, &plan)? {
            return Ok(Applied {
                events,
                ..Applied::failed(failure)
            });
        }
        Ok(apply::apply(self.world, observed.object, plan, self.settings).await)
    }

    /// Asks whether a deletion for want of remote secrets may go on; a failure says that it may not.
    fn hold_deletion(
        &self,
        object: &ExternalSecret,
        list: &FetchList,
        plan: &Plan,
    ) -> Result<Option<Failure>, LookAgain> {
        match plan.target {
            TargetPlan::Delete(_)
            | TargetPlan::LookToDelete(_)
            | TargetPlan::Object(ObjectPlan::Delete(_)) => {}
            TargetPlan::Gone | TargetPlan::Object(ObjectPlan::Gone) => return Ok(None),
            _ => {
                self.world.present(object);
                return Ok(None);
            }
        }
        match self.world.absent(object, &list.stores()) {
            Deletion::Allowed => Ok(None),
            Deletion::LookAgain(at) => Err(LookAgain(at)),
            Deletion::Held(store) => Ok(Some(deletion_held(store))),
        }
    }
}
