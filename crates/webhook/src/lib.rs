//! Admission reviews of ExternalSecrets and stores: which are refused, with which words. Pure: JSON
//! in, JSON out; serving and certificates are the process's affair.

mod review;
mod verdict;

pub use review::review;
pub use verdict::{Verdict, judge};
