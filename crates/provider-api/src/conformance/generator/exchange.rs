//! A subject for kinds that exchange an identity for a credential which ends by itself: the server is a
//! script, nothing is taken back, and each answer is another one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, Response};
use serde_json::Value;

use super::subject::{GeneratorSubject, GeneratorTopic};
use crate::conformance::objects::MemoryObjects;
use crate::conformance::services::NAMESPACE;
use crate::conformance::transport::{response, scripted};
use crate::generator::{GeneratorEntry, Random};
use crate::http::Transport;

type Script = dyn Fn(&Request<Bytes>, usize) -> Response<Bytes> + Send + Sync;

/// A kind under test.
pub struct Exchange {
    entry: GeneratorEntry,
    spec: Value,
    script: Arc<Script>,
    answered: Arc<AtomicUsize>,
    secrets: Vec<(&'static str, &'static str, String)>,
    spared: &'static [&'static str],
    refusal: fn(u16) -> Response<Bytes>,
}

impl Exchange {
    /// A kind, a manifest that works, and what answers; the number differs with each request.
    pub fn new(
        entry: GeneratorEntry,
        spec: Value,
        script: impl Fn(&Request<Bytes>, usize) -> Response<Bytes> + Send + Sync + 'static,
    ) -> Self {
        Self {
            entry,
            spec,
            script: Arc::new(script),
            answered: Arc::default(),
            secrets: Vec::new(),
            spared: &[],
            refusal: |status| response(status, r#"{"message":"refused"}"#),
        }
    }

    /// The same kind with a key of a Secret.
    #[must_use]
    pub fn secret(
        mut self,
        name: &'static str,
        key: &'static str,
        value: impl Into<String>,
    ) -> Self {
        self.secrets.push((name, key, value.into()));
        self
    }

    /// The same kind, which signs in at these hosts.
    #[must_use]
    pub fn sparing(mut self, hosts: &'static [&'static str]) -> Self {
        self.spared = hosts;
        self
    }

    /// The same kind, whose server refuses in its own words.
    #[must_use]
    pub fn refusing(mut self, refusal: fn(u16) -> Response<Bytes>) -> Self {
        self.refusal = refusal;
        self
    }
}

/// The kinds of this subject make nothing of their own.
struct NoRandom;

impl Random for NoRandom {
    fn fill(&mut self, _: &mut [u8]) {}
}

impl GeneratorSubject for Exchange {
    fn entry(&self) -> GeneratorEntry {
        self.entry
    }

    fn spec(&self) -> Value {
        self.spec.clone()
    }

    fn prepare(&self, objects: &MemoryObjects) {
        for (name, key, value) in &self.secrets {
            objects.put_secret(NAMESPACE, name, key, value.as_str());
        }
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let (script, answered) = (Arc::clone(&self.script), Arc::clone(&self.answered));
        Some(scripted(move |request| {
            script(&request, answered.fetch_add(1, Ordering::Relaxed))
        }))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        self.spared
    }

    fn random(&self) -> Box<dyn Random> {
        Box::new(NoRandom)
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        (self.refusal)(status)
    }

    fn waives(&self, topic: GeneratorTopic) -> Option<&'static str> {
        let waived = matches!(
            topic,
            GeneratorTopic::CleanUp | GeneratorTopic::BrokenConnections
        );
        waived.then_some("nothing can be taken back at the server: credentials end by themselves")
    }
}
