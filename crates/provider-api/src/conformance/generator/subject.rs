//! What the suite must know of a kind of generator: a manifest that works, what answers its requests, and how
//! many credentials that server holds. Everything else has a default.

use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use serde_json::Value;

use crate::conformance::objects::MemoryObjects;
use crate::conformance::transport::response;
use crate::generator::{GeneratorEntry, Random};
use crate::http::Transport;
use crate::settings::Variables;

/// A check of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratorTopic {
    /// Values are made, under keys that a Secret can have, and new ones each time.
    Values,
    /// A manifest of another shape is refused before anything is sent.
    BadSpecs,
    /// Every refusal of the server is an error of the right kind, and none reads as absence.
    ErrorKinds,
    /// An answer that makes no sense is an error.
    GarbledAnswers,
    /// A state is kept exactly where the kind says so, and holds no value.
    States,
    /// Clean-up takes the credential back, once and again; a refused one is an error.
    CleanUp,
    /// A connection that breaks in the middle leaves no credential behind.
    BrokenConnections,
}

impl GeneratorTopic {
    /// In the order they run.
    pub const ALL: [Self; 7] = [
        Self::Values,
        Self::BadSpecs,
        Self::ErrorKinds,
        Self::GarbledAnswers,
        Self::States,
        Self::CleanUp,
        Self::BrokenConnections,
    ];
}

/// A kind of generator under test. Its server may be a script or a real one.
pub trait GeneratorSubject: Send + Sync {
    /// The kind's row.
    fn entry(&self) -> GeneratorEntry;

    /// `spec` of a manifest that works.
    fn spec(&self) -> Value;

    /// Stores the Kubernetes objects the spec refers to, in the namespace
    /// [`crate::conformance::NAMESPACE`]. Credentials should hold [`crate::conformance::CANARY`].
    fn prepare(&self, _objects: &MemoryObjects) {}

    /// What answers the kind's requests; `None` for a kind that sends none.
    fn transport(&self) -> Option<Arc<dyn Transport>> {
        None
    }

    /// Hosts that never fail: those where the kind signs in, so that faults meet the backend.
    fn spared_hosts(&self) -> &'static [&'static str] {
        &[]
    }

    /// Settings of the operator.
    fn variables(&self) -> Variables {
        Variables::default()
    }

    /// Randomness; another sequence with each call.
    fn random(&self) -> Box<dyn Random>;

    /// Number of credentials that the server holds now. Kinds that keep a state must say it.
    fn held(&self) -> Option<usize> {
        None
    }

    /// Whether the value of a key is secret; names and ids may stand in a state.
    fn is_secret(&self, _key: &str) -> bool {
        true
    }

    /// Whether each value that is made differs from the one before.
    fn is_fresh(&self) -> bool {
        true
    }

    /// The server's answer with a status.
    fn refusal(&self, status: u16) -> Response<Bytes> {
        response(status, r#"{"message":"refused"}"#)
    }

    /// Why a check does not apply to this kind.
    fn waives(&self, _topic: GeneratorTopic) -> Option<&'static str> {
        None
    }
}
