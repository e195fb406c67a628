//! What follows from the outcome of a reconcile: the object's row, and when it is reconciled next.

use jiff::Timestamp;
use lockstep_reconcile::Ended;
use lockstep_runtime::dispatch::Next;

use super::kind::FanOut;
use crate::context::Context;
use crate::next::next_run;

/// Notes the outcome and maps it to the next time; without one the object is gone.
pub(super) fn conclude<P: FanOut>(
    context: &Context,
    name: &str,
    ended: Option<Ended>,
    (now, nanos): (Timestamp, u64),
) -> Next {
    P::rows(&context.index).note_run(name, nanos);
    ended.map_or(Next::Idle, |ended| next_run(ended, now))
}
