//! Go's data semantics in pure Rust: the small formats and rules that External Secrets inherits
//! from the Go standard library and a few Go packages.
//!
//! Bytes in, bytes out: Go strings need not be UTF-8, so nothing here insists on it. No I/O, no
//! clock, no Kubernetes. Error texts are those of Go, because users meet them in conditions and
//! events; some show a character or a number of the input, so callers that handle secrets decide
//! whether a text may be shown. No `Debug` form shows a value.
//!
//! Input may come from anyone: nothing here panics, recurses without limit, or takes time or
//! memory out of proportion to its input.
//!
//! | module | what it follows | where to start |
//! |---|---|---|
//! | [`base64`] | `encoding/base64` | [`base64::decode`] |
//! | [`duration`] | `time.ParseDuration` and `Duration.String` | [`duration::Duration::parse`] |
//! | [`float`] | `strconv` and the float notations of `fmt` and `encoding/json` | [`float::fixed`] |
//! | [`fmt`] | hashes over `%+v` | [`fmt::data_hash`], [`fmt::object_hash_text`] |
//! | [`gjson`] | `tidwall/gjson` | [`gjson::get`] |
//! | [`json`] | `encoding/json` | [`json::object_members`], [`json::decode`] |
//! | [`regexp`] | `regexp` | [`regexp::Regexp::new`] |
//! | [`unicode`] | `unicode` and `unicode/utf8` | [`unicode::is_letter`], [`unicode::runes`] |
//! | [`yaml`] | `sigs.k8s.io/yaml` | [`yaml::decode`], [`yaml::decode_strings`] |
#![warn(missing_docs)]

pub mod base64;
pub mod duration;
pub mod float;
pub mod fmt;
pub mod gjson;
pub mod json;
pub mod regexp;
pub mod sjson;
pub mod unicode;
pub mod yaml;
