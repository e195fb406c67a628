//! All decisions of Lockstep, as pure functions: observed objects in, plans out.
//!
//! Nothing here reads a clock, the environment or the network. The shells in `controllers` and the
//! command line observe, call [`external_secret::decide()`], fetch, call [`external_secret::plan()`],
//! apply, and turn the outcome into status, events and the next wake-up with
//! [`external_secret::report()`].

pub mod cause;
pub mod cluster_external_secret;
pub mod cluster_push_secret;
pub mod conditions;
mod decode;
pub mod event;
pub mod external_secret;
pub mod failure;
pub mod fan_out;
pub mod generator_state;
pub mod manifest_target;
mod meta;
mod next_run;
mod note;
mod parsed_templates;
mod patience;
mod pattern;
pub mod push_secret;
mod refresh;
mod render;
mod rewrite;
mod salt;
pub mod selector;
pub mod settings;
mod spec_entry;
mod status_patch;
pub mod store;
mod store_key;
pub mod target;
mod template_fault;
mod template_source;
#[cfg(test)]
mod testing;
pub mod validate;
pub mod window;
mod work;

pub use cause::Cause;
pub use event::{EventNote, Severity};
pub use failure::Failure;
pub use lockstep_template::{Budget, Limits as TemplateLimits, Random, RandomError};
pub use next_run::NextRun;
pub use parsed_templates::ParsedTemplates;
pub use salt::Salt;
pub use settings::{CopiedMetadata, Delimiters, Randomness, RefreshNote, Settings};
pub use store::{StoreLookup, StoreView};
pub use store_key::{StoreKey, StoreKind};
pub use target::TargetRow;
pub use template_fault::{TemplateFault, TemplateText};
pub use work::{MOST_FETCHED_BYTES, MOST_SECRET_BYTES, Work};
