//! The admission webhook: which ExternalSecrets and stores are refused, with which words, and the
//! process around it. [`review()`] and [`certificate`] are pure; [`server`] answers requests, [`certificate_source`]
//! finds the certificate to serve, [`certificate_secret`] keeps it in a Secret and [`injector`] tells the API
//! server whom to trust.

pub mod certificate;
pub mod certificate_secret;
pub mod certificate_source;
pub mod controller;
pub mod files;
pub mod injector;
mod review;
pub mod server;
pub mod tls;
mod verdict;

pub use review::review;
pub use verdict::{Verdict, judge};
