//! Go's data semantics in pure Rust: the small formats and rules that External Secrets inherits
//! from the Go standard library and a few Go packages.
//!
//! Bytes in, bytes out: Go strings need not be UTF-8, so nothing here insists on it. No I/O, no
//! clock, no Kubernetes. Error texts are those of Go, because users meet them in conditions and
//! events; callers that handle secrets decide whether a text may be shown.
#![warn(missing_docs)]

pub mod base64;
pub mod duration;
pub mod float;
pub mod fmt;
pub mod gjson;
pub mod json;
pub mod regexp;
pub mod unicode;
pub mod yaml;
