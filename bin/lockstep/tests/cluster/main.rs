//! The operator as a process on a real API server, under the rights of the original operator's role
//! and nothing more.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod aws;
mod azure;
mod backends;
mod backends_command;
mod canary;
mod chaos;
mod cluster_kinds;
mod conditions;
mod crash;
mod crd;
mod deletion;
mod docs;
mod failing_keys;
mod faults;
mod flags;
mod gcp;
mod gcp_gke;
mod generators;
mod generic;
mod helm;
mod hostile_inputs;
mod hostile_work;
mod inputs;
mod leadership;
mod monitoring;
mod onepassword;
mod process;
mod push;
mod quiet;
mod restore;
mod server;
mod sharing;
mod start;
mod status;
mod takeover;
mod targets;
mod templates;
mod vanished;
mod vault;
mod vault_dynamic;
mod webhook;
