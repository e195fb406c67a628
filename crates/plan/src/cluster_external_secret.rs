//! ClusterExternalSecrets: one ExternalSecret in each of many namespaces. From the object, the
//! namespaces and what is there already, [`decide()`] says what to do in which namespace, and
//! [`report()`] what the status says of it. Nothing here knows how values are fetched.

mod child;
mod decide;
mod report;
#[cfg(test)]
mod tests;
mod wanted;

pub use child::{child, child_name, controls};
pub use decide::{Decision, Observed, OwnedChild, Step, Task, Work, decide};
pub use report::{Outcome, Report, Trouble, refused, report, status_patch};
pub use wanted::Wanted;
