//! The admission webhook: which ExternalSecrets and stores are refused, with which words, and the
//! process around it. [`review()`] and [`certificate`] are pure; [`server`] answers requests, [`steward`]
//! finds the certificate to serve, [`keeper`] keeps it in a Secret and [`injector`] tells the API
//! server whom to trust.

pub mod certificate;
pub mod controller;
pub mod files;
pub mod injector;
pub mod keeper;
mod review;
pub mod server;
pub mod steward;
pub mod tls;
mod verdict;

pub use review::review;
pub use verdict::{Verdict, judge};
