//! What follows from the outcome of a reconcile of a store: its row, those who waited for the check, and
//! when it is reconciled next.

use jiff::Timestamp;
use lockstep_plan::StoreKey;
use lockstep_reconcile::Ended;
use lockstep_runtime::dispatch::Next;

use crate::context::Context;
use crate::next::next_run;

/// Notes the outcome and maps it to the next time; without one the store is gone.
pub(super) fn conclude(
    context: &Context,
    key: &StoreKey,
    ended: Option<Ended>,
    (now, nanos): (Timestamp, u64),
) -> Next {
    context.index.stores().note_run(key, nanos);
    context.carry_out(context.index.store_checked(key));
    ended.map_or(Next::Idle, |ended| next_run(ended, now))
}
