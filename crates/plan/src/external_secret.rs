//! Decisions about ExternalSecrets, in the order of a run: [`decide()`] says what to do, [`plan()`] says
//! what to write for the answers, [`mutate()`] applies it to the Secret that is there, and [`report()`]
//! makes status, events and the next wake-up of the outcome.

mod assemble;
mod decide;
mod entry_failure;
mod fetch;
mod finalizer;
mod loss;
mod names;
mod observe;
mod outcome;
mod plan;
mod report;
mod status;
mod target_plan;

pub use crate::refresh::{period, shared_interval, tolerance};
pub use crate::spec_entry::SpecEntry;
pub use crate::target::{Desired, Mutation, TargetDelete, mutate};
pub use crate::template_source::{SourceKey, SourceKind, TemplateSources, template_sources};
pub use assemble::{assembled_keys, is_absent};
pub use decide::{Decision, Ignored, ReleasePlan, Verdict, decide};
pub use fetch::{FetchItem, FetchList, Source, generators, reads_through, store_keys};
pub use finalizer::{add_finalizer, remove_finalizer};
pub use lockstep_provider_api::{Payload, Read};
pub use loss::{Absence, deletion_held};
pub use names::{created_by, synced_resource_version};
pub use observe::{Observed, ObservedTarget};
pub use outcome::SyncOutcome;
#[cfg(test)]
pub(crate) use plan::writes;
pub use plan::{Plan, plan};
pub(crate) use report::next_try;
pub use report::{Applied, Kept, Report, TargetOutcome, report, report_idle};
pub use target_plan::{TargetPlan, confirm_deletion};

#[cfg(test)]
mod tests;
