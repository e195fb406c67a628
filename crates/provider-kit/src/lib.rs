#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod address;
pub mod auth;
pub mod cloud;
pub mod credential;
pub mod dialect;
pub mod entries;
pub mod error;
pub mod etag;
pub mod golang_jwt;
#[cfg(feature = "grpc")]
pub mod grpc;
pub mod ids;
pub mod login;
pub mod oci;
pub mod pager;
pub mod refusal;
pub mod rest;
pub mod session;
pub mod tls;
pub mod workload_credentials;
pub mod yaml;
#[cfg(feature = "grpc")]
pub mod yandex;

pub use address::Address;
pub use auth::{Authenticator, Scheme, StaticHeader};
pub use credential::{SecretOrValue, with_default_key};
pub use dialect::{Members, Property};
pub use lockstep_golang::base64;
pub use rest::Rest;
pub use session::Session;
