//! The built binary, run as users run it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "steps shared by tests may fail them"
)]

mod bad_input;
mod commands;
#[cfg(feature = "all-providers")]
mod credentials;
mod deliver;
mod docs;
mod files;
mod folder;
mod once;
mod pages;
#[cfg(feature = "all-providers")]
mod picture;
mod render;
mod shell;
mod snapshots;
mod watch;
