//! The built binary, run as users run it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "steps shared by tests may fail them"
)]

mod bad_input;
#[cfg(feature = "all-providers")]
mod credentials;
mod docs;
mod files;
mod folder;
mod once;
mod render;
mod watch;
