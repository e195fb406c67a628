//! Flux's released controllers install the chart as people lay it out, its pods run as processes, and
//! everything converges by itself: no order, no wait, no second try. Runs in a network namespace made
//! by `cargo xtask test --gitops`; one test at a time, because addresses and ports are fixed.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod argo;
mod azure;
mod layout;
mod release;
mod runbook;
mod world;
