//! Decisions about PushSecrets, in the order of a run: [`decide()`] says what to do and which source
//! to read, [`plan()`] makes entries of the source, [`settle()`] says what the record of pushed
//! secrets is after them, [`obsolete`] what is to be deleted, [`pending`] whether that waits, and
//! [`report()`] makes status, events and the next wake-up of the outcome.

mod data_to;
mod decide;
mod entries;
mod finalizer;
mod grace;
mod names;
mod observe;
mod outcome;
mod plan;
mod record;
mod refresh;
mod report;
mod settle;
mod status;
mod stores;

pub use decide::{Decision, FinalizerChange, Ignored, Verdict, decide};
pub use finalizer::{add_finalizer, remove_finalizer};
pub use grace::{GRACE, Pending, SourceState, pending};
pub use observe::{Observed, Source, SourceRef, source, template_sources};
pub use outcome::PushOutcome;
pub use plan::{
    Entry, PushPlan, StorePush, delete_failed, exists_unknown, places, plan, push_failed,
    unfinished,
};
pub use record::{Recorded, obsolete};
pub use report::{Applied, Report, Settled, deletion_failed, no_source, report};
pub use settle::{Done, settle};
pub use status::{forget_record, status_patch};
pub use stores::{Resolved, StoreUses, deletable, resolve};

#[cfg(test)]
mod tests;
