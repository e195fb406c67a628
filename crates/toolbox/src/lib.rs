//! Commands for people beside local mode, and what all of them share: the cluster they talk to, the
//! form and colours of their output, their exit codes, near names, and values that may be shown. The
//! binary passes in what only it knows; nothing here reads the environment.

pub mod check;
pub mod denied;
pub mod exit;
pub mod output;
pub mod redact;
pub mod suggest;

#[cfg(feature = "cluster")]
pub mod cluster;

pub use lockstep_local::console;
