//! How a store reaches a Kubernetes API server, this cluster's or another's: the part of a manifest
//! that says where it is and who signs in, and a client that sends plain REST requests over the
//! contract's HTTP layer. Knows no resource: what is read and what it means is each provider's.
#![warn(missing_docs)]

mod access;
mod auth;
mod client;
mod connection;
mod error;
mod impersonation;
mod kubeconfig;
pub mod labels;
mod list;
mod path;
mod review;
mod token;

pub use access::{Access, Login};
pub use client::{Call, Client};
pub use connection::{Auth, CertAuth, Connection, NO_CA_WARNING, Server, TokenAuth};
pub use error::{is_absent, is_expired, is_unusable};
pub use list::List;
pub use path::Resource;
