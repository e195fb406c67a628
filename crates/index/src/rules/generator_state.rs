//! GeneratorStates: requeued while something is to be done with them, now or at their deadline. No row is
//! kept; a reconcile reads the state again.

use jiff::Timestamp;
use lockstep_api::GeneratorState;
use lockstep_plan::generator_state::{Decision, decide};

use crate::key::ObjectKey;
use crate::seen::Seen;
use crate::wake::{Queued, Trigger, Wake, Wakes};

/// Requeues a state, or takes it out of its queue.
pub fn generator_state_seen(seen: Seen<GeneratorState>, now: Timestamp) -> Wakes {
    let mut wakes = Wakes::default();
    match seen {
        Seen::Applied(object) => {
            let queued = Queued::GeneratorState(ObjectKey::of(&object.metadata));
            match decide(&object, now) {
                Decision::Idle => wakes.push(Wake::Forget(queued)),
                Decision::Wait(at) => wakes.at(queued, at, Trigger::Changed),
                Decision::Claim(_) | Decision::CleanUp { .. } | Decision::Delete => {
                    wakes.now(queued, Trigger::Changed);
                }
            }
        }
        Seen::Deleted(object) => {
            let queued = Queued::GeneratorState(ObjectKey::of(&object.metadata));
            wakes.push(Wake::Forget(queued));
        }
        Seen::ListBegins | Seen::ListEnds => {}
    }
    wakes
}
