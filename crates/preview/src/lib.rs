//! `lockstep plan` and `lockstep shadow`: the operator's own reconcile over a world that is only read.
//! Reads go to an API server or to a folder; every write is recorded in place of being made. This file
//! wires the parts together; each part decides in the file of its name.

mod call_count;
mod changed_fields;
mod decided;
mod deletion_guard;
mod difference;
mod difference_text;
mod edited;
mod engine;
mod fan_out;
mod field_tree;
mod generator;
mod intent;
mod lists;
mod merged;
mod objects;
mod observe;
mod owners;
pub mod plan;
mod present;
mod provider_objects;
mod pushes;
mod read_only;
mod scene;
pub mod shadow;
pub mod start;

use clap::Args;
use lockstep_provider_api::Variables;
use lockstep_runtime::connect::Proxy;

/// What the binary reads from its environment for the commands.
#[derive(Clone)]
pub struct Edges {
    /// Proxies for connections to the API server and to stores.
    pub proxy: Proxy,
    /// Addresses of backends, and where identities are found.
    pub variables: Variables,
}

/// How the operator is started whose reconcile is shown.
#[derive(Clone, Debug, Args)]
pub struct OperatorFlags {
    /// Controller class: stores of another class are left alone.
    #[arg(long, value_name = "CLASS", default_value = "default")]
    pub controller_class: String,

    /// Whether targets of other kinds than Secret are allowed, as the flag of the operator.
    #[arg(long)]
    pub unsafe_allow_generic_targets: bool,
}
