//! The contract between Lockstep and a secret backend.
//!
//! A provider implements [`Provider`] (its manifest part, checks, connecting) and [`Store`] (an
//! authenticated connection) with plain `async fn`, and gets everything it may touch from [`Ctx`].
//! Retry, timeouts, limits and metrics are layers around the erased [`DynStore`]; the
//! `conformance` suite holds every provider to the same behaviour.
#![warn(missing_docs)]

pub use lockstep_golang::duration;

mod ambient;
pub mod ca;
pub mod capability;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod context;
pub mod erased;
pub mod error;
pub mod find;
pub mod generator;
pub mod http;
pub mod json;
pub mod jwt;
pub mod keys;
pub mod label;
pub mod layer;
pub mod lifecycle;
pub mod locks;
pub mod metadata;
pub mod property;
pub mod push;
pub mod read;
pub mod refusal;
pub mod request;
pub mod retry;
pub mod scope;
pub mod selector;
pub mod settings;
pub mod shared;
pub mod store;
pub mod token_cache;
pub mod value;

pub use capability::{Access, Capabilities};
pub use context::{Ctx, Scope, Services, StoreName};
pub use erased::{DynStore, Entry, SharedStore};
pub use error::{Error, ErrorKind, Result, Tombstone};
pub use generator::{Generated, Generator, GeneratorEntry, LocalGenerator, Random};
pub use read::{Payload, Read};
pub use request::{Find, Health, MetadataPolicy, PushItem, PushTarget, Pushed, RemoteRef};
pub use settings::Variables;
pub use shared::Shared;
pub use store::{Check, Provider, Stability, Store, Warnings};
pub use value::{SecretMap, SecretValue};

/// What a provider crate needs in every file.
pub mod prelude {
    pub use crate::capability::Capabilities;
    pub use crate::context::{Ctx, Scope};
    pub use crate::error::{Error, ErrorKind, Result};
    pub use crate::read::{Payload, Read};
    pub use crate::request::{
        Find, Health, MetadataPolicy, PushItem, PushTarget, Pushed, RemoteRef,
    };
    pub use crate::store::{Check, Provider, Stability, Store, Warnings};
    pub use crate::value::{SecretMap, SecretValue};
}
