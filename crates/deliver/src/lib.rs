//! `lockstep get` and `lockstep run`: hand the values of ExternalSecrets to a person, a script or a process,
//! from a folder of manifests or from a cluster. Values reach standard output, the environment of the
//! process and files in memory; nothing else, and nothing stays behind.

#[cfg(feature = "cluster")]
mod cluster;
mod files;
mod get;
mod process;
mod run;
mod select;
mod source;
mod supervise;
mod variables;

pub use get::{GetFlags, get};
pub use run::{RunFlags, run};
pub use source::{Around, SourceFlags};
