//! Talks to secret backends: opens connections, shares and batches reads, pushes and deletes, runs
//! generators, and keeps each store's circuit breaker.
//!
//! Callers use [`RemoteClient`]. The rules for slots, backoff and breakers are `lockstep-scheduling`'s; this
//! crate waits and calls. It knows no Kubernetes client and writes no object.

mod batch;
mod batch_size;
mod client;
mod connections;
mod credentials;
mod identity;
mod observer;

pub use batch_size::batch_size;
pub use client::{
    Answer, CallCounter, CallSeries, ReadReply, ReadRequest, Rehearsal, RemoteClient, RemoteStats,
    RemoteStore, size_of,
};
pub use connections::{Connected, Connections};
pub use credentials::{Credential, CredentialKind};
pub use identity::{GroupKey, StoreIdentity};
pub use lockstep_plan::store::StoreRecord;
pub use observer::RemoteObserver;
