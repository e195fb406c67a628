//! `lockstep backends`: secrets at their backend, deleted ones included. Desired entries of a manifest
//! are compared with what is there; `plan` decides, `execute` acts, `report` prints. Values go from
//! their source to the backend and nowhere else: what is printed and left in files is names, fields,
//! states and dates. The binary passes in what only it knows.

mod apply;
mod confirm;
mod content;
mod execute;
mod flags;
mod manifest;
#[cfg(test)]
mod memory;
mod observe;
mod plan;
mod progress;
mod remove;
mod report;
mod restore;
mod run;
mod sources;
mod status;
mod store;
mod words;

use lockstep_provider_api::SecretValue;
use lockstep_toolbox::output::Screen;

pub use flags::BackendsFlags;
pub use run::run;

/// What the binary reads from its environment for this command.
pub struct Environment {
    /// Credentials and addresses, as local mode takes them.
    pub local: lockstep_local::Environment,
    /// A variable that an entry of a manifest names.
    pub variable: fn(&str) -> Option<SecretValue>,
    /// Standard output.
    pub screen: Screen,
    /// Whether somebody is there to answer a question and to watch progress.
    pub terminal: Terminal,
}

/// Whether somebody sits in front of the command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// Standard input is a terminal: questions can be answered.
    pub input: bool,
    /// Standard error is a terminal: progress can be drawn.
    pub errors: bool,
}
