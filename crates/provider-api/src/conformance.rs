//! The suite that every provider runs with one call, and the services its tests need.
//!
//! ```text
//! #[test]
//! fn acme_keeps_the_contract() {
//!     lockstep_provider_api::conformance::assert_conforms(&AcmeSubject::new());
//! }
//! ```
//!
//! A provider describes itself through [`Subject`]. Its backend may be a script ([`scripted`]) or a
//! real server reached through any [`crate::http::Transport`]; the suite wraps either, so that it
//! can make it fail, stall and count. Providers without a network leave the transport out and the
//! checks that need one are skipped, with the reason in the [`Report`].

mod checks;
mod documented;
mod executor;
pub mod generator;
mod objects;
mod patience;
mod probe;
mod report;
mod services;
mod subject;
mod suite;
#[cfg(test)]
mod tests;
mod time;
mod transport;

pub use executor::block_on;
pub use objects::MemoryObjects;
pub use probe::CANARY;
pub use report::{Report, Topic, Verdict};
pub use services::{CallLog, NAMESPACE, TestServices, services};
pub use subject::{Faults, Subject};
pub use suite::Suite;
pub use time::ManualTime;
pub use transport::{Fault, Wire, grpc_refusal, response, scripted};

/// Runs the suite under the caller's runtime.
pub async fn run<S: Subject>(subject: &S) -> Report {
    Suite::new(subject).run().await
}

/// Runs the suite without a runtime and fails the test unless the provider keeps the contract.
#[track_caller]
pub fn assert_conforms<S: Subject>(subject: &S) {
    block_on(run(subject)).assert_passed();
}
