//! What a run of a PushSecret knows before it decides, and where its values come from. Plain data;
//! collecting it is the shell's work.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use lockstep_api::PushSecret;
use lockstep_api::external_secret::GeneratorRef;
use lockstep_provider_api::SecretMap;

use crate::store::StoreLookup;
use crate::template_source::{SourceKey, sources_of};

/// Everything a decision may depend on.
#[derive(Clone)]
pub struct Observed<'a> {
    /// The PushSecret.
    pub object: PushSecret,
    /// Labels of its namespace; `None` while they are not known.
    pub namespace_labels: Option<Arc<BTreeMap<String, String>>>,
    /// Stores.
    pub stores: &'a dyn StoreLookup,
    /// The true last push, where memory has a later one than the status.
    pub last_refresh: Option<Timestamp>,
    /// Whether something it reads from changed since its last push: the source, a store's spec, or
    /// an object its template comes from.
    pub inputs_changed: bool,
    /// The run that first missed something in the source which was pushed, while its deletion waits.
    pub doomed_since: Option<Timestamp>,
    /// A random number from 0 up to 1, for the jitter of the next wake-up.
    pub jitter: f64,
}

/// Where the values come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SourceRef<'a> {
    /// The Secret of this name.
    Named(&'a str),
    /// What this generator makes.
    Generator(&'a GeneratorRef),
    /// All Secrets of the namespace with these labels.
    Labelled(&'a LabelSelector),
}

/// The source an object names: a name goes before a generator, and that before labels.
pub fn source(object: &PushSecret) -> Option<SourceRef<'_>> {
    let selector = object.spec.selector.as_ref()?;
    let secret = selector.secret.as_ref();
    let name = secret.and_then(|secret| secret.name.as_deref());
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        return Some(SourceRef::Named(name));
    }
    if let Some(generator) = &selector.generator_ref {
        return Some(SourceRef::Generator(generator));
    }
    secret?.selector.as_ref().map(SourceRef::Labelled)
}

/// A Secret to push, as it was read or made.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Its type, where it has one.
    pub secret_type: Option<String>,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its annotations.
    pub annotations: BTreeMap<String, String>,
    /// Its data.
    pub data: SecretMap,
}

/// The objects the template takes its texts from, in order and once each.
pub fn template_sources(object: &PushSecret) -> Vec<SourceKey> {
    sources_of(object.spec.template.as_deref())
}
