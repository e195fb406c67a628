//! The test bench of the workspace: a real control plane, a small blocking client for it, and (with
//! the feature `client`) helpers for tests written with kube.
//!
//! A development dependency only. Without features it is light enough for `xtask`; shipped crates
//! never link it.

pub mod api;
pub mod argo;
pub mod azure;
pub mod backend;
pub mod bao;
pub mod controlplane;
mod debian;
pub mod files;
pub mod flux;
pub mod gcp;
pub mod goiardi;
#[cfg(feature = "grpc")]
pub mod grpc;
pub mod helm;
mod http_get;
pub mod kubeconfig;
pub mod manifest;
pub mod metadata;
pub mod moto;
pub mod onepassword;
pub mod openstack;
pub mod operator;
pub mod place;
pub mod pods;
pub mod poll;
pub mod port;
pub mod process;
pub mod program;
pub mod progress;
pub mod proxy;
pub mod python;
pub mod slapd;
pub mod stub;
pub mod terminal;
pub mod tls_stub;
#[cfg(feature = "grpc")]
pub mod yandex;

#[cfg(feature = "client")]
pub mod client;

/// How long a test waits for what must come, before it fails. Nothing is lost by a long one: two
/// cores run all tests side by side, and a shared machine stands still for seconds at times.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_mins(3);
