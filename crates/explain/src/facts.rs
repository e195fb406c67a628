//! What was read of the cluster, and nothing that was concluded from it. Secrets are here as keys and
//! lengths; no value is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use lockstep_api::{ClusterExternalSecret, ClusterPushSecret, ExternalSecret, PushSecret};
use lockstep_plan::external_secret::{ObservedTarget, SourceKey};
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{Settings, StoreKey};

use crate::kinds::Kind;
use crate::pods::Pod;

/// What a look at something gave.
#[derive(Clone, Debug)]
pub(crate) enum Looked<T> {
    /// It is there.
    There(T),
    /// It is not there; the text says what is instead, and may be empty.
    Missing(String),
    /// It could not be looked at.
    Failed(String),
}

impl<T> Looked<T> {
    pub(crate) fn there(&self) -> Option<&T> {
        match self {
            Self::There(found) => Some(found),
            Self::Missing(_) | Self::Failed(_) => None,
        }
    }
}

/// Facts about one object.
pub(crate) struct Facts {
    pub(crate) kind: Kind,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) settings: Settings,
    pub(crate) subject: Subject,
}

/// The object with what it stands on and what stands on it.
pub(crate) enum Subject {
    ExternalSecret(Box<ExternalSecretFacts>),
    Store(Box<StoreSubject>),
    PushSecret(Box<PushFacts>),
    ClusterExternalSecret(Box<ClusterExternalSecret>, Looked<Vec<Child>>),
    ClusterPushSecret(Box<ClusterPushSecret>, Looked<Vec<Child>>),
    Generator(GeneratorFacts),
}

/// An ExternalSecret and all around it.
pub(crate) struct ExternalSecretFacts {
    pub(crate) object: ExternalSecret,
    pub(crate) labels: Looked<Arc<BTreeMap<String, String>>>,
    pub(crate) stores: BTreeMap<StoreKey, Looked<StoreFacts>>,
    /// Generators by kind and name.
    pub(crate) generators: Vec<(String, String, Looked<()>)>,
    /// Objects that templates come from, with their keys.
    pub(crate) sources: BTreeMap<SourceKey, Looked<BTreeSet<String>>>,
    pub(crate) target: Looked<TargetFacts>,
    pub(crate) pods: Looked<Vec<Pod>>,
    pub(crate) live: Option<Live>,
}

/// A store and the objects it takes credentials from.
#[derive(Clone, Debug)]
pub(crate) struct StoreFacts {
    pub(crate) record: Arc<StoreRecord>,
    pub(crate) credentials: Vec<CredentialFacts>,
}

/// An object that a store or generator names for its credentials.
#[derive(Clone, Debug)]
pub(crate) struct CredentialFacts {
    pub(crate) kind: &'static str,
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// The key that is read of it.
    pub(crate) key: Option<String>,
    /// The keys it has.
    pub(crate) found: Looked<BTreeSet<String>>,
}

/// A target Secret.
#[derive(Clone, Debug)]
pub(crate) struct TargetFacts {
    /// As the engine sees it.
    pub(crate) seen: ObservedTarget,
    /// Keys and lengths.
    pub(crate) keys: BTreeMap<String, usize>,
    /// When its data was last written, as far as its fields tell.
    pub(crate) changed: Option<Timestamp>,
}

/// A store that is asked about.
pub(crate) struct StoreSubject {
    pub(crate) facts: StoreFacts,
    pub(crate) users: Looked<Vec<Child>>,
    pub(crate) live: Option<Result<String, LiveFailure>>,
}

/// An object that belongs to another one, with its Ready condition.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    pub(crate) kind: &'static str,
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// Whether it is ready, and what its condition says.
    pub(crate) ready: Option<bool>,
    pub(crate) message: String,
}

/// A PushSecret and all around it.
pub(crate) struct PushFacts {
    pub(crate) object: PushSecret,
    pub(crate) labels: Looked<Arc<BTreeMap<String, String>>>,
    pub(crate) source: PushSource,
    pub(crate) stores: BTreeMap<StoreKey, Looked<StoreFacts>>,
    pub(crate) live: BTreeMap<StoreKey, Result<String, LiveFailure>>,
}

/// What is pushed.
pub(crate) enum PushSource {
    /// A Secret of this name, with its keys.
    Secret(String, Looked<BTreeSet<String>>),
    /// What a generator of this kind and name makes.
    Generator(String, String, Looked<()>),
    /// Secrets with certain labels.
    Labels,
}

/// A generator.
pub(crate) struct GeneratorFacts {
    pub(crate) credentials: Vec<CredentialFacts>,
    pub(crate) users: Looked<Vec<Child>>,
    /// States of credentials it made.
    pub(crate) states: Looked<usize>,
}

/// What reading the stores now gave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    /// Why nothing was read.
    pub(crate) refused: Option<LiveFailure>,
    /// One answer an entry.
    pub(crate) answers: Vec<LiveAnswer>,
    /// Keys after decoding and rewriting.
    pub(crate) pipeline: Option<Result<Vec<String>, LiveFailure>>,
    /// Whether templates rendered, and what would be done about the target.
    pub(crate) plan: Option<Result<String, LiveFailure>>,
}

/// The answer to one entry.
#[derive(Clone, Debug)]
pub(crate) struct LiveAnswer {
    /// `spec.data[0]`.
    pub(crate) entry: String,
    /// What was asked for.
    pub(crate) asked: String,
    /// Its shape, never its value.
    pub(crate) outcome: Result<String, LiveFailure>,
}

/// A failure in the engine's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LiveFailure {
    pub(crate) cause: String,
    pub(crate) text: String,
    pub(crate) remedy: Option<String>,
}
