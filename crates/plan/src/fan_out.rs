//! Objects that keep one child in each of many namespaces. From the object, the namespaces and what is
//! there already, [`decide()`] says what to do in which namespace, and [`report()`] what the status
//! says of it. What differs between the two kinds is in [`Parent`]; nothing here knows what a child
//! does.

mod child;
mod decide;
mod parent;
mod report;
mod wanted;

pub use child::{child, child_name, controls};
pub use decide::{Decision, Observed, OwnedChild, Step, Task, Work, decide};
pub use parent::{Child, Namespaces, Parent};
pub use report::{Report, TaskOutcome, Trouble, refused, report, status_patch};
pub use wanted::Wanted;
